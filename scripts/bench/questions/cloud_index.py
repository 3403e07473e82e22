"""What do the index and its queries cost on AWS, as the collection grows?

Feeds synthetic documents to INDEX in batches of a hundred, with COMPACT and MERGE as the stack
calls them, over moto in this process, and counts units, requests and rounds. Latency is modelled:
5 ms for a round of DynamoDB, 30 ms for one of S3. See contenders/index_on_aws.py.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from math import ceil
from random import Random
from statistics import mean

from gossamer.core.cost.aws_units import INDEX_TABLES
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.core.page.document import Document
from gossamer.entrypoints.lambdas.compact import POLICY
from scripts.bench.contenders.index_on_aws import Index, open_index
from scripts.bench.machine.progress import log as say
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import corpora, debian_sites, synthetic_documents

SIZES = "20000,50000,100000,200000"
ASKED = 20  # queries of each kind
SAMPLED = 2_000  # documents from which words are taken
WORDS = 3_000  # the most frequent ones, of which each is asked for once
MILLION = 1_000_000
ARRIVING = 24_000  # documents: eight merges of what INDEX made in five minutes
MAX_ROUNDS, MAX_READS, MAX_GETS = 4, 10.0, 12.0
MAX_WARM_ROUNDS, MAX_WRITES, MAX_SECONDS = 1, 1.5, 300.0

Words = Iterator[str]
KINDS: dict[str, Callable[[Words], str]] = {
    "two words": lambda words: f"{next(words)} {next(words)}",
    "three words": lambda words: f"{next(words)} {next(words)} {next(words)}",
    "a phrase": lambda words: f'"{next(words)} {next(words)}"',
    "a filter": lambda words: f"{next(words)} lang:en",
    "one word": next,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default=SIZES, help=f"documents, ascending; default: {SIZES}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What queries of one kind cost: means, and the most rounds."""

    kind: str
    rounds: float
    most_rounds: int
    reads: float  # RRU
    gets: float
    ms: float
    warm_rounds: int  # at most, when the same is asked again

    def row(self, when: str) -> Row:
        """A line of the table."""
        return {
            "asked": f"{self.kind}, {when}",
            "rounds": f"{self.rounds:.1f}",
            "at most": f"{self.most_rounds}",
            "RRU": f"{self.reads:.1f}",
            "GET": f"{self.gets:.1f}",
            "ms": f"{self.ms:.0f}",
            "again": f"{self.warm_rounds}",
        }


@dataclass(frozen=True, slots=True)
class Size:
    """The index at one size."""

    documents: int
    when: str
    segments: list[tuple[int, bool]]  # documents, and whether there are heads
    per_page: dict[str, float]  # units by kind: wru, rru, s3put, s3get
    head_writes: float  # WRU a document of a segment that got heads
    passes: float  # how often a document came into such a segment
    seconds: dict[str, float]  # of the longest call of each function, by the model
    asked: list[Asked]

    @property
    def with_heads(self) -> int:
        """How many segments have heads."""
        return sum(has for _, has in self.segments)


def measure(settings: argparse.Namespace) -> Report:
    """Index, ask, index more."""
    sizes = [int(size) for size in settings.sizes.split(",")]
    originals = [corpora.real(settings, name) for name in debian_sites.DEFAULT]
    found = (document for corpus in originals for document in corpora.documents(corpus))
    documents = synthetic_documents.documents(found, sizes[-1])
    with open_index() as index:
        measured = list(_grow(index, documents, sizes))
    return Report(
        question="cloud_index",
        rows=[asked.row(size.when) for size in measured for asked in size.asked],
        claims=_claims(measured),
        runs=[asdict(size) for size in measured],
        summary={"wru_at_a_million": writes_at(measured[-2], MILLION)},
        notes=[_told(size) for size in measured] + _formula(measured),
    )


def _grow(index: Index, documents: Iterator[Document], sizes: Sequence[int]) -> Iterator[Size]:
    seen: Counter[str] = Counter()
    for size in sizes:
        new = list(islice(documents, size - index.documents))
        for document in new[:SAMPLED]:
            seen.update({w for w in document.text.lower().split() if w.isalpha() and len(w) > 3})
        index.feed(new)
        yield _said(_size(index, seen, f"{size:,} while indexing"))
    index.settle()
    yield _said(_size(index, seen, f"{sizes[-1]:,} at rest"))
    index.merge_in_parts()
    yield _said(_size(index, seen, f"{sizes[-1]:,} in one segment"))


def _said(size: Size) -> Size:
    say("\n".join([_told(size), *(str(asked) for asked in size.asked)]))
    return size


