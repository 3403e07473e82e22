"""What is known of a host: its robots.txt, its pace, its next free slot, its record."""

from __future__ import annotations

import msgspec


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
    robots_lease: float = 0.0  # until when somebody is fetching it
    service_slot: float = 0.0  # the last slot claimed for robots.txt or a sitemap
    requests: int = 0
    bad: int = 0  # network faults, 5xx and 429 among them
    bad_in_a_row: int = 0  # since the last good one
    set_aside: str = ""  # why the host was given up; "" = it was not
    set_aside_until: float = 0.0  # when it may be asked again; 0 = nobody said
    set_aside_for: float = 0.0  # how long it was left alone the last time
    pages: int = 0  # URLs of it that brought a page which nobody had
    worth: int = (
        0  # to other hosts: a power of two (core/crawl/host_worth.py); 0 = average, or not known
    )
    named: bool = False  # a person gave a seed there

    def is_set_aside(self, now: float) -> bool:
        """Whether the host is to be left alone now."""
        return bool(self.set_aside) and not 0 < self.set_aside_until <= now
