"""Relevance metrics of a ranking.

Measures of a ranking against the judgements of people, as TREC defines them: a query counts if at
least one document is relevant to it (grade above 0), and a mean is over those queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Grades: TypeAlias = "Mapping[str, float]"  # of the judged documents of one query

_NDCG_DEPTH: Final = 10
_PRECISION_DEPTH: Final = 5
_RECALL_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Quality:
    """What one ranking, or the mean of many, is worth: 0 to 1."""

    ndcg_at_10: float
    map: float  # average precision, over all relevant documents
    p_at_5: float
    r_precision: float
    mrr: float
    recall_at_100: float

    def by_name(self) -> dict[str, float]:
        """Under the names that people know."""
        return {
            "ndcg@10": self.ndcg_at_10,
            "map": self.map,
            "p@5": self.p_at_5,
            "r-precision": self.r_precision,
            "mrr": self.mrr,
            "recall@100": self.recall_at_100,
        }


def quality(ranking: Sequence[str], grades: Grades) -> Quality | None:
    """The quality of one ranking, best document first; None if no document is relevant."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    if not relevant:
        return None
    ranking = list(dict.fromkeys(ranking))  # a document counts once, at its best rank
    hits = [document in relevant for document in ranking]
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    return Quality(
        ndcg_at_10=_ndcg(ranking[:_NDCG_DEPTH], grades),
        map=sum(found / rank for found, rank in enumerate(ranks, 1)) / len(relevant),
        p_at_5=sum(hits[:_PRECISION_DEPTH]) / _PRECISION_DEPTH,
        r_precision=sum(hits[: len(relevant)]) / len(relevant),
        mrr=1 / ranks[0] if ranks else 0.0,
        recall_at_100=sum(hits[:_RECALL_DEPTH]) / len(relevant),
    )


def mean_quality(
    rankings: Mapping[str, Sequence[str]], judgements: Mapping[str, Grades]
) -> tuple[Quality, int]:
    """The mean over all judged queries, and how many they are. No ranking is an empty one."""
    qualities = [
        found
        for query, grades in judgements.items()
        if (found := quality(rankings.get(query, ()), grades))
    ]
    count = len(qualities)
    means = [
        math.fsum(getattr(found, field.name) for found in qualities) / max(1, count)
        for field in fields(Quality)
    ]
    return Quality(*means), count


def _ndcg(ranking: Sequence[str], grades: Grades) -> float:
    ideal = sorted([grade for grade in grades.values() if grade > 0], reverse=True)
    gains = [max(0.0, grades.get(document, 0.0)) for document in ranking]
    return _dcg(gains) / _dcg(ideal[:_NDCG_DEPTH])


def _dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


# Lines of the files of a collection in BEIR's layout.


class Entry(msgspec.Struct, frozen=True):
    """A document or a query of a judged collection."""

    id: str
    title: str
    text: str
    metadata: dict[str, str | float] = {}  # numbers and texts


class Judgement(msgspec.Struct, frozen=True):
    """How relevant a document is to a query."""

    query: str
    document: str
    grade: float


class _JsonLine(msgspec.Struct):
    id: str | int = msgspec.field(name="_id")
    title: str | None = None
    text: str | None = None
    metadata: dict[str, object] | None = None


_DECODER: Final = msgspec.json.Decoder(_JsonLine)


def parse_entry(line: str) -> Entry:
    """A line of corpus.jsonl or queries.jsonl; ValueError if it is none."""
    try:
        found = _DECODER.decode(line)
    except msgspec.DecodeError as error:
        raise ValueError(f"no line of a judged collection: {error}") from None
    given = (found.metadata or {}).items()
    metadata = {name: value for name, value in given if isinstance(value, str | int | float)}
    return Entry(str(found.id), found.title or "", found.text or "", metadata)


def parse_qrels_line(line: str) -> Judgement | None:
    """A line of qrels.tsv: three columns, or TREC's four; None for a header and an empty line."""
    columns = line.split()
    if not columns or columns[0].startswith("#"):
        return None
    if len(columns) not in (3, 4):
        raise ValueError(f"a judgement has 3 or 4 columns: {line.strip()[:80]!r}")
    try:
        grade = float(columns[-1])
    except ValueError:
        if columns[0].lower().replace("_", "-") in ("query-id", "qid", "query", "topic"):
            return None
        raise ValueError(f"the grade of a judgement is no number: {line.strip()[:80]!r}") from None
    if not math.isfinite(grade):
        raise ValueError(f"the grade of a judgement is no number: {line.strip()[:80]!r}")
    return Judgement(columns[0], columns[-2], grade)
