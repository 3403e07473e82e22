"""What a collection declares about the values of its documents: columns and text fields.

A column is what filters, facets and sorting read; a text field is searched for its words. Both are
filled from `Document.values` by name when a document is indexed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from gossamer.core.errors import SettingError
from gossamer.core.index import schema
from gossamer.core.page.values import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.index.segments.columns import ColumnType

Weight = Annotated[float, msgspec.Meta(ge=0, le=1000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]
DeclaredType: TypeAlias = Literal["keyword", "keywords", "number", "date", "bool", "money"]

MAX_COLUMNS: Final = 32
CURRENCY: Final = "_currency"  # price_currency: of the money in the column price
_is_name = re.compile(NAME, re.ASCII).fullmatch
# Names that the query language or the index already uses.
RESERVED: Final = frozenset(
    {*schema.COLUMNS, *schema.FIELDS, "text", "id", "rank", "relevance", "score"}
    | {"site", "lang", "date", "before", "after"}
)
_STORED: Final[dict[DeclaredType, ColumnType]] = {
    "keyword": "keyword",
    "keywords": "keywords",
    "number": "float",
    "date": "day",
    "bool": "keyword",
    "money": "float",
}


class Column(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column: the type of its values, and whether they are counted and sorted by."""

    type: DeclaredType
    facet: bool = False
    sort: bool = False


class TextField(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text field: how its words count, and whether plain words are looked for in it."""

    weight: Weight = 1.0
    b: Share = 0.5  # how much its length matters
    pivot: Positive = 20.0  # its usual length, in words
    searched: bool = True  # else only by its name: summary:silk


def stored_name(name: str, type: DeclaredType) -> str:
    """What a declared column is called in a segment.

    With its type: after a change of the type, what old segments have is another column.
    """
    return f"{name}.{type}"


def currency_of(name: str) -> str:
    """What the currencies of a column of money are called in a segment."""
    return f"{name}.currency"


def stored_types(columns: Mapping[str, Column]) -> dict[str, ColumnType]:
    """The columns of a segment that declared ones become."""
    types = {stored_name(name, each.type): _STORED[each.type] for name, each in columns.items()}
    money = [currency_of(name) for name, each in columns.items() if each.type == "money"]
    return types | dict.fromkeys(money, "keyword")


def check_declared(columns: Mapping[str, Column], fields: Iterable[str]) -> None:
    """Raise SettingError for names that cannot be, for too much, and for what cannot work."""
    fields = list(fields)
    if len(columns) > MAX_COLUMNS:
        raise SettingError(f"a collection declares at most {MAX_COLUMNS} columns", ["columns"])
    if len(fields) > schema.MAX_DECLARED:
        raise SettingError(
            f"a collection declares at most {schema.MAX_DECLARED} text fields, not {len(fields)}",
            ["fields"],
        )
    for table, names in (("columns", columns), ("fields", fields)):
        for name in names:
            _check_name(name, [table, name])
    for name, column in columns.items():
        _check_column(name, column, columns)


def _check_name(name: str, key: Sequence[str]) -> None:
    if not _is_name(name):
        raise SettingError(
            f"{name!r} is no name: small letters, digits and _, a letter first, at most 40", key
        )
    if name in RESERVED:
        raise SettingError(f"{name!r} is a name of Gossamer's own; choose another", key)


def _check_column(name: str, column: Column, columns: Mapping[str, Column]) -> None:
    if column.facet and column.type == "number":
        raise SettingError(
            f"columns.{name}: numbers cannot be counted as a facet; declare a keyword or a date",
            ["columns", name],
        )
    if column.sort and column.type == "keywords":
        raise SettingError(
            f"columns.{name}: a document has several keywords: no sorting", ["columns", name]
        )
    if column.type == "money" and name + CURRENCY in columns:
        raise SettingError(
            f"columns.{name}{CURRENCY}: the money in {name!r} has this column already",
            ["columns", name + CURRENCY],
        )
