"""Typed values of what a field finds: an element, a text, or a value of structured data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from gossamer.core.page.templates.addresses import absolute, image_of, largest, link_of
from gossamer.core.page.templates.cleaning import clean
from gossamer.core.page.templates.element_text import html_of, text_of
from gossamer.core.page.value_texts import read_bool, read_day, read_money, read_number
from gossamer.core.page.values import MAX_NUMBER, MAX_TEXT, Image, Link, Money, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.page.templates.template import FieldRule

MAX_KEYWORD: Final = 256
MAX_LABEL: Final = 500  # characters of what a link or a picture is called
# Attributes in which pages say the same for machines.
_FOR_MACHINES = ("content", "datetime", "value")
_SAID_BY_ATTRIBUTE = {"meta": "content", "input": "value", "img": "alt"}


def read_node(
    node: Any, rule: FieldRule, kind: str, base: str, language: str
) -> tuple[bool, Scalar | None]:
    """Whether there is anything, and the value that it is; None if it is not of the kind."""
    if isinstance(node, etree._Element) and not rule.attribute and kind in ("link", "image"):
        return _address(node, kind, base)
    some = False
    for text in _texts(node, rule, kind):
        cleaned = clean(text, rule.clean) if rule.clean else text
        some = some or bool(cleaned.strip())
        if (value := read_text(cleaned, kind, base, language)) is not None:
            return True, value
    return some, None


def read_text(text: str, kind: str, base: str, language: str, currency: str = "") -> Scalar | None:
    """A text as a value of a kind; None for what is none."""
    if kind in ("link", "image"):
        leads = absolute(largest(text) if kind == "image" and " " in text.strip() else text, base)
        made: Callable[[str], Scalar] = Link if kind == "link" else Image
        return made(leads) if leads else None
    if kind == "html":
        return text.strip()[:MAX_TEXT] or None
    line = " ".join(text.split())[:MAX_TEXT].rstrip()
    match kind:
        case "number":
            return _bounded(read_number(line, language))
        case "money":
            money = read_money(line, language, currency)
            return money if money and _bounded(money.amount) is not None else None
        case "date":
            return read_day(line, language)
        case "bool":
            return read_bool(line)
        case "keyword":
            return line[:MAX_KEYWORD].rstrip() or None
    return line or None


def read_data(
    value: object, rule: FieldRule, kind: str, base: str, language: str, currency: str
) -> Scalar | None:
    """A value of structured data as one of a kind."""
    match value:
        case bool():
            return value if kind == "bool" else None
        case int() | float() if kind == "number":
            return _bounded(float(value))
        case int() | float() if kind == "money" and _bounded(float(value)) is not None:
            return Money(float(value), currency)
        case dict():
            value = _named(value, kind)
    text = clean(str(value), rule.clean)
    return read_text(text, kind, base, language, currency)


def _named(value: dict[str, Any], kind: str) -> str:
    """What stands for a thing: where it is, or what it is called."""
    keys = ("url", "contentUrl", "@id") if kind in ("link", "image") else ("name", "@value")
    return next((str(value[key]) for key in keys if isinstance(value.get(key), str | int)), "")


def _address(node: etree._Element, kind: str, base: str) -> tuple[bool, Scalar | None]:
    if kind == "link":
        leads = link_of(node, base)
        return True, Link(leads, text_of(node, MAX_LABEL)) if leads else None
    leads, text = image_of(node, base)
    return True, Image(leads, text[:MAX_LABEL]) if leads else None


def _texts(node: Any, rule: FieldRule, kind: str) -> Iterator[str]:
    """The texts in which a value may stand, the best first."""
    if not isinstance(node, etree._Element):
        yield _in_text(node)
    elif rule.attribute:
        yield (node.get(rule.attribute.lower()) or "")[:MAX_TEXT]
    elif kind == "html":
        yield html_of(node, MAX_TEXT)
    elif (name := _SAID_BY_ATTRIBUTE.get(node.tag)) is not None:
        yield (node.get(name) or "")[:MAX_TEXT]
    else:
        yield from _text_or_attribute(node, kind)


def _text_or_attribute(node: etree._Element, kind: str) -> Iterator[str]:
    """Text, and what says the same for machines: before it for dates, after it for the rest."""
    said = [node.get(name) for name in _FOR_MACHINES] if kind not in ("text", "keyword") else []
    plain = [text[:MAX_TEXT] for text in said if text]
    if kind == "date":
        yield from plain
    yield text_of(node, MAX_TEXT)
    if kind != "date":
        yield from plain


def _in_text(found: object) -> str:
    """What an XPath computes, as a text."""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float):
        return f"{found:.15g}"
    return str(found)[: 8 * MAX_TEXT]


def _bounded(number: float | None) -> float | None:
    """A number that a value may be; infinite ones and those that are none are not equal to it."""
    return number if number is not None and -MAX_NUMBER <= number <= MAX_NUMBER else None
