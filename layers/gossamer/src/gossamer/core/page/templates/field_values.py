"""What a field of a template finds in an item, by its sources first, then by its selectors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from gossamer.core.page.templates.cleaning import clean
from gossamer.core.page.templates.element_text import is_hidden
from gossamer.core.page.templates.matching import compile_expression
from gossamer.core.page.templates.scalars import read_data, read_node, read_text
from gossamer.core.page.templates.selecting import select
from gossamer.core.page.values import MAX_ITEMS, MAX_TEXT, Scalar, Value, in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.page.templates.extraction import Lookup, Page
    from gossamer.core.page.templates.template import FieldRule

MAX_TRIED: Final = 16  # elements in which one value is looked for
# Structured data says an amount and its currency beside each other.
_CURRENCIES: Final = {
    "price": "priceCurrency",
    "lowPrice": "priceCurrency",
    "highPrice": "priceCurrency",
    "amount": "currency",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found for a field."""

    value: Value | None = None
    origin: str = ""
    some: bool = False  # something stands there, whether it is of the type or not


@dataclass(frozen=True, slots=True)
class _Found:
    value: Scalar | None
    origin: str


def read_field(
    rule: FieldRule, scope: etree._Element, page: Page, owners: frozenset[etree._Element]
) -> Reading:
    """The value of a field in an item or on a page; of several places the first that has one."""
    some = False
    for candidates in _places(rule, scope, page, owners):
        found = list(candidates)
        some = some or bool(found)
        known = [(each.value, each.origin) for each in found if each.value is not None]
        if not known:
            continue
        if rule.type != "list":
            return Reading(known[0][0], known[0][1], some=True)
        return Reading(_bounded(value for value, _ in known), known[0][1], some=True)
    return Reading(some=some)


def _places(
    rule: FieldRule, scope: etree._Element, page: Page, owners: frozenset[etree._Element]
) -> Iterator[Iterator[_Found]]:
    for source in rule.source:
        yield _in_source(source, rule, scope, page)
    for selector in rule.select:
        yield _in_elements(selector, rule, scope, page, owners)


def _kind(rule: FieldRule) -> str:
    return rule.of if rule.type == "list" else rule.type


def _in_source(source: str, rule: FieldRule, scope: etree._Element, page: Page) -> Iterator[_Found]:
    kind, _, path = source.partition(":")
    if kind == "url":
        yield from _in_url(path, source, rule, page)
        return
    # Both stand in the elements of an item; all else is about the page as a whole.
    is_own = kind in ("microdata", "table") and scope is not page.root
    data = page.declared_by(scope) if is_own else page.data
    if data is not None:
        currency = _currency_beside(source, data) if _kind(rule) == "money" else ""
        for value in islice(data.lookup(source), MAX_ITEMS):
            read = read_data(value, rule, _kind(rule), page.base, page.language, currency)
            yield _Found(read, source)


def _in_url(expression: str, source: str, rule: FieldRule, page: Page) -> Iterator[_Found]:
    """What the first group of an expression finds in the page's URL, or all that it finds."""
    found = compile_expression(expression).search(page.url)
    if found is None:
        return
    text = clean((found.group(1) if found.re.groups else found.group(0)) or "", rule.clean)
    if text:
        yield _Found(read_text(text, _kind(rule), page.base, page.language), source)


def _currency_beside(source: str, data: Lookup) -> str:
    head, separator, last = _split(source)
    beside = _CURRENCIES.get(last)
    if beside is None:
        return ""
    said = data.lookup(head + separator + beside)
    code = str(said[0]).strip().upper() if said else ""
    return code if len(code) == 3 and code.isascii() and code.isalpha() else ""


def has_currency(source: str) -> bool:
    """Whether a source is an amount beside which its currency is said."""
    return _split(source)[2] in _CURRENCIES


def _split(source: str) -> tuple[str, str, str]:
    """A path without its last name, and that name: dots divide JSON-LD, colons meta tags."""
    return source.rpartition(":" if source.startswith("meta:") else ".")


def _in_elements(
    selector: str,
    rule: FieldRule,
    scope: etree._Element,
    page: Page,
    owners: frozenset[etree._Element],
) -> Iterator[_Found]:
    nodes = iter(select(selector, scope))
    if owners:
        nodes = filter(lambda node: _belongs(node, scope, owners), nodes)
    limit = MAX_ITEMS if rule.type == "list" else MAX_TRIED
    for node in _shown_first(list(islice(nodes, limit))):
        some, value = read_node(node, rule, _kind(rule), page.base, page.language)
        if some:
            yield _Found(value, _path(node, selector) if page.trace else selector)
            if value is not None and rule.type != "list":
                return


def _belongs(node: Any, scope: etree._Element, owners: frozenset[etree._Element]) -> bool:
    """Whether what was found is not that of an item inside of this one."""
    element = _element_of(node)
    while element is not None and element is not scope:
        if element in owners:
            return scope not in element.iterancestors()
        element = element.getparent()
    return True


def _shown_first(nodes: list[Any]) -> list[Any]:
    """What is shown before what is not: pages repeat things for other screens."""
    if len(nodes) < 2:
        return nodes
    hidden = [element is not None and is_hidden(element) for element in map(_element_of, nodes)]
    if all(hidden) or not any(hidden):
        return nodes
    return [node for node, is_it in zip(nodes, hidden, strict=True) if not is_it] + [
        node for node, is_it in zip(nodes, hidden, strict=True) if is_it
    ]


def _element_of(node: Any) -> etree._Element | None:
    if isinstance(node, etree._Element):
        return node
    return node.getparent() if hasattr(node, "getparent") else None


def _path(node: Any, selector: str) -> str:
    element = _element_of(node)
    return selector if element is None else str(element.getroottree().getpath(element))


def _bounded(values: Iterable[Scalar]) -> list[Scalar]:
    """The items of a list, as many as a value may have; the same text or link counts once."""
    kept: list[Scalar] = []
    seen: set[object] = set()
    room = MAX_TEXT
    for value in values:
        room -= len(in_words(value))
        if value in seen or room < 0:
            continue
        if not isinstance(value, bool | int | float):
            seen.add(value)
        kept.append(value)
    return kept
