"""Typed values of a document: what a template reads in a page, such as a price or a brand.

Text, keywords, numbers and truths are what they are in JSON; what needs more than that says its
type. A value may also be a list of such.
"""

from __future__ import annotations

import math
import re
from datetime import date
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_VALUES: Final = 64  # names in a document
MAX_ITEMS: Final = 256  # of a list
MAX_TEXT: Final = 20_000  # characters of one text
MAX_CHARACTERS: Final = 100_000  # of all values of a document
MAX_NUMBER: Final = 2**53  # whole numbers up to this are the same as floats
NAME: Final = r"[a-z][a-z0-9_]{0,39}"
is_name = re.compile(NAME, re.ASCII).fullmatch
_is_currency = re.compile(r"[A-Z]{3}|", re.ASCII).fullmatch


class Money(msgspec.Struct, frozen=True, tag="money"):
    """An amount of money."""

    amount: float
    currency: str = ""  # ISO 4217, as EUR; "" if the page does not say it


class Date(msgspec.Struct, frozen=True, tag="date"):
    """A day."""

    on: str  # ISO 8601: 2024-05-31


class Link(msgspec.Struct, frozen=True, tag="link"):
    """Another page."""

    url: str
    text: str = ""


class Image(msgspec.Struct, frozen=True, tag="image"):
    """A picture, and the text that stands for it."""

    url: str
    text: str = ""


Scalar: TypeAlias = str | int | float | bool | Money | Date | Link | Image
Value: TypeAlias = Scalar | list[Scalar]


def each(value: Value) -> list[Scalar]:
    """The items of a list, or the one value."""
    return value if isinstance(value, list) else [value]


def in_words(scalar: Scalar) -> str:
    """A value as people write it."""
    match scalar:
        case bool():
            return "true" if scalar else "false"
        case int() | float():
            return f"{scalar:.15g}"
        case Money(amount, currency):
            return f"{amount:.15g} {currency}".rstrip()
        case Date(text) | Link(text, _) | Image(text, _) | str(text):
            return text


def check_values(values: Mapping[str, Value]) -> None:
    """Raise ValueError for values that are too many, too large or mean nothing."""
    if len(values) > MAX_VALUES:
        raise ValueError(f"a document has at most {MAX_VALUES} values, not {len(values)}")
    size = 0
    for name, value in values.items():
        if not is_name(name):
            raise ValueError(f"a value cannot be named {name!r}: small letters, digits and _")
        if len(each(value)) > MAX_ITEMS:
            raise ValueError(f"{name} has more than {MAX_ITEMS} items")
        for scalar in each(value):
            if fault := _fault(scalar):
                raise ValueError(f"{name} {fault}")
            size += sum(map(len, _texts(scalar)))
    if size > MAX_CHARACTERS:
        raise ValueError(f"the values of a document have at most {MAX_CHARACTERS:,} characters")


def _fault(scalar: Scalar) -> str:
    """What is wrong with a value; "" if nothing is."""
    match scalar:
        case bool():
            return ""
        case int() | float():
            return _fault_of_number(scalar)
        case Money(amount, currency):
            known = _is_currency(currency)
            return _fault_of_number(amount) if known else "has a currency that is none, as EUR"
        case Date(on):
            return "" if _is_day(on) else "has a day that is none: write 2024-05-31"
        case _:
            too_long = any(len(text) > MAX_TEXT for text in _texts(scalar))
            return f"is longer than {MAX_TEXT:,} characters" if too_long else ""


def _fault_of_number(number: float) -> str:
    return "" if math.isfinite(number) and abs(number) <= MAX_NUMBER else "is too large a number"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _texts(scalar: Scalar) -> Iterator[str]:
    match scalar:
        case str():
            yield scalar
        case Link(url, text) | Image(url, text):
            yield from (url, text)
