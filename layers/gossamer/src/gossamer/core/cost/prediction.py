"""What a job will cost: by what a page of the stack has cost so far, or by an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.cost.prices import MILLION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.crawl.job import JobConfig

# US dollars for a page of a stack that has not fetched enough to know better: measured over moto
# with the default delay and four hosts (docs/performance.md). Without a delay it is less than half.
USUAL = 60.0 / MILLION
ENOUGH = 1000  # pages after which the stack's own cost is taken


class PageCost(NamedTuple):
    """What a page costs."""

    usd: float
    is_measured: bool

    def pages_for(self, usd: float) -> int:
        """How many pages so many dollars are enough for."""
        return round(usd / self.usd)


def page_cost(sums: Mapping[str, float]) -> PageCost:
    """The cost of a page by the sums of a stack."""
    pages, usd = sums.get("pages", 0), sums.get("usd", 0.0)
    if pages < ENOUGH or usd <= 0:
        return PageCost(USUAL, is_measured=False)
    return PageCost(usd / pages, is_measured=True)


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
