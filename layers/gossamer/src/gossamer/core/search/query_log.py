"""What people ask, counted by day: the query, how often, how many results, how many clicks.

Nothing says who asked, from where, or at which moment: what comes in is a query and a day.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import msgspec

MAX_QUERY: Final = 200  # characters that are kept
MAX_DAYS: Final = 366
DAY: Final = 86_400


class QueryCount(msgspec.Struct, frozen=True, kw_only=True):
    """A query, and what became of it."""

    query: str  # in small letters, each space once
    asked: int
    hits: int  # results, when it was asked last
    clicks: int


class QueryReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked in some days."""

    days: int
    asked: int  # queries in all
    most: list[QueryCount]
    no_result: list[QueryCount]
    no_click: list[QueryCount]  # that had results


class Noted(NamedTuple):
    """What is to be added to a query's counts."""

    query: str
    asked: int = 0
    clicks: int = 0
    hits: int | None = None  # None: not known

    def plus(self, later: Noted) -> Noted:
        """Both as one, of the same query."""
        hits = self.hits if later.hits is None else later.hits
        return Noted(self.query, self.asked + later.asked, self.clicks + later.clicks, hits)


def tidy(query: str) -> str:
    """A query as it is counted: spelling stays, case and spaces do not matter."""
    return " ".join(query.casefold().split())[:MAX_QUERY]


def day_of(now: float) -> int:
    """The day of a moment, since 1970."""
    return int(now // DAY)


def merged(counts: list[QueryCount]) -> list[QueryCount]:
    """Counts of several days, later ones last, as one of each query."""
    asked, clicks, hits = Counter[str](), Counter[str](), dict[str, int]()
    for each in counts:
        asked[each.query] += each.asked
        clicks[each.query] += each.clicks
        if each.asked:
            hits[each.query] = each.hits
    return [
        QueryCount(query=query, asked=n, hits=hits.get(query, 0), clicks=clicks[query])
        for query, n in asked.items()
    ]


def report(counts: list[QueryCount], days: int, limit: int) -> QueryReport:
    """The most asked of all, of those that find nothing, and of those without a click."""
    ordered = sorted(merged(counts), key=lambda each: (-each.asked, each.query))
    return QueryReport(
        days=days,
        asked=sum(each.asked for each in ordered),
        most=ordered[:limit],
        no_result=[each for each in ordered if not each.hits][:limit],
        no_click=[each for each in ordered if each.hits and not each.clicks][:limit],
    )
