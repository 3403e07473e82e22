"""What is known of a host: its robots.txt, its pace, its next free slot, its record."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import NamedTuple

import msgspec

ROBOTS_TTL = 24 * 3600.0  # seconds that rules hold: RFC 9309, section 2.4
ROBOTS_LEASE = 120.0  # seconds that the fetch of a robots.txt may take, its wait for a slot apart


class Aside(NamedTuple):
    """A host that is left alone for a while, or was; without a reason it is not."""

    reason: str = ""
    until: float = 0.0  # when it may be asked again; 0 = not known
    spell: float = 0.0  # how long it was left alone the last time


@dataclass(slots=True, kw_only=True)  # not frozen, which would make it cost three times as much
class HostChange:
    """What is learned of a host; what is not given stays as it was.

    Counts grow by what is given here, so that writers who know nothing of each other lose nothing;
    times only move forward.
    """

    requests: int = 0
    bad: int = 0
    bad_in_a_row: int = 0
    pages: int = 0
    next_slot: float = 0.0
    last_slot: float = 0.0
    not_before: float = 0.0
    service_slot: float = 0.0
    penalty: float | None = None
    robots_code: int | None = None
    robots_text: str | None = None
    robots_unavailable: bool | None = None
    robots_until: float | None = None
    robots_tries: int | None = None
    robots_fault: str | None = None
    robots_lease: float | None = None
    worth: int | None = None
    named: bool | None = None
    is_well: bool = False  # its last response was good: there is no row of bad ones
    aside: Aside | None = None
    # Nothing is written unless the host is still set aside like this.
    was_aside: Aside | None = None

    def added(self) -> dict[str, int]:
        """By how much counts grow."""
        return {name: more for name in _ADDED if (more := getattr(self, name))}

    def raised(self) -> dict[str, float]:
        """The moments before which times must not lie."""
        return {name: least for name in _RAISED if (least := getattr(self, name))}

    def only_counts(self) -> bool:
        """Whether it only counts good requests, which no decision depends on alone."""
        plain = HostChange(requests=self.requests, pages=self.pages, last_slot=self.last_slot)
        return self == plain

    def with_counts(self, other: HostChange) -> HostChange:
        """The change together with one that only counts."""
        return replace(
            self,
            requests=self.requests + other.requests,
            pages=self.pages + other.pages,
            last_slot=max(self.last_slot, other.last_slot),
        )

    def given(self) -> dict[str, int | float | str | bool]:
        """The facts that are replaced."""
        named = zip(_REPLACED, _VALUES(self), strict=True)
        facts = {name: value for name, value in named if value is not None}
        return facts | {"bad_in_a_row": 0} if self.is_well else facts


_ADDED = ("requests", "bad", "bad_in_a_row", "pages")
_RAISED = ("next_slot", "last_slot", "not_before", "service_slot")
_SPECIAL = ("is_well", "aside", "was_aside")
_REPLACED = tuple(
    field.name for field in fields(HostChange) if field.name not in (*_ADDED, *_RAISED, *_SPECIAL)
)
_VALUES = attrgetter(*_REPLACED)


# What shows that a host was asked. One that is only linked to may have a worth.
ASKED_BY = ("requests", "next_slot", "service_slot", "robots_until", "robots_lease")


class HostRecord(msgspec.Struct, kw_only=True, frozen=True):
    """One host. `robots_until` 0 means that robots.txt was never read."""

    host: str
    next_slot: float = 0.0
    last_slot: float = 0.0  # the last one booked, or the last start if that was later
    not_before: float = 0.0  # Retry-After: nothing may start earlier
    penalty: float = 0.0  # a delay that 429 and 503 imposed
    robots_code: int = 0
    robots_text: str = ""
    robots_unavailable: bool = False
    robots_until: float = 0.0  # until when the rules, or the verdict "unavailable", hold
    robots_tries: int = 0  # how often in a row robots.txt could not be read
    robots_fault: str = ""  # why it could not be read the last time
    robots_lease: float = 0.0  # until when a fetcher is at it
    service_slot: float = 0.0  # the last slot claimed for robots.txt or a sitemap
    requests: int = 0
    bad: int = 0  # network faults, 5xx and 429 among them
    bad_in_a_row: int = 0  # since the last good one
    set_aside: str = ""  # why the host was given up; "" = it was not
    set_aside_until: float = 0.0  # when it may be asked again; 0 = not known
    set_aside_for: float = 0.0  # how long it was left alone the last time
    pages: int = 0  # URLs of it that brought a page that was new
    worth: int = 0  # to other hosts (core/crawl/host_worth.py): a power of two; 0 = average or new
    named: bool = False  # a person gave a seed there
    era: int = 0  # how often all booked slots became void, because a clock had been ahead

    @property
    def was_asked(self) -> bool:
        """Whether anything was ever requested of it, or is about to be."""
        return any(getattr(self, name) for name in ASKED_BY)

    def is_set_aside(self, now: float) -> bool:
        """Whether the host is to be left alone now."""
        return bool(self.set_aside) and not 0 < self.set_aside_until <= now

    @property
    def aside(self) -> Aside:
        """Why, until when and for how long it was set aside."""
        return Aside(self.set_aside, self.set_aside_until, self.set_aside_for)

    def is_ahead_of(self, latest: float) -> bool:
        """Return whether it was booked, or is to be left alone, beyond `latest`."""
        return max(self.next_slot, self.last_slot, self.not_before) > latest

    def with_void_slots(self, latest: float, now: float) -> HostRecord:
        """Return the record for an era in which no slot counts that was booked before.

        The host is asked again at `latest`. What a clock that was ahead may have told of its rules
        and its leave is cut to what it can be by the clock of now.
        """
        are_rules_dated = self.robots_until > now + ROBOTS_TTL
        return msgspec.structs.replace(
            self,
            era=self.era + 1,
            next_slot=latest,
            last_slot=min(self.last_slot, now),
            not_before=min(self.not_before, latest),
            service_slot=min(self.service_slot, now),
            robots_lease=min(self.robots_lease, latest + ROBOTS_LEASE),
            robots_until=now if are_rules_dated else self.robots_until,
            set_aside_until=min(self.set_aside_until, now + self.set_aside_for),
        )

    def changed(self, change: HostChange) -> HostRecord:
        """The record with what was learned."""
        if change.was_aside not in (None, self.aside):
            return self
        facts: dict[str, object] = {**change.given()}
        facts |= {name: getattr(self, name) + more for name, more in change.added().items()}
        facts |= {name: max(getattr(self, name), t) for name, t in change.raised().items()}
        if change.aside is not None:
            names = ("set_aside", "set_aside_until", "set_aside_for")
            facts |= zip(names, change.aside, strict=True)
        return msgspec.structs.replace(self, **facts)
