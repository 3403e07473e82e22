"""Divide a daily budget of requests among pages so that mean freshness is highest.

Mean freshness is concave in each page's frequency of visits, so it is highest where one more visit
is worth the same for every page: the price, a Lagrange multiplier. The price falls as the budget
grows and is found by bracketing. It determines the interval of every page (policy.py), so only this
number is kept. This is a module of its own because a crawl must not need numpy.
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

SLACK = 1e-6  # share of a budget that may stay unused; it is never exceeded
FLOOR_SHARE = 0.2  # share of a budget, at most, for visits due only by the longest interval
STEPS = 3  # of Newton's method, for a frequency: the error is below 1e-11


def within(
    policy: Policy, rates: Floats, visits_a_day: float, importances: Floats | float = 1.0
) -> Policy:
    """The policy with the price that keeps these pages within a budget.

    A sample of the pages is enough, with a budget in proportion. If the longest interval alone
    would cost more than a fifth of the budget, that interval is lengthened.
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
    """The mean freshness of pages with these rates and visits per second, at equal intervals."""
    x = rates / visits
    return float(np.mean(-np.expm1(-x) / x))


def _affordable(rates: Floats, prices: Floats | float) -> Floats:
    """`seconds_until_worth` of policy.py as frequencies, for all pages; 0 for too high rates."""
    gained = rates * prices
    pays = gained < 1
    q = -np.log1p(-np.where(pays, gained, 0.5))
    x = q + np.sqrt(2 * q)
    for _ in range(STEPS):
        x -= (x - np.log1p(x) - q) * (1 + x) / x
    return np.where(pays, rates / x, 0.0)


def _price(policy: Policy, rates: Floats, budget: float, importances: Floats | float) -> float:
    """The price at which all visits together just stay within the budget."""

    def excess(log_price: float) -> float:
        priced = msgspec.structs.replace(policy, price=float(np.exp(log_price)))
        return float(np.log(frequencies(priced, rates, importances).sum() / budget))

    high = float(np.log(np.max(importances / rates))) + 1e-9  # no visit is worth this
    low, kept = high, excess(high)
    while (over := excess(low)) <= 0:
        high, kept, low = low, over, low - 2.0
    # Regula falsi, Illinois variant: the value of an end that stays is halved.
    under = kept
    while kept < -SLACK and high - low > 1e-12:
        middle = (low * under - high * over) / (under - over)
        found = excess(middle)
        if found > 0:
            low, over, under = middle, found, under / 2
        else:
            high, kept, under, over = middle, found, found, over / 2
    return float(np.exp(high))
