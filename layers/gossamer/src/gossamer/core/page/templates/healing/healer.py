"""Learn the selectors of a template again where known values do not come out of it any more."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.page.templates.healing.judging import Tally, tally
from gossamer.core.page.templates.healing.known import Found, KnownPage, is_field, read_with
from gossamer.core.page.templates.healing.locating import locate
from gossamer.core.page.templates.healing.variants import kind_of, learned_rules, texts_of
from gossamer.core.page.templates.learning.choosing import Marked, choose
from gossamer.core.page.templates.learning.lists.list_learner import ways_to
from gossamer.core.page.templates.learning.page_view import PageView, view_of
from gossamer.core.page.templates.selecting import page_tree, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from gossamer.core.page.templates.extraction import Record
    from gossamer.core.page.templates.template import FieldRule, Template

WELL: Final = 0.95  # of the stored values come out: nothing is learned again
LESSONS: Final = 10  # pages from which is learned, or records of a list
LIST_PAGES: Final = 6  # on which the records of lists are looked for
MAX_ITEMS: Final = 60  # ways to records that are tried
_Lesson = tuple[PageView, str, "Record"]


@dataclass(frozen=True, slots=True)
class Healed:
    """A template that was learned again, and what comes out of the old one and of it."""

    template: Template
    before: Tally
    after: Tally

    @property
    def is_better(self) -> bool:
        """Whether more of the known values come out."""
        return self.after.share > self.before.share


def heal(template: Template, pages: Sequence[KnownPage]) -> Healed:
    """Learn again what does not find the known values on the pages as they are now."""
    read = [read_with(template, page.html, page.url) for page in pages]
    before = tally(pages, read)
    best, after = template, before
    if any(before.share_of(name) < WELL for name in before.stored):
        for items in _ways_to_items(template, pages, before):
            variant = _fields_again(template, items, pages, before)
            counted = _tally(variant, pages)
            if counted.share > after.share:
                best, after = variant, counted
            if after.share >= WELL:
                break
    return Healed(_next_again(best, pages, read), before, after)


def _tally(template: Template, pages: Sequence[KnownPage]) -> Tally:
    return tally(pages, [read_with(template, page.html, page.url) for page in pages])


def _ways_to_items(template: Template, pages: Sequence[KnownPage], before: Tally) -> Iterator[str]:
    """The selector of records as it is, unless it finds none, and as it is learned again."""
    if not template.items or before.found:
        yield template.items
    if template.items and (again := _items_again(template, pages)) not in ("", template.items):
        yield again


def _fields_again(
    template: Template, items: str, pages: Sequence[KnownPage], before: Tally
) -> Template:
    """The best of all ways for each field, those of now among them."""
    trial = msgspec.structs.replace(template, items=items)
    lessons = list(_lessons(trial, pages))
    tried: dict[str, list[FieldRule]] = {}
    for name, rule in template.fields.items():
        tried[name] = [rule]
        if items != template.items or before.share_of(name) < WELL:
            tried[name] += learned_rules(name, rule, lessons, inside=bool(items))
    return _best(trial, tried, pages)


def _best(
    template: Template, tried: dict[str, list[FieldRule]], pages: Sequence[KnownPage]
) -> Template:
    """Of the ways of each field the one by which most values come out; of equal ones the first."""
    scores: dict[tuple[str, int], float] = {}
    most = max(map(len, tried.values()), default=0)
    for number in range(most):
        fields = {name: rules[min(number, len(rules) - 1)] for name, rules in tried.items()}
        variant = msgspec.structs.replace(template, fields=fields)
        counted = _tally(variant, pages)
        scores |= {(name, number): counted.share_of(name) for name in tried}
    best = {}
    for name, rules in tried.items():
        place = max(range(len(rules)), key=lambda n, name=name: scores[name, n])  # type: ignore[misc]
        best[name] = rules[place]
    return msgspec.structs.replace(template, fields=best)


def _lessons(template: Template, pages: Sequence[KnownPage]) -> Iterator[_Lesson]:
    """Pages or records of them, each with what is known of it."""
    if not template.items:
        fullest = sorted(pages, key=lambda page: -_filled(page))[:LESSONS]
        for page in fullest:
            for record in page.records[:1]:
                yield view_of(page_tree(page.html)), page.url, record
        return
    found = list(_located(template, pages))
    for element, page, record in found[:: max(1, len(found) // LESSONS)][:LESSONS]:
        yield view_of(_alone(element)), page.url, record


def _filled(page: KnownPage) -> int:
    return sum(len(record.values) for record in page.records)


def _alone(element: etree._Element) -> etree._Element:
    """An element as a tree of its own, so that nothing around it is looked at."""
    alone = copy.deepcopy(element)
    alone.tail = None
    return alone


def _located(
    template: Template, pages: Sequence[KnownPage]
) -> Iterator[tuple[etree._Element, KnownPage, Record]]:
    """The items of pages, each with the known record that stands in it."""
    for page in _longest(pages):
        root = page_tree(page.html)
        items = {each for each in select(template.items, root) if hasattr(each, "tag")}
        for element, record in _elements(template, page, root):
            item = next((each for each in _around(element, items)), None)
            if item is not None:
                yield item, page, record


def _around(element: etree._Element, items: set[etree._Element]) -> Iterator[etree._Element]:
    """The item that an element is, that it is in, or that it is around."""
    yield from (each for each in (element, *element.iterancestors()) if each in items)
    inner = [each for each in element.iterdescendants() if each in items]
    yield from inner if len(inner) == 1 else []


def _longest(pages: Sequence[KnownPage]) -> list[KnownPage]:
    return sorted(pages, key=lambda page: -len(page.records))[:LIST_PAGES]


def _elements(
    template: Template, page: KnownPage, root: etree._Element
) -> list[tuple[etree._Element, Record]]:
    """Where the known records of a page stand."""
    unlike = list({_identity(record): record for record in page.records}.values())
    kinds = {name: kind_of(rule) for name, rule in template.fields.items()}
    texts = [{name: texts_of(name, record) for name in kinds} for record in unlike]
    places = locate(view_of(root), texts, kinds, page.url)
    pairs = zip(places, unlike, strict=True)
    return [(element, record) for element, record in pairs if element is not None]


def _identity(record: Record) -> object:
    own = {name: str(value) for name, value in record.values.items() if is_field(name)}
    return tuple(own.items())


def _items_again(template: Template, pages: Sequence[KnownPage]) -> str:
    """The selector that finds most of the elements in which known records stand, and few others."""
    roots = [(page, page_tree(page.html)) for page in _longest(pages)]
    members = [
        (root, dict.fromkeys(element for element, _ in _elements(template, page, root)))
        for page, root in roots
    ]
    likeness: Counter[str] = Counter()
    for selector in _ways(members):
        same = either = 0
        for root, wanted in members:
            found = {each for each in select(selector, root) if hasattr(each, "tag")}
            both = found & wanted.keys()
            same, either = same + len(both), either + len(found | wanted.keys())
        likeness[selector] = round(1_000 * same / max(1, either))
    return max(likeness, key=lambda selector: likeness[selector], default="")


def _ways(members: Sequence[tuple[etree._Element, dict[etree._Element, None]]]) -> list[str]:
    """Selectors of some of the members, the most frequent first."""
    met: dict[str, int] = defaultdict(int)
    for _, wanted in members:
        for member in list(wanted)[:LESSONS]:
            for path in ways_to(member):
                if path.can_be_said():
                    met[path.selector()] += 1
    return sorted(met, key=lambda selector: -met[selector])[:MAX_ITEMS]


def _next_again(template: Template, pages: Sequence[KnownPage], read: Sequence[Found]) -> Template:
    """The link to the next page again, if it was found before and is no more."""
    known = [page for page in pages if page.next_links]
    lost = sum(
        1 for page, now in zip(pages, read, strict=True) if page.next_links and not now.next_links
    )
    if not template.next or lost <= len(known) * (1 - WELL):
        return template
    marked = [
        Marked(view_of(page_tree(page.html)), page.next_links[:1], frozenset(), "link", page.url)
        for page in known[:LESSONS]
    ]
    choice = choose(marked)
    path = choice.candidates[0].path if choice else None
    if path is None or path.end != "@href":
        return template
    return msgspec.structs.replace(template, next=replace(path, end="").selector())
