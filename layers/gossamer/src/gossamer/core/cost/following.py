"""What messages that are under way will still cost their job, even if it is paused now.

A page that was fetched is parsed, its links are looked at and it is indexed; a request that has a
slot is put back. A job that pauses only when its money is spent costs all of that on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# US dollars for a message of each stream and for all that it leads to in a paused job: measured
# over moto with small batches, which are the dearest. Whole millionths, as counters keep them.
USD: Mapping[str, float] = {"fetch": 3e-6, "parse": 10e-6, "links": 5e-6, "index": 2e-6}
# Of its limit, a job keeps back no more than this: with many slots booked it would fetch nothing.
MOST = 0.5


def grown(done: str, sent: Iterable[str]) -> float:
    """By how much a message that was dealt with makes grow what is to come.

    `done`: its stream, empty if it was never counted as sent; `sent`: those of what it emitted.
    """
    return sum(USD.get(stream, 0.0) for stream in sent) - USD.get(done, 0.0)


def kept_back(limit: float, to_come: float) -> float:
    """How much of its limit a job has to keep for what is to come."""
    return min(max(0.0, to_come), MOST * limit)