def _size(index: Index, seen: Counter[str], when: str) -> Size:
    units: dict[str, float] = defaultdict(float)
    for (kind, table, _), count in index.home.meter.units.items():
        if kind.startswith("s3") or table in INDEX_TABLES:
            units[kind] += count
    heads = sum(n for (k, t, _), n in index.home.meter.units.items() if (k, t) == HEAD_WRITES)
    headed = sum(index.headed.values())
    segments = index.home.index.manifest().segments
    kept = dict(index.home.meter.units)
    asked = _ask(index, seen)
    index.home.meter.units.clear()  # queries are no part of the cost of indexing
    index.home.meter.units.update(kept)
    return Size(
        index.documents,
        when,
        [(info.documents, info.has_heads) for info in segments],
        {kind: count / index.documents for kind, count in units.items()},
        heads / headed if headed else 0.0,
        headed / index.documents,
        {name: max(e.modelled for e in calls) for name, calls in index.functions.items()},
        asked,
    )


HEAD_WRITES = "wru", "inverted_index"


def _ask(index: Index, seen: Counter[str]) -> list[Asked]:
    words = [word for word, _ in seen.most_common(WORDS)]
    Random(7).shuffle(words)
    waiting = iter(words)
    searcher = index.searcher()
    searcher.search("warm")  # opens the segments
    meter, found = index.home.meter, []
    for kind, make in KINDS.items():
        efforts, reads, gets, again = [], [], [], []
        for _ in range(ASKED):
            query, before = make(waiting), meter.totals()
            with index.counted("query") as effort:
                searcher.search(query)
            efforts.append(effort)
            reads.append(meter.totals()["rru"] - before["rru"])
            gets.append(meter.totals()["s3get"] - before["s3get"])
            with index.counted("query") as warm:
                searcher.search(query)
            again.append(sum(warm.rounds.values()))
        rounds = [sum(effort.rounds.values()) for effort in efforts]
        waited = 1000 * mean(effort.waited for effort in efforts)
        most = max(rounds)
        found.append(Asked(kind, mean(rounds), most, mean(reads), mean(gets), waited, max(again)))
    return found


def writes_at(size: Size, documents: int) -> float:
    """Write units a page at another size.

    What heads cost a document falls as segments grow, because they have few new frequent terms, so
    what was measured is an upper bound: W(N) = W_manifest + w * passes(N). Heads that are deleted
    again are in w.
    """
    without = size.per_page["wru"] - size.head_writes * size.passes
    return without + size.head_writes * passes_at(documents)


def passes_at(documents: int) -> float:
    """How often a document comes into a segment with heads, by the policy, until there are so many.

    Segments of eight batches' merges arrive, as they do while much is crawled.
    """
    segments: list[SegmentInfo] = []
    written = 0
    for number in range(ceil(documents / ARRIVING)):
        segments.append(_of_size(f"{number}", ARRIVING))
        written += ARRIVING
        while found := POLICY.choose(Manifest(segments=segments)):
            merged = _of_size(f"{number}+", sum(info.live for info in found))
            segments = [*(info for info in segments if info not in found), merged]
            written += merged.live
    return written / sum(info.live for info in segments)


def _of_size(name: str, documents: int) -> SegmentInfo:
    return SegmentInfo(name=name, size=documents, documents=documents, live=documents)


def join_at(size: Size, documents: int) -> float:
    """Seconds of the longest function at another size: parts stay as they are, joining grows."""
    return max(size.seconds["merge"], size.seconds["join"] * documents / size.documents)


def _claims(measured: Sequence[Size]) -> list[Claim]:
    *_, last, merged = measured
    two = last.asked[0]
    return [
        at_most("rounds of two new words, on average", MAX_ROUNDS, two.rounds),
        at_most("read units of them", MAX_READS, two.reads),
        at_most("GETs of them", MAX_GETS, two.gets),
        at_most("rounds of words that were asked for before", MAX_WARM_ROUNDS, two.warm_rounds),
        at_most("write units a page, measured", MAX_WRITES, last.per_page["wru"]),
        at_most("write units a page at a million", MAX_WRITES, writes_at(last, MILLION)),
        at_most("seconds of the longest function", MAX_SECONDS, max(merged.seconds.values())),
        at_most("the same at a million", MAX_SECONDS, join_at(merged, MILLION)),
    ]


def _told(size: Size) -> str:
    units = ", ".join(f"{kind} {count:.3f}" for kind, count in sorted(size.per_page.items()))
    times = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in size.seconds.items())
    return (
        f"{size.when}: {len(size.segments)} segments, {size.with_heads} with heads;"
        f" a page: {units}; longest calls: {times}"
    )


def _formula(measured: Sequence[Size]) -> list[str]:
    return [
        "W(N) = W_manifest + w * passes(N); w: WRU of heads a document and pass;"
        f" passes at a million: {passes_at(MILLION):.2f}",
        *(
            f"  w at {size.documents:,}: {size.head_writes:.2f}, passes {size.passes:.2f},"
            f" W there by the formula {writes_at(size, size.documents):.2f},"
            f" measured {size.per_page['wru']:.2f}"
            for size in measured
            if size.head_writes
        ),
    ]
