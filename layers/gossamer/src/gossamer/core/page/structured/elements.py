"""Meta tags and tables of a page, by their names and headers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_METAS: Final = 500
MAX_ROWS: Final = 2_000  # of all tables
MAX_CELLS: Final = 20_000
MAX_CELL: Final = 1_000  # characters

_ROWS: Final = etree.XPath("//tr[th or td]", regexp=False)
_TERMS: Final = etree.XPath("//dl/dt | //dl/div/dt", regexp=False)


def tree_of(html: str) -> etree._Element | None:
    """The tree of a page; None if there is nothing in it."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)
    try:
        return etree.fromstring(html.encode("utf-8", "replace") or b" ", parser)
    except etree.XMLSyntaxError:
        return None


def read_metas(html: str) -> dict[str, list[str]]:
    """The contents of meta tags by name."""
    found: dict[str, list[str]] = defaultdict(list)
    tree = tree_of(html)
    if tree is None:
        return {}
    for number, meta in enumerate(tree.iter("meta")):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        content = meta.get("content")
        if name and content and number < MAX_METAS:
            found[name.strip().lower()].append(content)
    return dict(found)


def read_tables(html: str) -> dict[str, list[str]]:
    """The cells of tables and lists of terms, by their headers in small letters."""
    tree = tree_of(html)
    found: dict[str, list[str]] = defaultdict(list)
    if tree is not None:
        for name, cell in [*_cells(tree), *_terms(tree)]:
            if name and cell:
                found[name.rstrip(":\uff1a ").casefold()].append(cell)
    return dict(found)


def _cells(tree: etree._Element) -> Iterator[tuple[str, str]]:
    """Header and cell: of the row if it begins with one, else of the column."""
    columns: dict[etree._Element, list[str]] = {}
    left = MAX_CELLS
    rows = _ROWS(tree)
    for row in rows[:MAX_ROWS] if isinstance(rows, list) else ():
        cells = [cell for cell in row if cell.tag in ("th", "td")][:100]
        left -= len(cells)
        table = next(row.iterancestors("table"), None)
        if left < 0 or table is None:
            return
        texts = [text_of(cell) for cell in cells]
        if all(cell.tag == "th" for cell in cells):
            columns[table] = texts
        elif cells[0].tag == "th" and len(cells) == 2 and len(columns.get(table, ())) != 2:
            yield texts[0], texts[1]
        else:
            yield from zip(columns.get(table, ()), texts, strict=False)


def _terms(tree: etree._Element) -> Iterator[tuple[str, str]]:
    terms = _TERMS(tree)
    for term in terms[:MAX_ROWS] if isinstance(terms, list) else ():
        said = term.getnext()
        if said is not None and said.tag == "dd":
            yield text_of(term), text_of(said)


def text_of(element: etree._Element) -> str:
    """The text in an element, in one line."""
    pieces, size = [], 0
    for piece in element.itertext():
        pieces.append(piece)
        size += len(piece)
        if size > 4 * MAX_CELL:
            break
    return " ".join("".join(pieces).split())[:MAX_CELL]
