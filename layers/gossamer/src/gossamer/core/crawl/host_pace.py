"""How fast a job may ask a host: robots.txt, our own minimum, and what the host demanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.host_record import ROBOTS_LEASE, Aside, HostChange
from gossamer.core.crawl.politeness import MAX_PENALTY, delay_in_force, latest_slot
from gossamer.core.crawl.response_outcome import forgotten, next_spell, retry_wait
from gossamer.core.crawl.robots import Robots

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.crawl.politeness import GracePolicy, Pace


def robots_of(host: HostRecord) -> Robots:
    """The rules of a host as they were stored."""
    return Robots(code=host.robots_code, text=host.robots_text, unavailable=host.robots_unavailable)


def base_delay(host: HostRecord, config: JobConfig) -> float:
    """The delay of a host in good standing."""
    asked = None
    if host.robots_until:
        asked = robots_of(host).crawl_delay(config.identity())
    return delay_in_force(config.delay, asked, config.max_delay, 0.0)


def pace_of(host: HostRecord, config: JobConfig, grace: GracePolicy) -> Pace:
    """The pace in force now."""
    delay = max(base_delay(host, config), host.penalty)
    return grace.pace(delay)


def latest_wake(config: JobConfig, grace: GracePolicy, window: float, now: float) -> float:
    """Return the latest moment until which a clock that is right lets URLs of a job wait."""
    longest = max(config.delay, config.max_delay, MAX_PENALTY)
    slot = latest_slot(now, longest + grace.cap, window) + ROBOTS_LEASE
    return max(slot, now + retry_wait(config.retry_wait, config.retries))


def aside(host: HostRecord, reason: str, now: float) -> Aside:
    """How a host is given up for a while: each time for longer."""
    spell = next_spell(host.set_aside_for)
    return Aside(reason, now + spell, spell)


def readmitted(host: HostRecord) -> HostChange:
    """What is noted when that is over: most of what it did is forgotten, and it may prove itself.

    How long it was left alone is remembered. Of two that note it at once only one does.
    """
    requests, bad = forgotten(host.requests, host.bad)
    return HostChange(
        requests=requests - host.requests,
        bad=bad - host.bad,
        is_well=True,
        aside=Aside(spell=host.set_aside_for),
        was_aside=host.aside,
    )
