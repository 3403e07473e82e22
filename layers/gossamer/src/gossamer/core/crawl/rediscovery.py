"""Decides what another way to a known URL changes, and which ways are worth a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.core.crawl.url_state import FILE_REASONS, NO_DOCUMENT, WAY_REASONS, Event, State

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import Discovery

# What leads on: a shorter way to one of these is a shorter way to what it links to.
WITH_LINKS = frozenset(
    {State.FETCHED, State.PARSED, State.DUPLICATE, State.UNCHANGED, State.REDIRECTED}
)
READ_THOUGH_EXCLUDED = FILE_REASONS | {"noindex", NO_DOCUMENT}


class Known(NamedTuple):
    """What decides whether another way to a URL matters."""

    state: State
    reason: str
    depth: int
    via: bytes  # the source that found it first
    slot: float
    hops: int = 0
    nearer_via: bytes | None = None  # the source of a shorter way, found once it had links

    @property
    def is_excluded_by_way(self) -> bool:
        """Whether another link may admit it after all."""
        return self.state is State.EXCLUDED and self.reason in WAY_REASONS

    @property
    def leads_on(self) -> bool:
        """Whether it has links, which are nearer too if it is."""
        was_read = self.state is State.EXCLUDED and self.reason in READ_THOUGH_EXCLUDED
        return was_read or self.state in WITH_LINKS

    def is_unsent(self, source: bytes, depth: int) -> bool:
        """Whether this source added it and no fetcher has claimed it: it may not have been sent.

        Another source may have found a shorter way since; a smaller depth than the one we know
        means that this source was read again.
        """
        waits = self.state is State.DISCOVERED and not self.slot
        return waits and self.via == source and depth >= self.depth

    def is_unread(self, source: bytes, depth: int) -> bool:
        """Whether this source made it nearer: it may not have been sent to be read again."""
        return self.leads_on and self.nearer_via == source and depth == self.depth

    def is_worth_adding(self, source: bytes, depth: int) -> bool:
        """Whether this way to it may change anything."""
        is_repeated = self.is_unsent(source, depth) or self.is_unread(source, depth)
        return depth < self.depth or self.is_excluded_by_way or is_repeated


class Rediscovery(NamedTuple):
    """What another way to a URL changes."""

    fresh: Discovery | None = None  # to be scheduled
    way: Discovery | None = None  # whose depth and hops are its own from now on
    via: bytes = b""  # the source that must send it on
    event: Event | None = None
    nearer_via: bytes | None = None  # the source that must have it read again


def is_news(state: State, slot: float, known: float, date: float, before: float) -> bool:
    """Whether a date in a sitemap or feed is kept, if `known` is the one that is kept already.

    It is if the URL was asked for before it. A URL that waits for its first request is given a
    date that lies before a moment: a list that always says "now" dates nothing.
    """
    return known <= slot < date and (slot > 0 or (state is State.DISCOVERED and date < before))


def first_state(found: Discovery) -> State:
    """The state in which a URL enters its life."""
    return State.EXCLUDED if found.reason else State.DISCOVERED


def meet_again(known: Known, found: Discovery, source: bytes) -> Rediscovery:
    """What a discovery changes of a URL that is known."""
    if known.is_unsent(source, found.depth):  # what was admitted stays so, though quotas are full
        return Rediscovery(fresh=found)
    # Hops grow from one redirect to the next, so a circle of them comes to an end here.
    if known.is_unread(source, found.depth) and known.hops == found.hops:
        return Rediscovery(way=found, via=known.via, nearer_via=source)
    if found.reason:
        return Rediscovery()
    if known.is_excluded_by_way:
        better = _better_way(known, found)
        return Rediscovery(better, better, source, Event.READMITTED)
    if found.depth < known.depth:  # the source that found it first must still send it on
        nearer_via = source if known.leads_on else None
        return Rediscovery(way=found, via=known.via, nearer_via=nearer_via)
    return Rediscovery()


def _better_way(known: Known, found: Discovery) -> Discovery:
    """A way that is not to be followed is none; one that came when its host was full is."""
    if known.reason != "host-quota" or known.depth >= found.depth:
        return found
    return msgspec.structs.replace(found, depth=known.depth, hops=known.hops)
