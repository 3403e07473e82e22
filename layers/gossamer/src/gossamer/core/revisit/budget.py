"""How are so many requests a day shared by all pages, so that most is fresh?

Mean freshness is concave in each page's frequency of visits, so it is highest where one more visit
is worth the same everywhere: the price, a Lagrange multiplier. It falls as the budget grows, and is
found by narrowing a bracket. With the price alone each page knows its own interval
(core/revisit/policy.py), so only this number is kept. Apart from there: a crawl needs no numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer.core.revisit.change_rate import DAY

if TYPE_CHECKING:
    from gossamer.core.revisit.policy import Policy

Floats = npt.NDArray[np.float64]

SLACK = 1e-6  # of a budget, which is kept from below
FLOOR_SHARE = 0.2  # of a budget, at most, goes to pages only because they waited longest
STEPS = 3  # of Newton's method, for a frequency: the error is below 1e-11


def within(
    policy: Policy, rates: Floats, visits_a_day: float, importances: Floats | float = 1.0
) -> Policy:
    """The policy with the price that keeps these pages within a budget.

    A sample of the pages will do, with a budget in proportion. If the longest interval alone would
    cost more than a fifth of the budget, it becomes longer.
    """
    budget = visits_a_day / DAY
    longest = len(rates) / (FLOOR_SHARE * budget)
    policy = msgspec.structs.replace(
        policy, price=0.0, max_interval=max(policy.max_interval, longest)
    )
    if frequencies(policy, rates, importances).sum() <= budget:
        return policy
    price = _price(policy, rates, budget, importances)
    return msgspec.structs.replace(policy, price=price)


def frequencies(policy: Policy, rates: Floats, importances: Floats | float = 1.0) -> Floats:
    """Visits per second for each page: one over its interval under the policy."""
    wanted: Floats = rates / -np.log(policy.target)
    if policy.price:
        wanted = np.minimum(wanted, _affordable(rates, policy.price / importances))
    clipped: Floats = np.clip(wanted, 1 / policy.max_interval, 1 / policy.min_interval)
    return clipped


def mean_freshness(rates: Floats, visits: Floats) -> float:
    """Of pages that change at these rates and are visited this often, at equal intervals."""
    x = rates / visits
    return float(np.mean(-np.expm1(-x) / x))


def _affordable(rates: Floats, prices: Floats | float) -> Floats:
    """As `ripening` in policy.py, for all pages at once; 0 for what changes too often."""
    gained = rates * prices
    pays = gained < 1
    q = -np.log1p(-np.where(pays, gained, 0.5))
    x = q + np.sqrt(2 * q)
    for _ in range(STEPS):
        x -= (x - np.log1p(x) - q) * (1 + x) / x
    return np.where(pays, rates / x, 0.0)


def _price(policy: Policy, rates: Floats, budget: float, importances: Floats | float) -> float:
    """Where the visits meet the budget, on the side that keeps it."""

    def excess(log_price: float) -> float:
        priced = msgspec.structs.replace(policy, price=float(np.exp(log_price)))
        return float(np.log(frequencies(priced, rates, importances).sum() / budget))

    high = float(np.log(np.max(importances / rates))) + 1e-9  # nobody pays so much
    low, kept = high, excess(high)
    while (over := excess(low)) <= 0:
        high, kept, low = low, over, low - 2.0
    # The Illinois rule: a straight line between the ends, and an end that stays counts half.
    under = kept
    while kept < -SLACK and high - low > 1e-12:
        middle = (low * under - high * over) / (under - over)
        found = excess(middle)
        if found > 0:
            low, over, under = middle, found, under / 2
        else:
            high, kept, under, over = middle, found, found, over / 2
    return float(np.exp(high))
