"""The columns of a table that is too long to hold: names and types, learned in a first pass."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from gossamer.core.search.result_table import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.result_table import Cell, Row

ColumnKind: TypeAlias = Literal["number", "truth", "list", "text"]


@dataclass(slots=True)
class Columns:
    """The names of columns in their order, and what is in each."""

    names: list[str] = field(default_factory=list)
    kinds: dict[str, ColumnKind] = field(default_factory=dict)


def learn(rows: Iterable[Row]) -> Columns:
    """The columns that some rows have. What differs from row to row is text."""
    met: dict[str, Cell] = {}
    kinds: dict[str, set[ColumnKind]] = defaultdict(set)
    for row in rows:
        met |= dict.fromkeys(row)
        for name, cell in row.items():
            kinds[name].add(_kind(cell))
    found: dict[str, ColumnKind] = {
        name: next(iter(several)) if len(several) == 1 else "text"
        for name, several in kinds.items()
    }
    return Columns(columns_of([met]), found)


def _kind(cell: Cell) -> ColumnKind:
    match cell:
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case list():
            return "list"
        case _:
            return "text"
