"""Does every store move every URL as the life cycle says? Keeps the book of their states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.core.crawl.claims import Claim, claim_event, is_last_claim
from gossamer.core.crawl.rediscovery import first_state
from gossamer.core.crawl.url_record import NOTHING_LEARNED
from gossamer.core.crawl.url_state import Event, State, after

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.crawl.url_record import Discovery, UrlChange, UrlRecord
    from tests.simulation.observer import Observer


class Lives:
    """The states of all URLs, by what the table says of every event that a store was given."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._states: dict[bytes, State] = {}
        self._slots: dict[bytes, float] = {}  # of the last claim

    def watch(self, urls: Any) -> None:
        """Write down what happens to URLs in this store."""
        move, claim, add = urls.move, urls.claim, urls.add
        close: Any = getattr(urls, "close_open", None)  # the cloud's store excludes one by one

        def watched_move(
            id: bytes, event: Event, change: UrlChange = NOTHING_LEARNED, slot: float = 0.0
        ) -> bool:
            moved = bool(move(id, event, change, slot))
            self._happens(id, event, moved=moved, slot=slot)
            return moved

        async def watched_claim(id: bytes, *given: Any) -> Claim:
            claimed: Claim = await claim(id, *given)
            if claimed is Claim.TAKEN and self._states.get(id) is not None:
                self._happens(id, claim_event(given[4] if len(given) > 4 else 0.0), moved=True)
                self._slots[id] = given[0]
            return claimed

        def watched_add(found: Sequence[Discovery], source: bytes, now: float) -> Any:
            admission = add(found, source, now)
            self._are_found(found, admission.fresh)
            return admission

        def watched_close(job: str, reason: str) -> int:
            closed = int(close(job, reason))
            rule = Event.CLOSED
            self._states |= {
                id: rule.leads_to for id, s in self._states.items() if s in rule.before
            }
            return closed

        urls.move, urls.claim, urls.add = watched_move, watched_claim, watched_add
        if close is not None:
            urls.close_open = watched_close

    def _happens(self, id: bytes, event: Event, *, moved: bool, slot: float = 0.0) -> None:
        before = self._states.get(id)
        then = after(before, event) if before is not None else None
        if not is_last_claim(self._slots.get(id, 0.0), slot):
            then = None
        if moved is not (then is not None):
            what = "allowed" if moved else "refused"
            self._observer.violate("life-cycle", f"{event} of {id.hex()} was {what} in {before}")
        if moved:
            self._states[id] = event.leads_to

    def _are_found(self, found: Iterable[Discovery], fresh: Iterable[Discovery]) -> None:
        known = set(self._states)
        for item in found:
            self._states.setdefault(item.id, first_state(item))
        for item in fresh:
            if item.id in known and self._states[item.id] is State.EXCLUDED:
                self._happens(item.id, Event.READMITTED, moved=True)

    def check(self, records: Iterable[UrlRecord]) -> None:
        """No store has changed a state but by these events."""
        for record in records:
            if self._states.get(record.id) is not record.state:
                told = self._states.get(record.id)
                detail = f"{record.url} is {record.state}, by its events {told}"
                self._observer.violate("life-cycle", detail)
