"""What stands in a cell of a CSV file, so that no page can write a formula into a spreadsheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gossamer.core.search.result_table import Cell

# A cell that begins like this is a formula to a spreadsheet, and a page could have written it.
FORMULA_STARTS: Final = (*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
BETWEEN: Final = "; "  # items of a list


def harmless(text: str) -> str:
    """A text that no spreadsheet computes."""
    # The csv module writes a lone "\r" without quotes, and to most readers it ends the row.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def in_csv(cell: Cell) -> str:
    """A cell as CSV has it. Numbers stay numbers, also those below zero."""
    if isinstance(cell, list):
        return harmless(BETWEEN.join(map(shown, cell)))
    return harmless(cell) if isinstance(cell, str) else shown(cell)


def shown(cell: Cell) -> str:
    """A cell as people read it."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int() | float():
            return f"{cell:.15g}"
        case list():
            return BETWEEN.join(map(shown, cell))
        case _:
            return cell
