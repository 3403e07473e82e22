"""The command `gossamer export`: tables as CSV, JSON lines or Parquet, pages as WARC or WACZ."""

from __future__ import annotations

import csv
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import page_of
from gossamer.entrypoints.cli.command import DONE, cause, encodable, iso_time, names, settings_of
from gossamer.entrypoints.cli.exports.archive import export_archive
from gossamer.entrypoints.cli.exports.table import export_table
from gossamer.entrypoints.local.terminal import Display
from gossamer.entrypoints.tables.cells import harmless

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.messages import Link
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

    Row = dict[str, object]

A = TypeVar("A")
AT_ONCE = 500  # rows whose sources are looked up together

COLUMNS = {
    "urls": (
        "url", "state", "reason", "target", "depth", "host", "code", "size", "fetched_at", "tries",
        "found_on", "file", "offset", "length",
    ),
    "documents": (
        "id", "page", "url", "key", "title", "description", "language", "canonical",
        "published_at", "modified_at", "date", "date_source", "fetched_at", "text",
    ),
    "edges": ("source", "target", "anchor", "nofollow"),
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which table, in which format, and where to."""
    parser.add_argument(
        "--what", choices=(*COLUMNS, "table", "warc"), default="urls",
        help="which table; table: documents that have values, with a column for each; warc: the"
        " pages as they were fetched",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("csv", "jsonl", "parquet"), default="csv", help="in which format"
    )
    parser.add_argument(
        "--query", metavar="QUERY",
        help="table, warc: only what this finds, in its order (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--template", metavar="NAME", default="", help="table: only what this template has read"
    )
    parser.add_argument(
        "--fields", type=names, default=[], metavar="NAMES",
        help="table: these columns in this order, with commas between (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="FILE",
        help="write there instead of to the terminal; warc: FILE.warc.gz, or FILE.wacz for replay",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Export from this machine."""
    return export_to(homes.open_home(settings_of(args), read_only=True), args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Export from a stack."""
    return export_to(stack.home, args)


def export_to(home: Home, args: argparse.Namespace) -> int:
    """Write rows, or pages, where the arguments say."""
    if args.what == "warc":
        return export_archive(home, args)
    if args.query is not None and args.what != "table":
        raise ConfigurationError("--query goes with --what table or warc")
    if args.format == "parquet" and not args.output:
        raise ConfigurationError("Parquet goes to a file: give --output FILE")
    if args.what == "table":
        return export_table(home, args)
    if not args.output:
        export(home, args.what, "jsonl" if args.json else args.format, sys.stdout)
        return DONE
    try:
        count = _export_to_file(home, args)
    except OSError as error:
        raise ConfigurationError(f"cannot write {args.output}: {cause(error)}") from error
    print(f"{count:,} {args.what} in {args.output}", file=sys.stderr)
    return DONE


def _export_to_file(home: Home, args: argparse.Namespace) -> int:
    if args.format == "parquet":
        from gossamer.entrypoints.lambdas.parquet import write_parquet  # numpy: only this needs it

        return write_parquet(home, args.what, args.output)
    with Path(args.output).open("w", newline="", encoding="utf-8") as out:
        return export(home, args.what, args.format, out)


def export(home: Home, what: str, format: str, out: TextIO) -> int:
    """Write rows; returns how many."""
    rows = {"urls": _urls, "documents": _documents, "edges": _edges}[what](home)
    return _write_csv(rows, what, out) if format == "csv" else _write_jsonl(rows, out)


def _write_csv(rows: Iterable[Row], what: str, out: TextIO) -> int:
    writer = csv.DictWriter(Display(out), COLUMNS[what], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 counted on purpose
        writer.writerow({name: _cell(name, value) for name, value in row.items()})
    return count


def _cell(name: str, value: object) -> object:
    """Times as ISO 8601, as pages write theirs; JSON lines have seconds, for programs."""
    if name == "fetched_at" and isinstance(value, float):
        return iso_time(value)
    return harmless(value) if isinstance(value, str) else value


def _write_jsonl(rows: Iterable[Row], out: TextIO) -> int:
    encoder, count = msgspec.json.Encoder(), 0
    for count, row in enumerate(rows, 1):  # noqa: B007 counted on purpose
        out.write(encodable(encoder.encode(row).decode(), out) + "\n")
    return count


def _urls(home: Home) -> Iterator[Row]:
    for records in _portions(home.urls.all()):
        sources = home.urls.addresses({record.via for record in records if record.via})
        yield from (_url_row(record, sources.get(record.via, "")) for record in records)


def _portions(rows: Iterator[A]) -> Iterator[list[A]]:
    while some := list(islice(rows, AT_ONCE)):
        yield some


def _url_row(record: UrlRecord, found_on: str) -> Row:
    page = record.page
    return {
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
        "found_on": found_on,
        "file": page.file if page else "",
        "offset": page.offset if page else 0,
        "length": page.length if page else 0,
    }


def _documents(home: Home) -> Iterator[Row]:
    for page in home.documents.all():
        yield from map(_document_row, page.versions())


def _document_row(version: Version) -> Row:
    row: Row = {"id": version.id.hex(), "page": page_of(version.id).hex()}
    document = version.document
    row |= {name: getattr(document, name) for name in document.__struct_fields__}
    return row | {"fetched_at": version.fetched_at}


def _edges(home: Home) -> Iterator[Row]:
    for some in _portions(home.edges.all()):
        sources = home.urls.addresses({source for source, _ in some})
        for source, links in some:
            yield from (_edge_row(sources.get(source, ""), link) for link in links)


def _edge_row(source: str, link: Link) -> Row:
    return {"source": source, "target": link.url, "anchor": link.anchor, "nofollow": link.nofollow}
