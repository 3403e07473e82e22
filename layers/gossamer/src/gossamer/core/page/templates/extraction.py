"""The records that a template finds on a page: typed values, where they came from, what lacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec
from lxml import etree

from gossamer.core.page.parts import MOST_DOCUMENTS
from gossamer.core.page.templates.addresses import absolute, base_of
from gossamer.core.page.templates.checking import PLACEHOLDER
from gossamer.core.page.templates.element_text import text_of
from gossamer.core.page.templates.field_values import read_field
from gossamer.core.page.templates.item_html import html_of
from gossamer.core.page.templates.selecting import page_tree, select
from gossamer.core.page.values import MAX_TEXT, Link, Value, each, in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gossamer.core.page.templates.template import Template

MAX_TITLE: Final = 500
MAX_KEY: Final = 500
# Characters of values that the records of a page may have together.
PAGE_BUDGET: Final = 4_000_000


class Lookup(Protocol):
    """What a page declares about itself."""

    def lookup(self, path: str) -> list[str | int | float | bool | dict[str, Any]]:
        """The values at a path, as "jsonld:Product.offers.price"."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One record of a page."""

    values: dict[str, Value]
    title: str = ""
    key: str = ""  # the same wherever the item is met
    url: str = ""  # of the item's own page; "" if it has none
    text: str = ""  # of an item, as it is shown
    place: int = 0  # on the page, from 1; 0 is the page as a whole
    missing: list[str] = []  # required fields without a value
    untyped: list[str] = []  # fields where something stands that is not of their type
    origins: dict[str, str] = {}  # where each value came from: the path of an element, or a source


@dataclass(frozen=True)
class Page:
    """A page while a template is applied to it."""

    root: etree._Element
    url: str
    data: Lookup | None
    trace: bool
    _own: list[tuple[etree._Element, Lookup]] = field(default_factory=list)  # of the last item

    @cached_property
    def base(self) -> str:
        """What its relative addresses are relative to."""
        return base_of(self.root, self.url)

    def declared_by(self, item: etree._Element) -> Lookup:
        """What an item declares in its own elements; a row of a table has the table's headers."""
        from gossamer.core.page.structured import PageData

        if not self._own or self._own[-1][0] is not item:
            self._own[:] = [(item, PageData.of(html_of(item), self.base))]
        return self._own[-1][1]

    @cached_property
    def language(self) -> str:
        """The language that it says it is in, as "de"."""
        said = self.root.get("lang") or ""
        return said.replace("_", "-").partition("-")[0].strip().lower()


def extract(
    template: Template, html: str, url: str, data: Lookup | None = None, *, trace: bool = True
) -> list[Record]:
    """The records of a page. `trace`, if given, is told where the values stood."""
    page = Page(page_tree(html), url, data or _declared(template, html, url), trace)
    return list(records(template, page))


def _declared(template: Template, html: str, url: str) -> Lookup | None:
    """What the page declares about itself, if a field asks for it."""
    sources = (source for rule in template.fields.values() for source in rule.source)
    if not any(not source.startswith("url:") for source in sources):
        return None
    from gossamer.core.page.structured import PageData

    return PageData.of(html, url)


def records(template: Template, page: Page) -> Iterator[Record]:
    """The records of a parsed page, in its order, as many as there is room for."""
    if not template.items:
        yield _record(template, page, page.root, frozenset(), 0)
        return
    items = items_of(template, page.root)
    owners = frozenset(items) if _nest(items) else frozenset()
    room = PAGE_BUDGET
    for place, item in enumerate(items, 1):
        record = _record(template, page, item, owners, place)
        room -= _size(record.values) + len(record.text)
        if room < 0:
            return
        if record.values:
            yield record


def items_of(template: Template, root: etree._Element) -> list[etree._Element]:
    """The elements of a page that are its records."""
    found = select(template.items, root)
    return list(
        islice((each for each in found if isinstance(each, etree._Element)), MOST_DOCUMENTS)
    )


def _nest(items: list[etree._Element]) -> bool:
    """Whether an item stands in another one."""
    known = set(items)
    return any(outer in known for item in items for outer in item.iterancestors())


def _record(
    template: Template,
    page: Page,
    scope: etree._Element,
    owners: frozenset[etree._Element],
    place: int,
) -> Record:
    found = {name: read_field(rule, scope, page, owners) for name, rule in template.fields.items()}
    values = {name: each.value for name, each in found.items() if each.value is not None}
    url = _url(template, values, page)
    return Record(
        values=values,
        title=_filled(template.title, values)[:MAX_TITLE],
        key=_key(template, values) or (url if place else ""),
        url=url,
        text=text_of(scope, MAX_TEXT) if place else "",
        place=place,
        missing=[
            name for name, each in template.fields.items() if each.required and name not in values
        ],
        untyped=[name for name, each in found.items() if each.value is None and each.some],
        origins={name: each.origin for name, each in found.items() if each.origin},
    )


def _url(template: Template, values: Mapping[str, Value], page: Page) -> str:
    """The item's own page; the page itself is none."""
    if not template.url:
        return ""
    if "{" in template.url:
        return absolute(_filled(template.url, values), page.base)
    first = next(iter(each(values.get(template.url, []))), "")
    return first.url if isinstance(first, Link) else absolute(in_words(first), page.base)


def _key(template: Template, values: Mapping[str, Value]) -> str:
    pattern = template.key if "{" in template.key else f"{{{template.key}}}"
    return _filled(pattern, values)[:MAX_KEY] if template.key else ""


def _filled(pattern: str, values: Mapping[str, Value]) -> str:
    """A pattern with the values of fields in it; "" if none of them has any."""
    names = PLACEHOLDER.findall(pattern)
    if not any(name in values for name in names):
        return ""
    text = PLACEHOLDER.sub(lambda found: _in_words(values.get(found[1], [])), pattern)
    return " ".join(text.split())


def _in_words(value: Value) -> str:
    return ", ".join(map(in_words, each(value)))


def _size(values: Mapping[str, Value]) -> int:
    return sum(len(in_words(scalar)) for value in values.values() for scalar in each(value))
