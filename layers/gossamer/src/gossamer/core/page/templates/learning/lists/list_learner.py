"""A template from one page that lists something: nothing is marked on it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.addresses import absolute, base_of
from gossamer.core.page.templates.learning.lists.columns import Column, columns_of
from gossamer.core.page.templates.learning.lists.next_link import next_selector
from gossamer.core.page.templates.learning.lists.records import best_groups, stable_classes
from gossamer.core.page.templates.learning.lists.rows import heads_of, rows_below
from gossamer.core.page.templates.learning.page_view import view_of
from gossamer.core.page.templates.learning.paths import Mark, Path, Step
from gossamer.core.page.templates.learning.url_patterns import patterns_of_list
from gossamer.core.page.templates.selecting import page_tree, select
from gossamer.core.page.templates.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from gossamer.core.page.templates.learning.page_view import PageView

_LEVELS: Final = 6  # above the records


def learn_list(name: str, html: str, url: str) -> Template | None:
    """The records of a page, their columns and its next link; None if nothing repeats."""
    root = page_tree(html)
    view = view_of(root)
    records, columns = next((pair for pair in _read(view) if pair[1]), ([], []))
    items = _items(root, records) if records else ""
    if not items:
        return None
    links = [column.name for column in columns if column.rule.type == "link"]
    following = next_selector(view)
    base = base_of(root, url)
    own = [absolute(href, base) for member in records for href in _first_link(member)]
    return Template(
        name=name,
        match=patterns_of_list(url, _leads(following, root, base), own),
        items=items,
        title=_title(columns),
        url=links[0] if links else "",
        next=following,
        fields={column.name: column.rule for column in columns},
    )


def _first_link(member: etree._Element) -> list[str]:
    """Where the first link of a record leads, which is most often its own page."""
    return [link.get("href") for link in islice(member.iter("a"), 1) if link.get("href")]


def _leads(selector: str, root: etree._Element, base: str) -> list[str]:
    """Where the links to further pages lead."""
    found = select(selector, root) if selector else []
    leads = (absolute(each.get("href") or "", base) for each in found)
    return [url for url in leads if url]


def _read(view: PageView) -> Iterator[tuple[Sequence[etree._Element], list[Column]]]:
    """What may be the records of a page, with their columns; rows in turn may be one together."""
    for group in best_groups(view):
        yield group.members, columns_of(view, group.members)
        if heads := heads_of(group.members):
            yield heads, columns_of(view, heads, rows_below(heads))


def _title(columns: Sequence[Column]) -> str:
    """What leads to the record's own page, else the first text."""
    names = [column.name for column in columns if column.rule.type == "text"]
    linked = {f"{name[:30]}_link" for name in names} & {column.name for column in columns}
    first = next((name for name in names if f"{name[:30]}_link" in linked), "")
    return f"{{{first or names[0]}}}" if names else ""


def _items(root: etree._Element, members: Sequence[etree._Element]) -> str:
    """The shortest selector of these elements and of few others; "" if there is none."""
    wanted = set(members)
    best, likeness = "", 0.0
    for path in ways_to(members[0]):
        if not path.can_be_said():
            continue
        found = {node for node in select(path.selector(), root) if not isinstance(node, str)}
        like = len(found & wanted) / max(1, len(found | wanted))
        if like > likeness:
            best, likeness = path.selector(), like
    return best


def ways_to(member: etree._Element) -> Iterator[Path]:
    """Paths to an element and those made like it, the shortest first."""
    tag = str(member.tag)
    for token in stable_classes(member):
        yield Path(Mark(tag, "class", token))
    steps: tuple[Step, ...] = (Step(tag),)
    for ancestor, _ in zip(member.iterancestors(), range(_LEVELS), strict=False):
        above = str(ancestor.tag)
        if identity := ancestor.get("id"):
            yield Path(Mark(above, "id", identity), steps)
        for token in stable_classes(ancestor):
            yield Path(Mark(above, "class", token), steps)
        steps = (Step(above), *steps)
    yield Path(Mark(steps[0].tag), steps[1:])
    yield Path(Mark(tag))
