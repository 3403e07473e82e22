"""Time the same queries on the same documents: Gossamer, SQLite FTS5 and tantivy."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.machine.environments import interpreter, run_json
from scripts.bench.machine.percentiles import Times, times
from scripts.bench.machine.progress import log
from scripts.bench.worlds.corpora import Corpus
from scripts.bench.worlds.indexed_corpora import Indexed
from scripts.bench.worlds.sample_queries import Query

TOP = 10  # results that are compared
PASSES = 4  # the first is cold; of the others the median time of each query counts


@dataclass(frozen=True, slots=True)
class Answers:
    """The times of one engine, in the order of the queries."""

    engine: str
    kinds: list[str]
    cold: list[float]  # ms
    warm: list[float]  # ms
    cpu: list[float]  # ms of CPU time, warm; other load on the machine changes it less
    cold_cpu: list[float]  # the same, cold
    facts: dict[str, Any]
    hits: list[int]  # how many results each query has, up to ten

    def times(self, kind: str = "") -> Times:
        """Warm times of the queries of one kind, or of all."""
        return times(self._of(self.warm, kind))

    def cold_times(self, kind: str = "") -> Times:
        """Times of the first pass."""
        return times(self._of(self.cold, kind))

    def cpu_times(self, kind: str = "") -> Times:
        """CPU times, warm."""
        return times(self._of(self.cpu, kind))

    def _of(self, all_times: Sequence[float], kind: str) -> list[float]:
        pairs = zip(self.kinds, all_times, strict=True)
        return [taken for of_kind, taken in pairs if kind in ("", of_kind)]

    def has_hits_like(self, other: "Answers", kind: str) -> float:
        """Return the share of the queries of a kind that both engines answer equally fully."""
        pairs = zip(self.kinds, self.hits, other.hits, strict=True)
        equal = [mine == theirs for of_kind, mine, theirs in pairs if of_kind == kind]
        return sum(equal) / len(equal)

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        by_kind = {kind: self.times(kind).record() for kind in dict.fromkeys(self.kinds)}
        return {
            "engine": self.engine,
            **self.facts,
            "warm": self.times().record(),
            "cold": self.cold_times().record(),
            "cpu": self.cpu_times().record(),
            "kinds": by_kind,
        }


def gossamer(indexed: Indexed, asked: Sequence[Query]) -> Answers:
    """Gossamer, on an existing index."""
    return _answers("gossamer", Path(sys.executable), {"data": str(indexed.data)}, asked)


def fts5(corpus: Corpus, asked: Sequence[Query], cache: Path) -> Answers:
    """SQLite's full-text search, on a new index."""
    return _peer("fts5", Path(sys.executable), corpus, asked, cache)


def tantivy(corpus: Corpus, asked: Sequence[Query], cache: Path, threads: int = 1) -> Answers:
    """tantivy, on a new index that so many threads write."""
    python = interpreter(cache, "search-peers", "tantivy")
    return _peer("tantivy", python, corpus, asked, cache, threads=threads)


def _peer(
    name: str, python: Path, corpus: Corpus, asked: Sequence[Query], cache: Path, **task: int
) -> Answers:
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as folder:
        texts = {"texts": str(corpus.texts), "folder": folder}
        return _answers(name, python, {**texts, **task}, asked)


def _answers(name: str, python: Path, task: dict[str, Any], asked: Sequence[Query]) -> Answers:
    """The times of the engine `name`, whose syntax a query has under the same name."""
    task |= {"queries": [getattr(query, name) for query in asked], "passes": PASSES}
    said = run_json([python, "-m", f"scripts.bench.contenders.search_{name}"], task)
    cold, *warm = said.pop("ms")
    cold_cpu, *cpu = said.pop("cpu_ms")
    kinds = [query.kind for query in asked]
    hits = [min(TOP, count) for count in said.pop("results")]
    facts = said | {"without_results": hits.count(0)}
    answers = Answers(name, kinds, cold, _medians(warm), _medians(cpu), cold_cpu, facts, hits)
    log(f"{name}: p50 {answers.times().p50:.2f} ms, p99 {answers.times().p99:.2f} ms")
    return answers


def _medians(passes: list[list[float]]) -> list[float]:
    return [median(taken) for taken in zip(*passes, strict=True)]
