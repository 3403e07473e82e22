"""The quota of URLs of a host.

A host that a person named gives as many as `per_host`. One that was merely found begins with
`host_start` URLs and earns more by the pages that were kept of it, and by what it is worth to other
hosts (host_worth.py). It earns by the square root of its pages, so that it must be worth the more
the further it goes: with a growth of g and a worth of w (a factor), a host whose every URL is a
page comes to rest at `host_start · ((g·w + √(g²·w² + 4)) / 2)²` URLs. However many pages it has, it
cannot fill a crawl.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.core.crawl.traps import TrapConfig

MOST_WORTH = 2  # a worth is a power of two, from a quarter to four


def first_ceiling(quotas: TrapConfig) -> int:
    """The URLs that a host may give before anything is known of it."""
    return min(quotas.host_start, quotas.per_host)


def ceiling(quotas: TrapConfig, pages: int, worth: int) -> int:
    """The URLs that a found host may give, of which so many pages were kept.

    Its worth is the logarithm to base 2 of its factor; 0 is the average, or not known.
    """
    factor = 4 ** max(0, min(worth + MOST_WORTH, 2 * MOST_WORTH))  # squared, and 16 times too much
    squared = quotas.host_growth**2 * factor * quotas.host_start * max(0, pages) // 4**MOST_WORTH
    return min(quotas.host_start + isqrt(squared), quotas.per_host)
