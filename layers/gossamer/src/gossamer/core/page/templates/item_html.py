"""The HTML of an item, as if it were a page of its own."""

from __future__ import annotations

from itertools import islice
from typing import Final

from lxml import etree

FIRST_ROWS: Final = 20  # of a table, among which its headers are


def html_of(item: etree._Element) -> str:
    """An item with all in it; a row in a table that has the headers of its own."""
    if item.tag != "tr":
        return _written(item)
    headers = _headers(item)
    return f"<table>{_written(headers) if headers is not None else ''}{_written(item)}</table>"


def _headers(row: etree._Element) -> etree._Element | None:
    """The last row of headers before a row, of the first rows of its table."""
    table = next(row.iterancestors("table"), None)
    found = None
    for each in islice(table.iter("tr"), FIRST_ROWS) if table is not None else ():
        if each is row:
            break
        cells = [cell.tag for cell in each if cell.tag in ("th", "td")]
        found = each if cells and set(cells) == {"th"} else found
    return found


def _written(element: etree._Element) -> str:
    text: str = etree.tostring(element, encoding="unicode", method="html", with_tail=False)
    return text
