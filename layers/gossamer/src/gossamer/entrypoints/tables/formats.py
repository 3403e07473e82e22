"""Rows as CSV and as JSON lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.search.result_table import columns_of, row_of
from gossamer.entrypoints.tables.cells import in_csv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.search.result import Hit
    from gossamer.core.search.result_table import Row

FORMATS: Final = ("csv", "jsonl")
_encode = msgspec.json.Encoder().encode


def table_lines(hits: Sequence[Hit], fields: Sequence[str], format: str) -> Iterator[str]:
    """Results as a table in one of the formats."""
    rows = [row_of(hit.title, hit.url, hit.values) for hit in hits]
    return lines_of(rows, columns_of(rows, fields), format)


def lines_of(rows: Iterable[Row], columns: Sequence[str], format: str) -> Iterator[str]:
    """Rows in one of the formats."""
    return (csv_lines if format == "csv" else json_lines)(rows, columns)


def csv_lines(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[str]:
    """Lines of CSV, the names of the columns first."""
    yield _line(columns)
    for row in rows:
        yield _line([in_csv(row.get(name)) for name in columns])


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def json_lines(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[str]:
    """A JSON object for each row, with the cells that it has."""
    for row in rows:
        yield _encode({name: row[name] for name in columns if name in row}).decode() + "\n"
