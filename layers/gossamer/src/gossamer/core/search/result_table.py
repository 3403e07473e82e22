"""Documents as a table: a row for each, a column for each of their values.

An amount of money becomes two columns, as in the index: `price` is a number by which a spreadsheet
sorts, and `price_currency` stands beside it. A link or a picture is its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from gossamer.core.index.declared import CURRENCY
from gossamer.core.page.values import Date, Image, Link, Money, each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.core.page.values import Scalar, Value

Plain: TypeAlias = str | int | float | bool
Cell: TypeAlias = Plain | list[Plain] | None
Row: TypeAlias = "Mapping[str, Cell]"

TITLE, URL = "title", "url"
LEAD: Final = (TITLE, URL)  # the columns that every table has, before those of the values
ALL: Final = "*"


def row_of(title: str, url: str, values: Mapping[str, Value]) -> Row:
    """A document as a row; a value called like a column of every table does not hide that."""
    row: dict[str, Cell] = {TITLE: title, URL: url}
    for name, value in values.items():
        for column, cell in _cells(name, value):
            row.setdefault(column, cell)
    return row


def _cells(name: str, value: Value) -> Iterator[tuple[str, Cell]]:
    scalars = each(value)
    cells = [_plain(scalar) for scalar in scalars]
    yield name, cells if isinstance(value, list) else cells[0]
    currency = next((s.currency for s in scalars if isinstance(s, Money) and s.currency), "")
    if currency:
        yield name + CURRENCY, currency


def _plain(scalar: Scalar) -> Plain:
    match scalar:
        case Money(amount, _):
            return amount
        case Date(text) | Link(text, _) | Image(text, _):
            return text
        case _:
            return scalar


def columns_of(rows: Iterable[Row], wanted: Sequence[str] = (ALL,)) -> list[str]:
    """The columns of some rows: as they are wanted, or all in the order in which they come.

    Currencies stand behind their amounts.
    """
    met = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, None] = {}
    for name in (*LEAD, *(met if ALL in wanted else wanted)):
        columns[name] = None
        if name + CURRENCY in met:
            columns[name + CURRENCY] = None
    return list(columns)
