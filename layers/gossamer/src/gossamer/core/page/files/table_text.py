"""Reader of tables in text files (CSV, TSV): a line for each row, the first row as headings."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, Final

from gossamer.core.page.charset import decode
from gossamer.core.page.files.file_text import MAX_CHARACTERS, FileText, page_of
from gossamer.core.page.plain_text import file_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.read_response import StoredResponse

MAX_ROWS: Final = 200_000
MAX_COLUMNS: Final = 200
_SAMPLE: Final = 8_192  # characters by which the separator is guessed
_SEPARATORS: Final = ",;\t|"


def read(response: StoredResponse, _rules: Rules) -> ParsedPage:
    """The document in a table."""
    text = decode(response.body, response.content_type).lstrip("\ufeff").replace("\0", "")
    rows = list(islice(_rows(text[:MAX_CHARACTERS]), MAX_ROWS))
    names = [cell for cell in rows[0] if cell] if rows else []
    found = FileText(
        kind="csv",
        text="\n".join(" ".join(filter(None, row)) for row in rows),
        title=file_name(response.url).rpartition(".")[0],
        headings=[(2, name) for name in names],
        values={"rows": max(len(rows) - 1, 0)},
    )
    return page_of(found, response.url)


def _rows(text: str) -> Iterable[list[str]]:
    """Rows of cells; a text that breaks the rules of CSV is read as lines."""
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text)):
            yield [" ".join(cell.split()) for cell in row[:MAX_COLUMNS]]
    except csv.Error:
        for line in text.splitlines():
            yield [" ".join(line.split())]


def _separator(text: str) -> str:
    """The sign that the first lines have as often as each other, or else most often."""
    lines = [line for line in text[:_SAMPLE].splitlines()[:20] if line.strip()]
    return max(_SEPARATORS, key=lambda sign: _regularity([line.count(sign) for line in lines]))


def _regularity(counts: list[int]) -> tuple[int, int]:
    return (min(counts, default=0), sum(counts))
