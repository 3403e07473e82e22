"""Does an index of a million documents hold what one of 100,000 promises?

It is built, asked, updated, cleaned of deleted documents, merged and built anew.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from gossamer import homes
from gossamer.ports.home import Home
from gossamer.settings import Settings
from scripts.bench.contenders import search_engines
from scripts.bench.contenders.search_engines import Answers
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.environments import run_json
from scripts.bench.machine.processes import run
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import indexed_corpora, sample_queries
from scripts.bench.worlds.indexed_corpora import Indexed

LARGE, SMALL = 1_000_000, 100_000
LONG = "eight common"  # the kind of the longest queries
CHANGED = 20  # every so many documents are updated, and others deleted: 5 %
MAX_INDEXING_GROWTH, MAX_QUERY_GROWTH = 10.0, 2.0
MAX_PEAK_MB = 500.0
MAX_MISSPELT_MS, MAX_EIGHT_WORDS_MS = 15.0, 25.0  # p50 at a million documents
MAX_OPENING_MS, MAX_OPENING_MB = 200.0, 60.0


@dataclass(frozen=True, slots=True)
class Step:
    """A command over the whole collection."""

    name: str
    seconds: float
    peak_mb: float
    live: int
    segments: int

    def row(self) -> Row:
        """A line of the report."""
        return {
            "step": self.name,
            "seconds": f"{self.seconds:.1f}",
            "largest process MB": f"{self.peak_mb:.0f}",
            "documents": f"{self.live:,}",
            "segments": str(self.segments),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=LARGE, help="of the large corpus")
    parser.add_argument("--small", type=int, default=SMALL, help="documents of the small one")
    parser.add_argument("--per-kind", type=int, default=sample_queries.PER_KIND, help="queries")
    parser.add_argument("--reuse", action="store_true", help="take the indexes of an earlier run")


def measure(settings: argparse.Namespace) -> Report:
    """Index both corpora, ask both, then change a copy of the large one."""
    small = indexed_corpora.of_size(settings, settings.small)
    large = indexed_corpora.of_size(settings, settings.documents)
    asked = sample_queries.draw(small.corpus, settings.per_kind)
    few, many = search_engines.gossamer(small, asked), search_engines.gossamer(large, asked)
    misspelt = search_engines.gossamer(
        large, sample_queries.draw_misspelt(small.corpus, settings.per_kind)
    )
    opened = _opened(large)
    steps = _changed(large, settings)
    return Report(
        question="million",
        rows=[step.row() for step in steps],
        claims=[
            *_growth(small, large, few, many),
            at_most("misspelt, p50", MAX_MISSPELT_MS, misspelt.times().p50, unit=" ms"),
            at_most("eight words, p50", MAX_EIGHT_WORDS_MS, many.times(LONG).p50, unit=" ms"),
            *_opening(opened),
            _memory(large, steps),
        ],
        runs=[few.record(), many.record(), misspelt.record()],
        summary={"small": small.record(), "large": large.record(), "opening": opened},
        notes=[
            f"p50 {few.times().p50:.2f} ms at {settings.small:,} documents,"
            f" {many.times().p50:.2f} ms (p99 {many.times().p99:.2f}) at {settings.documents:,}"
        ],
    )


def _growth(small: Indexed, large: Indexed, few: Answers, many: Answers) -> list[Claim]:
    times = large.corpus.documents / small.corpus.documents
    indexing = large.seconds / small.seconds * 10 / times
    asking = many.times().p50 / few.times().p50
    return [
        at_most("10 x documents: indexing", MAX_INDEXING_GROWTH, indexing, unit=" x"),
        at_most(f"{times:g} x documents: p50", MAX_QUERY_GROWTH, asking, unit=" x"),
    ]


def _opening(opened: dict[str, float]) -> list[Claim]:
    return [
        at_most("opening", MAX_OPENING_MS, opened["ms"], ".0f", " ms"),
        at_most("opening: memory of its own", MAX_OPENING_MB, opened["mb"], ".0f", " MB"),
    ]


def _memory(large: Indexed, steps: list[Step]) -> Claim:
    peak = max(large.peak_mb, *(step.peak_mb for step in steps))
    return at_most("largest process", MAX_PEAK_MB, peak, ".0f", " MB")


def _opened(large: Indexed) -> dict[str, float]:
    """What opening takes, in a process of its own."""
    command: list[str | Path] = [sys.executable, "-m", "scripts.bench.contenders.open_gossamer"]
    found: dict[str, float] = run_json(command, {"data": str(large.data)})
    return found


def _changed(large: Indexed, settings: argparse.Namespace) -> list[Step]:
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        data = Path(folder) / "data"
        shutil.copytree(large.data, data)
        return [
            _step("5 % updated", settings, data, _update, "index"),
            _step("5 % deleted", settings, data, _delete, "index"),
            _step("merged into one", settings, data, None, "compact"),
            _step("indexed anew", settings, data, None, "reindex"),
        ]


def _step(
    name: str,
    settings: argparse.Namespace,
    data: Path,
    prepare: Callable[[Home], None] | None,
    *command: str,
) -> Step:
    """Change what is stored, then run a command, which alone is timed."""
    if prepare:
        with closing(homes.open_home(Settings(data=str(data)))) as home:
            prepare(home)
    finished = run([settings.gossamer, *command, "--data", data, "--json"], limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"{' '.join(command)}: exit {finished.code}: {finished.errors[-500:]}")
    with closing(homes.open_home(Settings(data=str(data)), read_only=True)) as home:
        manifest = home.index.manifest()
    log(f"{name}: {finished.seconds:.1f} s, {manifest.live:,} documents")
    return Step(name, finished.seconds, finished.peak_mb, manifest.live, len(manifest.segments))


def _update(home: Home) -> None:
    """Every twentieth page says something new."""
    for page in list(islice(home.documents.all(), 0, None, CHANGED)):
        found = [replace(each, text=f"{each.text}\nUpdated.") for each in page.documents.values()]
        home.documents.put(page.id, found, page.fetched_at + 1.0)
    home.commit()


def _delete(home: Home) -> None:
    """The pages after them have no document any more."""
    for page in list(islice(home.documents.all(), 1, None, CHANGED)):
        home.documents.put(page.id, [], page.fetched_at + 1.0)
    home.commit()
