"""Decides whether a URL may be claimed for the one request that its slot buys."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from gossamer.core.crawl.url_state import END_STATES, Event, State
from gossamer.core.crawl.url_state import after as state_after

LEASE = 90.0  # seconds a claim keeps others away: longer than a request or a function may run
# How far the clocks of two machines may differ. What was claimed for later than that from now was
# claimed by a clock that was ahead.
MAX_CLOCK_SKEW = 1.0


class Claim(Enum):
    """What came of claiming a URL for a slot."""

    TAKEN = "taken"  # ours: make the request
    BUSY = "busy"  # another fetcher's request is under way
    STALE = "stale"  # the claim for this slot was made and its holder died: book a new slot
    ENDED = "ended"  # nothing left to do, or a later slot has it


class Claimable(NamedTuple):
    """What decides whether a URL may be claimed."""

    state: State
    slot: float  # of the last claim
    lease: float  # until when that claim keeps others away
    tries: int  # requests made so far


def claim_event(after: float) -> Event:
    """The event that a claim is; `after` is the last slot of a URL that is visited again."""
    return Event.CLAIMED_REVISIT if after else Event.CLAIMED


def judge_claim(url: Claimable, slot: float, now: float, tries: int, after: float) -> Claim:
    """What comes of a claim for a slot by a fetcher that knows of so many tries."""
    if not _is_free(url, tries, after):
        return Claim.ENDED
    if url.state is State.FETCHING and is_leased(url.lease, now):
        return Claim.BUSY
    if is_claimed_since(url.slot, slot, now):
        return Claim.STALE if url.state is State.FETCHING else Claim.ENDED
    return Claim.TAKEN


def is_leased(lease: float, now: float) -> bool:
    """Return whether a claim keeps others away; a lease from a clock that was ahead does not."""
    return now <= lease <= now + LEASE + MAX_CLOCK_SKEW


def is_claimed_since(claimed: float, slot: float, now: float) -> bool:
    """Return whether a URL was claimed for this slot or a later one that has begun."""
    return slot <= claimed <= now + MAX_CLOCK_SKEW


def is_last_claim(claimed: float, slot: float) -> bool:
    """Whether the slot that an event is about is the last one claimed; 0 stands for any."""
    return slot in (0.0, claimed)


def _is_free(url: Claimable, tries: int, after: float) -> bool:
    """Whether the URL waits, or has ended with the very request that the claimer knows of."""
    if state_after(url.state, claim_event(after)) is None:
        return False
    return url.slot == after if url.state in END_STATES else url.tries <= tries
