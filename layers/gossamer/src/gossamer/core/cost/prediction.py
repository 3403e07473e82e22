"""What a job will cost: by what a page of the stack has cost so far, or by an estimate."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.cost.prices import MILLION, usd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.crawl.job import JobConfig

# US dollars for a page of a stack that has not fetched enough to know better: measured over moto
# with the default delay and four hosts (docs/performance.md). Without a delay it is less than half.
USUAL = 60.0 / MILLION
ENOUGH = 1000  # pages after which the stack's own cost is taken
# Write units a page of a ranking that finds no earlier one, and of merges by the number of
# documents (docs/performance.md): a larger index is merged more often.
FIRST_RANK_WRITES = 4.4
MERGE_WRITES = ((24_000, 0.0), (200_000, 0.41), (1_000_000, 0.85), (2_000_000, 1.3))
RANKINGS = "rankings"  # the counter of rankings that RANK has done


class PageCost(NamedTuple):
    """What a page costs."""

    usd: float
    is_measured: bool

    def pages_for(self, usd: float) -> int:
        """How many pages so many dollars are enough for."""
        return round(usd / self.usd)


class Prediction(NamedTuple):
    """What a crawl will cost, in US dollars."""

    usd: float
    ranking_usd: float  # of it: the first ranking, if the stack has done none


def predicted(sums: Mapping[str, float], pages: int) -> Prediction:
    """Predict the cost of so many pages from what the pages of a stack have cost so far."""
    done = int(sums.get("pages", 0))
    if not done:
        return Prediction(0.0, 0.0)
    merging = max(0.0, merge_writes(pages) - merge_writes(done))
    ranking = 0.0 if sums.get(RANKINGS) else usd({"wru": pages * FIRST_RANK_WRITES})
    more = usd({"wru": pages * merging}) + ranking
    return Prediction(usd(sums) / done * pages + more, ranking)


def merge_writes(documents: int) -> float:
    """Return the write units a page of merges until an index has so many documents."""
    for (smaller, low), (larger, high) in pairwise(MERGE_WRITES):
        if documents <= larger:
            share = math.log(max(documents, smaller) / smaller) / math.log(larger / smaller)
            return low + share * (high - low)
    return MERGE_WRITES[-1][1]


def page_cost(sums: Mapping[str, float]) -> PageCost:
    """The cost of a page by the sums of a stack."""
    pages, spent = sums.get("pages", 0), sums.get("usd", 0.0)
    if pages < ENOUGH or spent <= 0:
        return PageCost(USUAL, is_measured=False)
    return PageCost(spent / pages, is_measured=True)


def expected_usd(config: JobConfig, each: PageCost) -> float | None:
    """What all pages of a job will cost; None if it has no limit of pages."""
    return None if config.max_pages is None else config.max_pages * each.usd


def expectation(config: JobConfig, each: PageCost) -> str:
    """A sentence for who starts a job; empty if it has no limit."""
    expected, limit = expected_usd(config, each), config.max_usd
    known = "by what this stack has cost" if each.is_measured else "an estimate"
    if limit is not None and (expected is None or expected > limit):
        enough = f"max_usd = {limit:g} is enough for about {each.pages_for(limit):,} pages"
        if expected is None:
            return f"{enough} ({known}); then the job pauses"
        return f"{_all_pages(config, expected)} ({known}); {enough}: then the job pauses"
    return f"{_all_pages(config, expected)} ({known})" if expected is not None else ""


def _all_pages(config: JobConfig, expected: float) -> str:
    return f"{config.max_pages:,} pages will cost about ${expected:,.2f}"
