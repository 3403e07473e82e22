"""When is a page asked for again, and which first?

A page that changes `rate` times a second is still as we know it with probability exp(-rate * t).
Without a budget it is due when that falls under a target. With one, it is due when a request is
worth its price, and the price is the same for all pages (budget.py finds it). That a page
which changes much too often is worth little is no mistake: it is stale again at once, and the
request keeps two calmer pages fresh (Cho and Garcia-Molina, "Effective page refresh policies for
web crawlers", 2003).

Where requests are scarce, visits are so far apart that most find a change, and pages that are worth
a request look like those that never are. So a page that changed each time is looked at sooner until
it did not (`History.probe`); at most half of the requests go there.
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
    """How fresh pages are to be, and what that may cost."""

    # A page visited at 0.7 is fresh 84 % of the time; 0.8 gives 90 % for 1.6 times the requests.
    target: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.7
    min_interval: float = HOUR
    max_interval: float = 60 * DAY
    price: float = 0.0  # seconds of freshness that a request must bring; 0 = there is no budget
    prior: Prior = Prior()

    def interval(self, rate: float, importance: float = 1.0, probe: float = inf) -> float:
        """How long a page of this rate is left alone; with a budget, until its probe at most."""
        wanted = max(-log(self.target) / rate, ripening(rate, self.price / importance))
        if self.price:
            wanted = min(wanted, probe)
        return min(max(wanted, self.min_interval), self.max_interval)


class Revisit(NamedTuple):
    """A page that may be due."""

    id: str
    rate: float
    last_at: float
    importance: float = 1.0
    probe: float = inf  # seconds after which a look tells how often it changes


def next_visit(history: History, now: float, policy: Policy, importance: float = 1.0) -> float:
    """The moment when a page is due: now, if it was never visited; past, if it is overdue."""
    if not history.last_at:
        return now
    # A clock that went backwards must not put a page off for longer than its interval.
    rate = history.rate(policy.prior)
    return min(history.last_at, now) + policy.interval(rate, importance, history.probe)


def due(revisits: Iterable[Revisit], now: float, policy: Policy, limit: int) -> list[Revisit]:
    """Up to `limit` of those that are due, the most urgent first.

    Probes may have half of it. Then comes what waits beyond the longest interval, by how long; then
    by worth. To spend each request where it is worth most is optimal for many pages: worth is their
    Whittle index.
    """

    def urgency(revisit: Revisit) -> tuple[float, float, str]:
        waited = now - revisit.last_at
        late = min(policy.max_interval - waited, 0.0)
        return late, -worth(revisit.rate, waited, revisit.importance), revisit.id

    ripe = [
        revisit
        for revisit in revisits
        if now - revisit.last_at >= policy.interval(revisit.rate, revisit.importance, revisit.probe)
    ]
    probes = _probes(ripe, now, policy, limit // 2)
    taken = {revisit.id for revisit in probes}
    others = (revisit for revisit in ripe if revisit.id not in taken)
    return probes + nsmallest(limit - len(probes), others, key=urgency)


def _probes(ripe: list[Revisit], now: float, policy: Policy, limit: int) -> list[Revisit]:
    """Those that are looked at to learn of them; first those whose time has just come.

    A late look finds a change once more, and tells as little as the one before.
    """

    def lateness(revisit: Revisit) -> tuple[float, str]:
        return (now - revisit.last_at) / revisit.probe, revisit.id

    asked = (r for r in ripe if policy.price and now - r.last_at >= r.probe)
    return nsmallest(limit, asked, key=lateness)


def worth(rate: float, waited: float, importance: float = 1.0) -> float:
    """The seconds of freshness that a visit brings to a page not seen for `waited` seconds.

    By how much its mean freshness (f / rate) * (1 - exp(-rate / f)) grows with the frequency f of
    its visits: (1 - (1 + x) exp(-x)) / rate, where x = rate * waited.
    """
    x = rate * waited
    return importance * (1 - (1 + x) * exp(-x)) / rate


def ripening(rate: float, price: float) -> float:
    """How long until a visit is worth `price`; infinite if it never is: it changes too often."""
    if price * rate >= 1:
        return inf
    # With q = -log(1 - price * rate) this is the root of x - log(1 + x) = q. Newton's steps from
    # q + sqrt(2q), which is never below it, come down to it: three leave an error of 1e-11.
    q = -log1p(-price * rate)
    x = q + sqrt(2 * q)
    for _ in range(3 if x else 0):
        x -= (x - log1p(x) - q) * (1 + x) / x
    return x / rate
