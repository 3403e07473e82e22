"""The URLs of a collection, and where each stands in its life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gossamer.core.crawl.url_record import NOTHING_LEARNED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.crawl.claims import Claim
    from gossamer.core.crawl.url_record import Admission, Discovery, UrlChange, UrlRecord
    from gossamer.core.crawl.url_state import Event


class UrlStore(Protocol):
    """The URLs of a collection, each in exactly one state.

    Promises: of two concurrent `claim`s for a slot one is TAKEN; a claim is durable when it
    returns; a URL changes its state only by an event, as core/crawl/url_state.py has it, so a
    message delivered twice moves it once.
    """

    def get(self, id: bytes) -> UrlRecord | None:
        """The record of a URL."""

    def unknown(self, found: Iterable[tuple[bytes, int]], source: bytes) -> set[bytes]:
        """Of these (id, depth), the ids worth adding.

        Never seen, perhaps reached by a better way, or added by this very source and not fetched
        yet, or made nearer by it: then the source's message may have come back because what it
        emitted was not sent.
        """

    def add(self, found: Sequence[Discovery], source: bytes, now: float) -> Admission:
        """Remember discoveries.

        Fresh are those that are new, those that a worse way had excluded, and those that this
        very source added before and no fetcher has claimed yet, whatever is said of them now
        (quotas may have become full). Shallower are those that were fetched and have a shorter way
        now, and those to which this very source gave it before. A repeated message repeats its
        emissions, so a crash between adding and sending loses nothing. Decided in
        core/crawl/rediscovery.py.
        """

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
        of its message finds another slot there. Decided in core/crawl/claims.py.
        """

    def hint(self, dates: Mapping[bytes, float], job: str, before: float = 0.0) -> None:
        """Note when URLs changed, as a sitemap or feed says.

        Kept for those of the job that were asked for before that moment, unless such a hint waits
        for their next visit already: a list that always says "now" is written once per visit. Of
        those that wait for their first request a date is kept if they have none, and if it lies
        `before` that moment. For all others nothing is written, and nothing is added.
        """

    def move(
        self, id: bytes, event: Event, change: UrlChange = NOTHING_LEARNED, slot: float = 0.0
    ) -> bool:
        """Move a URL as the life cycle says, with what was learned.

        False, and nothing is written, if the event cannot happen in the state that it is in, or is
        about a claim (`slot`) that is not the last one. Decided in core/crawl/claims.py.
        """
