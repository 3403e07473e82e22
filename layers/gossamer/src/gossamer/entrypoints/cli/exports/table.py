"""`gossamer export --what table`: a row for each document with values, a column for each value."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.search.result_table import ALL, columns_of, row_of
from gossamer.entrypoints.cli.command import DONE, cause, write_rows
from gossamer.entrypoints.local.report import counted
from gossamer.entrypoints.tables.columns import learn
from gossamer.entrypoints.tables.formats import lines_of
from gossamer.entrypoints.tables.items import Found, item_counts, one_of_each
from gossamer.entrypoints.tables.parquet_file import write_parquet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gossamer.core.search.result_table import Row
    from gossamer.entrypoints.tables.columns import Columns
    from gossamer.ports.home import Home

    Rows = Callable[[], Iterator[Row]]

MOST_HITS = 1000  # of a page of results
MOST_GROUPED = 10_000  # results


def export_table(home: Home, args: argparse.Namespace) -> int:
    """Write the table that the arguments name. Its columns are those that any row has."""
    if args.query is None:
        rows: Rows = _documents(home, args.template)
    else:
        rows = partial(_hits, home, args.query, args.template)
    try:
        count = _write(rows, args)
    except QueryError as error:
        message = f"cannot read the query {args.query!r}: {error}"
        raise ConfigurationError(message) from error
    except BrokenPipeError:  # the reader of standard output has seen enough
        raise
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


def _documents(home: Home, template: str) -> Rows:
    """All documents that have values and may be found; what several pages say of an item is one."""

    def found() -> Iterator[Found]:
        closed = {record.id for record in home.urls.closed()}
        for page in home.documents.all():
            if page.id in closed:
                continue
            for document in page.documents.values():
                if document.values and template in ("", document.template):
                    yield Found(document, page.fetched_at)

    names = item_counts(found())
    return lambda: (
        row_of(each.title, each.link or each.url, each.values)
        for each in one_of_each(found(), names)
    )


def _hits(home: Home, query: str, template: str) -> Iterator[Row]:
    """What a query finds, in its order; of what is the same one row, as in the search."""
    searcher = homes.searcher(home)
    filters = [f'template:"{template}"'] if template else []
    ask = partial(searcher.search, query, limit=MOST_HITS, fields=[ALL], filters=filters)
    # No more of them can be grouped.
    similar = "one" if ask(limit=1).total <= MOST_GROUPED else "all"
    number = 1
    while hits := ask(page=number, similar=similar).hits:
        yield from (row_of(hit.title, hit.url, hit.values) for hit in hits if hit.values)
        number += 1


def _write(rows: Rows, args: argparse.Namespace) -> int:
    columns = learn(rows())
    if args.fields and columns.names:
        _choose(columns, args.fields)
    if args.format == "parquet":
        return write_parquet(rows(), columns, args.output)
    format = "jsonl" if args.json else args.format
    lines = lines_of(rows(), columns.names, format)
    heads = int(format == "csv")  # lines that are no rows
    if not args.output:
        return write_rows(lines, format, sys.stdout) - heads
    with Path(args.output).open("w", newline="", encoding="utf-8") as out:
        return write_rows(lines, format, out) - heads


def _choose(columns: Columns, fields: list[str]) -> None:
    """Keep these columns, in this order."""
    if missing := [name for name in fields if name not in (*columns.names, ALL)]:
        known = ", ".join(columns.names)
        raise ConfigurationError(f"no row has a column {missing[0]!r}; there are {known}")
    columns.names = columns_of([dict.fromkeys(columns.names)], fields)
