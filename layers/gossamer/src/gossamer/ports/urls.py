"""Which URLs are known, and where does each stand?"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.crawl.url_state import State
from gossamer.core.urls import sitemap_id
from gossamer.messages import PageRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.messages import Purpose


class UrlRecord(msgspec.Struct, kw_only=True):
    """Everything remembered about one URL."""

    id: bytes
    url: str
    host: str
    state: State = State.DISCOVERED
    reason: str = ""
    target: str = ""  # where it redirects to, or the URL whose content it repeats
    depth: int = 0
    hops: int = 0
    via: bytes = b""  # the URL that led here first; empty for a seed
    tries: int = 0
    slot: float = 0.0  # the last slot that was claimed for it
    lease: float = 0.0  # until when that claim keeps others away
    fetched_at: float = 0.0
    code: int = 0
    size: int = 0
    md5: bytes = b""
    etag: str = ""
    modified: str = ""
    page: PageRef | None = None
    history: bytes = b""  # what visits showed (core/revisit/change_rate.py); empty = never visited
    hinted_at: float = 0.0  # when it changed, as a sitemap or feed says; counts if after `slot`

    @property
    def purpose(self) -> Purpose:
        """What it is asked for."""
        return "sitemap" if self.id == sitemap_id(self.url) else "page"


class Claim(Enum):
    """What came of claiming a URL for a slot."""

    TAKEN = "taken"  # ours: make the request
    BUSY = "busy"  # somebody else's request is under way
    STALE = "stale"  # the claim for this slot was made and its holder died: book a new slot
    ENDED = "ended"  # nothing left to do, or a later slot has it


class Discovery(msgspec.Struct, frozen=True):
    """A URL as LINKS found it: admitted, or excluded for a reason."""

    id: bytes
    url: str
    host: str
    depth: int
    hops: int = 0
    reason: str = ""  # "" = admitted
    job: str = ""  # the job that found it first

    def after(self, reason: str, depth: int, hops: int) -> Discovery:
        """This, found once more after it was excluded for a reason, by the better of both ways.

        A way that is not to be followed is none; one that came when the host had no unit left is.
        """
        if reason != "host-quota" or depth >= self.depth:
            return self
        return msgspec.structs.replace(self, depth=depth, hops=hops)


class Admission(msgspec.Struct):
    """What `add` made of some discoveries."""

    fresh: list[Discovery] = []  # to be scheduled now
    shallower: list[UrlRecord] = []  # already fetched, but found by a shorter way


class UrlStore(Protocol):
    """The URLs of a collection, each in exactly one state.

    Promises: of two concurrent `claim`s for a slot one is TAKEN; a claim is durable when it
    returns; `move` changes a URL only from the states it names, so a message delivered twice moves
    it once.
    """

    def get(self, id: bytes) -> UrlRecord | None:
        """The record of a URL."""
        ...

    def unknown(self, found: Iterable[tuple[bytes, int]], source: bytes) -> set[bytes]:
        """Of these (id, depth), the ids worth adding.

        Never seen, perhaps reached by a better way, or added by this very source and not fetched
        yet: then the source's message may have come back because what it emitted was not sent.
        """
        ...

    def add(self, found: Sequence[Discovery], source: bytes, now: float) -> Admission:
        """Remember discoveries.

        Fresh are those that are new, those that a worse way had excluded, and those that this
        very source added before but nobody has fetched yet, whatever is said of them now (quotas
        may have become full): a repeated message repeats its emissions, so a crash between adding
        and sending loses nothing.
        """
        ...

    async def claim(
        self,
        id: bytes,
        slot: float,
        lease_until: float,
        now: float,
        tries: int = 0,
        after: float = 0.0,
    ) -> Claim:
        """Claim a URL for the one request that its slot buys; durable once it returns.

        `tries` is how many requests the claimer knows of: if there were more, its message is an old
        copy, and a newer one is on its way. With `after` a URL that has ended is taken too, if that
        is the slot of its last request: a revisit needs no write before this one, and a second copy
        of its message finds another slot there.
        """
        ...

    def hint(self, dates: Mapping[bytes, float], job: str) -> None:
        """Note when URLs changed, as a sitemap or feed says.

        Kept for those of the job that were asked for before that moment, unless such a hint waits
        for their next visit already: a list that always says "now" is written once per visit. For
        all others nothing is written, and nothing is added.
        """
        ...

    def move(self, id: bytes, before: Iterable[State], after: State, **facts: object) -> bool:
        """Move a URL on, with what was learned; False if it was in none of those states."""
        ...
