"""The values of columns, read from documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.index import schema
from gossamer.core.index.declared import currency_of, stored_name
from gossamer.core.page.values import Date, Money, Scalar, each, in_words
from gossamer.core.registrable_domain import registrable_domain
from gossamer.core.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.index.declared import Column, DeclaredType
    from gossamer.core.index.segments.columns import Value
    from gossamer.core.index.segments.stored import Stored

MAX_KEYWORD: Final = 256  # characters; what is longer is text


def standard(documents: Sequence[Stored]) -> dict[str, Sequence[Value]]:
    """The columns that every document has; a record of a removal has nothing in them."""
    hosts = [host_of(document.url) for document in documents]
    return {
        schema.URL: [document.url for document in documents],
        schema.HOST: hosts,
        schema.DOMAIN: [registrable_domain(host) if host else None for host in hosts],
        schema.LANGUAGE: [document.language for document in documents],
        schema.KIND: [document.kind for document in documents],
        schema.TEMPLATE: [document.template for document in documents],
        schema.PUBLISHED: [schema.day_of(document.date) for document in documents],
    }


def declared(
    columns: Mapping[str, Column], documents: Sequence[Stored]
) -> dict[str, Sequence[Value]]:
    """The columns that a collection declares."""
    found: dict[str, Sequence[Value]] = {}
    for name, column in columns.items():
        read = _READERS[column.type]
        found[stored_name(name, column.type)] = [read(document, name) for document in documents]
        if column.type == "money":
            found[currency_of(name)] = [_currency(document, name) for document in documents]
    return found


def keyword(scalar: Scalar) -> str | None:
    """A value as it is compared and counted; None for none."""
    return " ".join(in_words(scalar).split())[:MAX_KEYWORD].rstrip() or None


def keywords_of(document: Stored, names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The keywords that a document has in some fields."""
    return [(name, _keywords(document, name)) for name in names]


def _number(scalar: Scalar) -> float | None:
    match scalar:
        case bool():
            return None
        case int() | float():
            return float(scalar)
        case Money(amount, _):
            return amount
        case _:
            return None


def _day(scalar: Scalar) -> int | None:
    match scalar:
        case Date(text) | str(text):
            return schema.day_of(text)
        case _:
            return None


def _truth(scalar: Scalar) -> str | None:
    return keyword(scalar) if isinstance(scalar, bool) else None


def _currency_of(scalar: Scalar) -> str | None:
    return scalar.currency or None if isinstance(scalar, Money) else None


def _keywords(document: Stored, name: str) -> list[str]:
    known = map(keyword, each(document.values.get(name, [])))
    return list(dict.fromkeys(value for value in known if value))


def _first(read: Callable[[Scalar], Value]) -> Callable[[Stored, str], Value]:
    """Of several values the first that fits counts."""

    def first(document: Stored, name: str) -> Value:
        known = map(read, each(document.values.get(name, [])))
        return next((value for value in known if value is not None), None)

    return first


_currency = _first(_currency_of)
_READERS: Final[dict[DeclaredType, Callable[[Stored, str], Value]]] = {
    "keyword": _first(keyword),
    "keywords": _keywords,
    "number": _first(_number),
    "date": _first(_day),
    "bool": _first(_truth),
    "money": _first(_number),
}
