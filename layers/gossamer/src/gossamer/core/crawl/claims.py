"""May a URL be claimed for the one request that its slot buys?"""

from __future__ import annotations

from enum import Enum


class Claim(Enum):
    """What came of claiming a URL for a slot."""

    TAKEN = "taken"  # ours: make the request
    BUSY = "busy"  # somebody else's request is under way
    STALE = "stale"  # the claim for this slot was made and its holder died: book a new slot
    ENDED = "ended"  # nothing left to do, or a later slot has it
