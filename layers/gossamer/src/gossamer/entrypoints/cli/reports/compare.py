"""Two settings on one judged collection: which is better, on which queries, and is it chance?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.search.metrics import quality
from gossamer.core.search.significance import paired_p
from gossamer.entrypoints.local.terminal import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.search.metrics import Grades

MEASURES = ("ndcg@10", "map", "p@5", "r-precision")
DECIDES = "ndcg@10"  # which queries have won and lost
SHOWN = 5  # winners and losers, in text
SURE = 0.05  # the p below which a difference is called significant


class Measure(msgspec.Struct, frozen=True):
    """The means of a measure under both settings, and how often each is better."""

    first: float
    second: float
    difference: float
    p: float  # how likely so large a difference is by chance
    wins: int  # queries that the second settings answer better
    losses: int


class JudgedQuery(msgspec.Struct, frozen=True):
    """A query under both settings."""

    id: str
    text: str
    first: float
    second: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What two settings are worth on a judged collection."""

    first: str
    second: str
    queries: int
    measures: dict[str, Measure]
    winners: list[JudgedQuery]  # by nDCG@10, the most improved first
    losers: list[JudgedQuery]


def compare(
    names: tuple[str, str],
    rankings: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]],
    judged: Mapping[str, Grades],
    queries: Mapping[str, str],
) -> Comparison:
    """Compare the rankings by two settings, query by query."""
    first, second = ({id: _values(each, judged, id) for id in judged} for each in rankings)
    known = [id for id in judged if first[id] and second[id]]
    pairs = [
        JudgedQuery(id, queries.get(id, ""), first[id][DECIDES], second[id][DECIDES])
        for id in known
    ]
    better = [each for each in pairs if each.second > each.first]
    worse = [each for each in pairs if each.second < each.first]
    return Comparison(
        first=Path(names[0]).name,
        second=Path(names[1]).name,
        queries=len(known),
        measures={
            name: _measure([(first[id][name], second[id][name]) for id in known])
            for name in MEASURES
        },
        winners=sorted(better, key=lambda each: each.first - each.second),
        losers=sorted(worse, key=lambda each: each.second - each.first),
    )


def _values(
    ranking: Mapping[str, Sequence[str]], judged: Mapping[str, Grades], id: str
) -> dict[str, float]:
    found = quality(ranking.get(id, ()), judged[id])
    return found.by_name() if found else {}


def _measure(pairs: Sequence[tuple[float, float]]) -> Measure:
    count = max(1, len(pairs))
    differences = [second - first for first, second in pairs]
    return Measure(
        round(sum(first for first, _ in pairs) / count, 4),
        round(sum(second for _, second in pairs) / count, 4),
        round(sum(differences) / count, 4),
        round(paired_p(differences), 4),
        sum(each > 0 for each in differences),
        sum(each < 0 for each in differences),
    )


def comparison_text(folder: str, found: Comparison) -> str:
    """For people."""
    return "\n".join(_lines(folder, found))


def _lines(folder: str, found: Comparison) -> Iterator[str]:
    yield f"{folder}: {found.queries} queries, {found.first} and {found.second}"
    yield f"{'':12}{'first':>10}{'second':>10}{'difference':>12}{'p':>9}{'better':>8}{'worse':>7}"
    for name, each in found.measures.items():
        sure = "  significant" if each.p < SURE else ""
        yield (
            f"{name:12}{each.first:10.4f}{each.second:10.4f}{each.difference:+12.4f}{each.p:9.4f}"
            f"{each.wins:8}{each.losses:7}{sure}"
        )
    yield from _some("won", found.winners)
    yield from _some("lost", found.losers)


def _some(title: str, queries: Sequence[JudgedQuery]) -> Iterator[str]:
    for each in queries[:SHOWN]:
        text = harmless(each.text)[:60]
        yield f"{title:5} {each.first:.3f} -> {each.second:.3f}  {each.id}: {text}"
    if len(queries) > SHOWN:
        yield f"{title:5} and {len(queries) - SHOWN} more"
