"""Rows as columns that stand beneath each other in a terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from gossamer.entrypoints.local.terminal import harmless
from gossamer.entrypoints.tables.cells import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.search.result_table import Cell, Row

WIDEST: Final = 40  # characters of a column; what is longer is cut
GAP: Final = "  "


def aligned(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[str]:
    """A line of names and a line for each row; numbers stand to the right."""
    cells = [[_cut(row.get(name)) for name in columns] for row in rows]
    is_right = [_has_numbers(rows, name) for name in columns]
    table = [list(columns), *cells]
    widths = [max(_width(line[at]) for line in table) for at in range(len(columns))]
    for line in table:
        padded = map(_padded, line, widths, is_right)
        yield GAP.join(padded).rstrip()


def _has_numbers(rows: Sequence[Row], name: str) -> bool:
    known = [row[name] for row in rows if row.get(name) is not None]
    return bool(known) and all(type(cell) in (int, float) for cell in known)


def _cut(cell: Cell) -> str:
    text = " ".join(harmless(shown(cell)).split())
    if _width(text) <= WIDEST:
        return text
    while _width(text) >= WIDEST:
        text = text[:-1]
    return text + "…"


def _padded(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if is_right else text + space


def _width(text: str) -> int:
    """Places in a terminal: characters of East Asia take two, accents of their own none."""
    if text.isascii():
        return len(text)
    return sum(_places(character) for character in text)


def _places(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
