"""What does each kind of query read in a stack?

Synthetic documents go to INDEX over moto, as in cloud_index. Then each kind of query is asked of a
process of its own, which has opened the index and knows nothing else: the first one reads what its
kind needs of every segment (columns, words, suggestions), the others find that in memory. Read
units and GETs are counted; the budget of a query is that of the API.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from random import Random
from statistics import mean

from gossamer.core.page.document import Document
from gossamer.entrypoints.api.services import MOST_READS
from gossamer.search.budget import Budget
from gossamer.search.searcher import Searcher
from scripts.bench.contenders.index_on_aws import Index, open_index
from scripts.bench.machine.progress import log as say
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import corpora, debian_sites, synthetic_documents
from scripts.bench.worlds.worst_queries import LETTERS

SIZES = "20000,100000"
ASKED = 20  # queries of each kind, after the first
SAMPLED = 2_000  # documents from which words are taken
WORDS = 3_000  # the most frequent ones
MAX_WARM = 30.0  # read units and GETs of a query, on average, when what its kind needs is known
SHORTEST = 6  # letters of a word that is typed wrongly
TYPED = 3  # letters that a suggestion is asked for

Words = Iterator[str]
# Asks one query; whether its answer is only a part.
Ask = Callable[[Searcher, Words, Budget], bool]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default=SIZES, help=f"documents, ascending; default: {SIZES}")


def mistyped(word: str) -> str:
    """A word with one letter twice, as hands slip."""
    return f"{word[:3]}{word[2:]}"


def _long(words: Words) -> str:
    return next(word for word in words if len(word) >= SHORTEST)


def _searches(make: Callable[[Words], str], **how: object) -> Ask:
    def ask(searcher: Searcher, words: Words, budget: Budget) -> bool:
        return searcher.search(make(words), budget, **how).partial  # type: ignore[arg-type]

    return ask


def _suggests(searcher: Searcher, words: Words, budget: Budget) -> bool:
    return searcher.suggest(next(words)[:TYPED], 10, budget).partial


def _two(words: Words) -> str:
    return f"{next(words)} {next(words)}"


KINDS: dict[str, Ask] = {
    "two words": _searches(_two),
    "a beginning, `wor*`": _searches(lambda words: f"{next(words)[:TYPED]}*"),
    "a tilde, `wrod~`": _searches(lambda words: f"{mistyped(_long(words))}~"),
    "one of two words misspelt": _searches(lambda words: f"{next(words)} {mistyped(_long(words))}"),
    "two words with two synonyms each": _searches(_two),
    "two words, three facets": _searches(_two, facets=("site", "lang", "date")),
    "two words, three filters": _searches(lambda w: f"{_two(w)} lang:en kind:page date:2020.."),
    "two words, by date": _searches(_two, sort="-date"),
    "a completion": _suggests,
    "every beginning": _searches(lambda words: f"{LETTERS} | {next(words)}"),
}
WITH_SYNONYMS = "two words with two synonyms each"
UNBOUNDED = "every beginning"  # may be answered in part


@dataclass(frozen=True, slots=True)
class Read:
    """What queries of one kind read."""

    kind: str
    first: tuple[float, float]  # RRU and GETs
    others: tuple[float, float]  # of one, on average
    most: float  # RRU and GETs together
    most_warm: float  # the same, without the first
    ms: float  # of waiting, on average, without the first
    partial: int

    def row(self, documents: int) -> Row:
        """A line of the table."""
        return {
            "asked": f"{self.kind}, {documents:,}",
            "first: RRU, GET": f"{self.first[0]:.1f}, {self.first[1]:.0f}",
            "then: RRU, GET": f"{self.others[0]:.1f}, {self.others[1]:.1f}",
            "most": f"{self.most:.1f}",
            "ms": f"{self.ms:.0f}",
            "in part": str(self.partial),
        }


@dataclass(frozen=True, slots=True)
class Size:
    """The index at one size."""

    documents: int
    segments: int
    read: list[Read]


def measure(settings: argparse.Namespace) -> Report:
    """Index, ask, index more."""
    sizes = [int(size) for size in settings.sizes.split(",")]
    originals = [corpora.real(settings, name) for name in debian_sites.DEFAULT]
    found = (document for corpus in originals for document in corpora.documents(corpus))
    documents = synthetic_documents.documents(found, sizes[-1])
    with open_index() as index:
        measured = list(_grow(index, documents, sizes))
    return Report(
        question="cloud_queries",
        rows=[read.row(size.documents) for size in measured for read in size.read],
        claims=_claims(measured),
        runs=[asdict(size) for size in measured],
        summary={"most": max(read.most for size in measured for read in size.read)},
        notes=[f"{size.documents:,} documents: {size.segments} segments" for size in measured],
    )


def _grow(index: Index, documents: Iterator[Document], sizes: Sequence[int]) -> Iterator[Size]:
    seen: Counter[str] = Counter()
    for size in sizes:
        new = list(islice(documents, size - index.documents))
        for document in new[:SAMPLED]:
            seen.update({w for w in document.text.lower().split() if w.isalpha() and len(w) > 3})
        index.feed(new)
        words = [word for word, _ in seen.most_common(WORDS)]
        read = [_read(index, kind, ask, words) for kind, ask in KINDS.items()]
        found = Size(size, len(index.home.index.manifest().segments), read)
        say("\n".join(map(str, read)))
        yield found


def _read(index: Index, kind: str, ask: Ask, words: Sequence[str]) -> Read:
    shuffled = list(words)
    Random(7).shuffle(shuffled)
    synonyms = _synonyms(words) if kind == WITH_SYNONYMS else ()
    searcher, made = index.counting_searcher(synonyms)
    searcher.search("warm")  # opens the segments
    waiting, totals = iter(shuffled), index.home.meter.totals
    reads, waits, partial = [], [], 0
    for _ in range(1 + ASKED):
        before = totals()
        with index.counted("query") as effort:
            budget = Budget(most_reads=MOST_READS, reads=made)
            partial += ask(searcher, waiting, budget)
        after = totals()
        reads.append((after["rru"] - before["rru"], after["s3get"] - before["s3get"]))
        waits.append(1000 * effort.waited)
    first, *others = reads
    return Read(
        kind,
        first,
        (mean(rru for rru, _ in others), mean(gets for _, gets in others)),
        max(map(sum, reads)),
        max(map(sum, others)),
        mean(waits[1:]),
        partial,
    )


def _synonyms(words: Sequence[str]) -> list[str]:
    """Rules by which each of the words has two synonyms, among the others."""
    return [", ".join(words[n : n + 3]) for n in range(0, len(words) - 2, 3)]


def _claims(measured: Sequence[Size]) -> list[Claim]:
    every = [read for size in measured for read in size.read]
    dearest = max(read.most for read in every)
    bounded = [read for read in every if read.kind != UNBOUNDED]
    known = max(sum(read.others) for read in bounded)
    return [
        at_most("read units and GETs of any query", MOST_READS, dearest, ".1f"),
        at_most("the same, on average, once its kind is known", MAX_WARM, known, ".1f"),
        at_most("queries that are answered in part", 0, sum(read.partial for read in bounded), "d"),
    ]
