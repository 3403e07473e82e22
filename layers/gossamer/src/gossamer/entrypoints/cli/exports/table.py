"""`gossamer export --what table`: a row for each document with values, a column for each value."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from gossamer import homes
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.search.result_table import ALL, row_of
from gossamer.entrypoints.cli.command import DONE, cause, encodable
from gossamer.entrypoints.local.report import counted
from gossamer.entrypoints.tables.columns import learn
from gossamer.entrypoints.tables.formats import lines_of
from gossamer.entrypoints.tables.parquet_file import write_parquet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from gossamer.core.search.result_table import Row
    from gossamer.ports.home import Home

    Rows = Callable[[], Iterator[Row]]

MOST_HITS = 1000  # of a page of results


def export_table(home: Home, args: argparse.Namespace) -> int:
    """Write the table that the arguments name. Its columns are those that any row has."""
    if args.query is None:
        rows: Rows = partial(_documents, home, args.template)
    else:
        rows = partial(_hits, home, args.query, args.template)
    try:
        count = _write(rows, args)
    except QueryError as error:
        message = f"cannot read the query {args.query!r}: {error}"
        raise ConfigurationError(message) from error
    except OSError as error:
        raise ConfigurationError(f"cannot write {args.output}: {cause(error)}") from error
    if args.output:
        print(f"{counted(count, 'row')} in {args.output}", file=sys.stderr)
    if not count:
        print(f"gossamer: {_why_empty(args)}", file=sys.stderr)
    return DONE


def _why_empty(args: argparse.Namespace) -> str:
    if args.query is not None:
        return f"nothing with values matches {args.query!r}"
    of = f" of the template {args.template}" if args.template else ""
    return f"no document{of} has values; a template, or what pages declare, gives them some"


def _documents(home: Home, template: str) -> Iterator[Row]:
    """All documents that have values and may be found."""
    closed = {record.id for record in home.urls.closed()}
    for page in home.documents.all():
        if page.id in closed:
            continue
        for document in page.documents.values():
            if document.values and template in ("", document.template):
                yield row_of(document.title, document.url, document.values)


def _hits(home: Home, query: str, template: str) -> Iterator[Row]:
    """What a query finds, in its order."""
    searcher = homes.searcher(home)
    filters = [f'template:"{template}"'] if template else []
    number, total = 1, 1
    while (number - 1) * MOST_HITS < total:
        page = searcher.search(
            query, page=number, limit=MOST_HITS, similar="all", fields=[ALL], filters=filters
        )
        yield from (row_of(hit.title, hit.url, hit.values) for hit in page.hits if hit.values)
        number, total = number + 1, page.total if page.hits else 0


def _write(rows: Rows, args: argparse.Namespace) -> int:
    columns = learn(rows())
    if args.format == "parquet":
        return write_parquet(rows(), columns, args.output)
    format = "jsonl" if args.json else args.format
    lines = lines_of(rows(), columns.names, format)
    heads = int(format == "csv")  # lines that are no rows
    if not args.output:
        return _print(lines, sys.stdout) - heads
    with Path(args.output).open("w", newline="", encoding="utf-8") as out:
        return _print(lines, out) - heads


def _print(lines: Iterable[str], out: TextIO) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007 counted on purpose
        out.write(encodable(line, out))
    return count
