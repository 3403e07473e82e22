"""How does what was crawled leave as CSV or JSON lines?"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.adapters.local.home import LocalHome

COLUMNS = {
    "urls": (
        "url", "state", "reason", "target", "depth", "host", "code", "size", "fetched_at", "tries",
        "found_on", "file", "offset", "length",
    ),
    "documents": (
        "url", "title", "description", "language", "canonical", "published_at", "modified_at",
        "fetched_at", "text",
    ),
    "edges": ("source", "target", "anchor", "nofollow"),
}  # fmt: skip

# A cell that begins like this is a formula to a spreadsheet, and a page could have written it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def export(home: LocalHome, what: str, format: str, out: TextIO) -> int:
    """Write rows; returns how many."""
    rows = {"urls": _urls, "documents": _documents, "edges": _edges}[what](home)
    return _write_csv(rows, what, out) if format == "csv" else _write_jsonl(rows, out)


def _write_csv(rows: Iterable[dict[str, Any]], what: str, out: TextIO) -> int:
    writer = csv.DictWriter(out, COLUMNS[what], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 counted on purpose
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    return count


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value


def _write_jsonl(rows: Iterable[dict[str, Any]], out: TextIO) -> int:
    encoder, count = msgspec.json.Encoder(), 0
    for count, row in enumerate(rows, 1):  # noqa: B007 counted on purpose
        out.write(encoder.encode(row).decode() + "\n")
    return count


def _urls(home: LocalHome) -> Iterator[dict[str, Any]]:
    for record in home.urls.all():
        source = home.urls.get(record.via) if record.via else None
        page = record.page
        yield {
            "url": record.url,
            "state": record.state.value,
            "reason": record.reason,
            "target": record.target,
            "depth": record.depth,
            "host": record.host,
            "code": record.code,
            "size": record.size,
            "fetched_at": record.fetched_at,
            "tries": record.tries,
            "found_on": source.url if source else "",
            "file": page.file if page else "",
            "offset": page.offset if page else 0,
            "length": page.length if page else 0,
        }


def _documents(home: LocalHome) -> Iterator[dict[str, Any]]:
    for document, fetched_at in home.documents.all():
        full: dict[str, Any] = {
            name: getattr(document, name) for name in document.__struct_fields__
        }
        yield full | {"fetched_at": fetched_at}


def _edges(home: LocalHome) -> Iterator[dict[str, Any]]:
    for source, links in home.edges.all():
        record = home.urls.get(source)
        for link in links:
            yield {
                "source": record.url if record else "",
                "target": link.url,
                "anchor": link.anchor,
                "nofollow": link.nofollow,
            }
