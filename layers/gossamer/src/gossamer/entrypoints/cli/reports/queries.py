"""The command `gossamer queries`: what people ask, what they do not find, what they do not open."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.search.query_log import MAX_DAYS, QueryReport, day_of, report
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local.terminal import harmless

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gossamer.core.search.query_log import QueryCount
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home

DESCRIPTION = """\
Print what was asked of the search page and the API: most asked, without results, without clicks.
The log is off unless the collection's settings turn it on; it has no addresses and no times.
"""
EXAMPLES = """\
examples:
  gossamer queries --days 7
  gossamer queries --forget                delete all that was logged

to turn it on, in collection.toml (`gossamer settings`):
  [query_log]
  on = true
  days = 30                                how long counts are kept
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How much to show."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("--days", type=int, default=30, metavar="N", help="the last N days (30)")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="queries in a list (20)")
    parser.add_argument("--forget", action="store_true", help="delete what was logged")


def run(args: argparse.Namespace) -> int:
    """Print the queries of a collection on this machine."""
    return _print(homes.open_home(settings_of(args), read_only=True), args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print the queries of a collection in a stack."""
    return _print(stack.home, args)


def _print(home: Home, args: argparse.Namespace) -> int:
    if not (1 <= args.days <= MAX_DAYS and 1 <= args.limit <= 1000):
        raise ConfigurationError(f"--days goes from 1 to {MAX_DAYS}, and --limit from 1 to 1000")
    if args.forget:
        home.queries.forget()
    today = day_of(time.time())
    counts = home.queries.read(today - args.days + 1, today)
    found = report(counts, args.days, args.limit)
    print_result(args, found, "\n".join(_lines(found, home.settings.get().query_log.on)))
    return DONE


def _lines(found: QueryReport, is_on: bool) -> Iterator[str]:
    times = "query" if found.asked == 1 else "queries"
    yield f"{found.asked:,} {times} in {found.days} days"
    if not is_on:
        yield "the log is off: [query_log] on = true in the settings turns it on"
    lists = (found.most, "most asked"), (found.no_result, "no result"), (found.no_click, "no click")
    for counts, title in lists:
        if counts:
            yield from ["", title, *map(_line, counts)]


def _line(count: QueryCount) -> str:
    numbers = f"{count.asked:>7,} ×  {count.hits:>7,} results  {count.clicks:>5,} clicks"
    return f"{numbers}  {harmless(count.query)}"
