"""Decide when a page is fetched again, and which page first.

A page that changes `rate` times a second is unchanged after t seconds with probability
exp(-rate * t). Without a budget it is due when that falls below a target. With a budget it is due
when a visit is worth the price, which is the same for all pages (computed in budget.py). A page
that changes far too often is worth little on purpose: it would be stale again at once, and the
request keeps two calmer pages fresh (Cho and Garcia-Molina, "Effective page refresh policies for
web crawlers", 2003).

Where requests are scarce, visits are so far apart that most find a change, and a page that is worth
a request looks like one that never is. So a page that changed at every visit is visited sooner,
until it did not change (`History.probe`). At most half of the requests are such probes.
"""

from __future__ import annotations

from heapq import nsmallest
from math import exp, inf, log, log1p, sqrt
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from gossamer.core.revisit.change_rate import DAY, HOUR, Prior

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.revisit.change_rate import History


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How fresh pages have to be, and what that may cost."""

    # A page visited at 0.7 is fresh 84 % of the time; 0.8 gives 90 % for 1.6 times the requests.
    target: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.7
    min_interval: float = HOUR
    max_interval: float = 60 * DAY
    price: float = 0.0  # seconds of freshness that a request must bring; 0 = there is no budget
    prior: Prior = Prior()

    def interval(self, rate: float, importance: float = 1.0, probe: float = inf) -> float:
        """Seconds between two visits of a page; with a budget, at most until its probe."""
        wanted = max(-log(self.target) / rate, seconds_until_worth(rate, self.price / importance))
        if self.price:
            wanted = min(wanted, probe)
        return min(max(wanted, self.min_interval), self.max_interval)


class Revisit(NamedTuple):
    """A page that may be due."""

    id: str
    rate: float
    last_at: float
    importance: float = 1.0
    probe: float = inf  # seconds after which a visit tells how often it changes


def next_visit(history: History, now: float, policy: Policy, importance: float = 1.0) -> float:
    """When a page is due: now if it was never visited, in the past if it is overdue."""
    if not history.last_at:
        return now
    # A clock that was set back must not delay a page for longer than its interval.
    rate = history.rate(policy.prior)
    return min(history.last_at, now) + policy.interval(rate, importance, history.probe)


def due(revisits: Iterable[Revisit], now: float, policy: Policy, limit: int) -> list[Revisit]:
    """Up to `limit` pages that are due, the most urgent first.

    Probes get at most half of the limit. Then come pages beyond the longest interval, the oldest
    first, then all others by worth. That is optimal for many pages: worth is their Whittle index.
    """

    def urgency(revisit: Revisit) -> tuple[float, float, str]:
        waited = now - revisit.last_at
        late = min(policy.max_interval - waited, 0.0)
        return late, -worth(revisit.rate, waited, revisit.importance), revisit.id

    are_due = [
        revisit
        for revisit in revisits
        if now - revisit.last_at >= policy.interval(revisit.rate, revisit.importance, revisit.probe)
    ]
    probes = _probes(are_due, now, policy, limit // 2)
    taken = {revisit.id for revisit in probes}
    others = (revisit for revisit in are_due if revisit.id not in taken)
    return probes + nsmallest(limit - len(probes), others, key=urgency)


def _probes(are_due: list[Revisit], now: float, policy: Policy, limit: int) -> list[Revisit]:
    """Pages visited to learn their rate, the least overdue first.

    A late probe finds a change again and tells as little as the visit before.
    """

    def lateness(revisit: Revisit) -> tuple[float, str]:
        return (now - revisit.last_at) / revisit.probe, revisit.id

    asked = (r for r in are_due if policy.price and now - r.last_at >= r.probe)
    return nsmallest(limit, asked, key=lateness)


def worth(rate: float, waited: float, importance: float = 1.0) -> float:
    """The seconds of freshness gained by visiting a page `waited` seconds after its last visit.

    It is the derivative of the mean freshness (f / rate) * (1 - exp(-rate / f)) by the frequency f
    of visits: (1 - (1 + x) exp(-x)) / rate, where x = rate * waited.
    """
    x = rate * waited
    return importance * (1 - (1 + x) * exp(-x)) / rate


def seconds_until_worth(rate: float, price: float) -> float:
    """Seconds until a visit is worth `price`; infinite for a page that changes too often."""
    if price * rate >= 1:
        return inf
    # With q = -log(1 - price * rate) this is the root of x - log(1 + x) = q. Newton's method from
    # q + sqrt(2q), which is never below the root: three steps leave an error of 1e-11.
    q = -log1p(-price * rate)
    x = q + sqrt(2 * q)
    for _ in range(3 if x else 0):
        x -= (x - log1p(x) - q) * (1 + x) / x
    return x / rate
