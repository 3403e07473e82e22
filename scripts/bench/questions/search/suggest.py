"""How long do completions take while one types?

In process, over the synthetic corpus: titles are typed letter by letter, as a search box asks, and
some of them with a mistake. The first answer opens the entries of all segments; it counts apart.
"""

import argparse
import random
import time
from contextlib import closing

from gossamer import homes
from gossamer.core.index.segments.reader import Segment
from gossamer.core.index.suggestions.region import SUGGESTIONS
from gossamer.ports.home import Home
from gossamer.search.searcher import Searcher
from gossamer.settings import Settings
from scripts.bench.machine.percentiles import times
from scripts.bench.report import Report, Row, at_most
from scripts.bench.worlds import indexed_corpora

DOCUMENTS = 100_000
TITLES = 150
MOST_LETTERS = 12
LIMIT = 8
MAX_P50, MAX_P99 = 4.0, 25.0  # ms
MAX_SHARE = 5.0  # % of the index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--reuse", action="store_true", help="take the index of an earlier run")


def measure(settings: argparse.Namespace) -> Report:
    """Type titles, right and with a mistake."""
    large = indexed_corpora.of_size(settings, settings.documents)
    with closing(homes.open_home(Settings(data=str(large.data)), read_only=True)) as home:
        searcher = homes.searcher(home)
        first = _milliseconds(searcher, "a")
        titles = _titles(home)
        right = [title[:size] for title in titles for size in range(1, MOST_LETTERS + 1)]
        wrong = [_mistyped(title) for title in titles]
        taken = {
            kind: [_milliseconds(searcher, typed) for typed in asked]
            for kind, asked in (("as written", right), ("with a mistake", wrong))
        }
        share = 100 * _region_bytes(home) / large.index_bytes
    every = times([ms for each in taken.values() for ms in each])
    return Report(
        question="suggest",
        rows=[_row(kind, each) for kind, each in taken.items()],
        claims=[
            at_most("median", MAX_P50, every.p50, unit=" ms"),
            at_most("99th percentile", MAX_P99, every.p99, unit=" ms"),
            at_most("share of the index", MAX_SHARE, share, unit=" %"),
        ],
        runs=[{"kind": kind, "ms": round(ms, 3)} for kind, each in taken.items() for ms in each],
        summary={"documents": settings.documents, "first_ms": round(first, 1)},
        notes=[f"the first answer of a process: {first:.0f} ms"],
    )


def _milliseconds(searcher: Searcher, typed: str) -> float:
    began = time.perf_counter()
    searcher.suggest(typed, LIMIT)
    return 1000 * (time.perf_counter() - began)


def _titles(home: Home) -> list[str]:
    found = [
        document.title
        for page, _ in zip(home.documents.all(), range(20 * TITLES), strict=False)
        for document in page.documents.values()
        if len(document.title) >= MOST_LETTERS
    ]
    return random.Random(7).sample(found, min(TITLES, len(found)))


def _mistyped(title: str) -> str:
    """The beginning of a title with two letters in the other order."""
    place = random.Random(title).randrange(1, 6)
    return f"{title[:place]}{title[place + 1]}{title[place]}{title[place + 2 : 8]}"


def _region_bytes(home: Home) -> int:
    opened = [
        Segment(info.name, info.size, home.index.read) for info in home.index.manifest().segments
    ]
    regions = [each.footer.regions.get(SUGGESTIONS) for each in opened]
    return sum(region.size for region in regions if region is not None)


def _row(kind: str, taken: list[float]) -> Row:
    spread = times(taken)
    return {
        "typed": kind,
        "count": str(len(taken)),
        "p50 ms": f"{spread.p50:.2f}",
        "p99 ms": f"{spread.p99:.2f}",
        "max ms": f"{max(taken):.2f}",
    }
