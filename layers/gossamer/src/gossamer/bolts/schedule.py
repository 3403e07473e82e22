"""SCHEDULE: decides whether and when a host may be asked.

Books one slot per request, in bulk per host, within the budgets of the job. What finds no slot is
parked in the frontier; nothing is refused for being early.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch.emissions import free_units
from gossamer.core.crawl.host_pace import pace_of, readmitted, robots_of
from gossamer.core.crawl.host_record import ROBOTS_LEASE, HostChange
from gossamer.core.crawl.politeness import latest_slot, slot_times
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import Event
from gossamer.core.urls import robots_url, url_id
from gossamer.messages import Candidate, CrawlRequest, Emission, FetchRequest, id_of

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.politeness import Pace
    from gossamer.ports import Ports
    from gossamer.ports.jobs import JobRecord

log = logging.getLogger(__name__)

UNREACHABLE_TTL = 3600.0  # how long "robots.txt cannot be had, so nothing may be asked" stands


@dataclass(frozen=True, slots=True)
class _Situation:
    request: CrawlRequest
    ports: Ports
    now: float
    job: JobRecord
    host: HostRecord


def schedule(request: CrawlRequest, ports: Ports, now: float) -> list[Emission]:
    """Book slots for the URLs of a request and send each to its fetch."""
    job = ports.jobs.get(request.job)
    if job is None or job.state == "stopped":
        return end_all(request, ports, Event.SKIPPED, "stopped")
    if job.state == "paused":
        ports.frontier.park(request)
        return []
    at = _Situation(request, ports, now, job, _host(request.host, job, ports, now))
    if at.host.is_set_aside(now):
        return _refuse(at)
    if request.purpose == "robots":
        return _book(at, request.urls)
    if now >= at.host.robots_until:
        return _ask_for_robots(at)
    if at.host.robots_unavailable:
        return _wait_for_robots(at)
    allowed = _split_by_robots(at)
    if request.purpose == "sitemap":
        return _book(at, allowed)
    return _book_within_budget(at, allowed)


def _host(name: str, job: JobRecord, ports: Ports, now: float) -> HostRecord:
    """A host as it stands; one that was set aside for a while gets another chance."""
    host = _without_void_slots(ports.hosts.get(name), job, ports, now)
    if host.set_aside and not host.is_set_aside(now):
        return ports.hosts.change(name, readmitted(host))
    return host


def _without_void_slots(host: HostRecord, job: JobRecord, ports: Ports, now: float) -> HostRecord:
    """Return a host whose slots lie where a clock that is right can have put them."""
    if not host.is_ahead_of(latest_slot(now, 0.0, ports.window)):  # robots.txt need not be read
        return host
    latest = latest_slot(now, pace_of(host, job.config, ports.grace).spacing, ports.window)
    if not host.is_ahead_of(latest):
        return host
    log.warning(
        "%s was booked until %s, by a clock that was ahead or at a longer delay. "
        "These slots are void; the crawl waits for this host until %s.",
        *(host.host, _utc_time(max(host.next_slot, host.last_slot)), _utc_time(latest)),
    )
    ports.frontier.wake(host.host)
    return ports.hosts.void_slots(host, latest, now)


def _utc_time(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _refuse(at: _Situation) -> list[Emission]:
    """The host is set aside; another host whose robots.txt it keeps cannot be asked either."""
    waiting = at.request.robots_for
    if waiting and waiting != at.request.host:
        unreachable = HostChange(
            robots_unavailable=True,
            robots_tries=at.job.config.retries + 1,
            robots_fault=at.host.set_aside,
            robots_until=at.now + UNREACHABLE_TTL,
            robots_lease=0.0,
        )
        at.ports.hosts.change(waiting, unreachable)
        at.ports.frontier.wake(waiting)
    return end_all(at.request, at.ports, Event.GIVEN_UP, at.host.set_aside)


def end_all(request: CrawlRequest, ports: Ports, event: Event, reason: str) -> list[Emission]:
    """End every URL of a request that still waits; what was to be visited again stays as it is."""
    if request.purpose != "robots":
        for candidate in request.urls:
            id = id_of(candidate.url, request.purpose)
            ports.urls.move(id, event, UrlChange(reason=reason))
    return []


def _ask_for_robots(at: _Situation) -> list[Emission]:
    """robots.txt comes first: park the URLs, and let one slot fetch the rules."""
    until = max(at.now, at.host.next_slot) + ROBOTS_LEASE
    at.ports.frontier.park(at.request, until)
    if not at.ports.hosts.lease_robots(at.request.host, at.now, until):
        return _go_on_if_known(at)
    scheme = at.request.urls[0].url.partition(":")[0]
    ask = msgspec.structs.replace(
        at.request,
        purpose="robots",
        robots_for=at.request.host,
        urls=[Candidate(robots_url(at.request.host, scheme))],
    )
    return schedule(ask, at.ports, at.now)


def _go_on_if_known(at: _Situation) -> list[Emission]:
    """The fetcher of the rules may have woken the host before we parked these."""
    host = at.request.host
    if at.now >= at.ports.hosts.get(host).robots_until:
        return []
    at.ports.frontier.wake(host)
    return next_pack(host, at.ports, at.now)


def _wait_for_robots(at: _Situation) -> list[Emission]:
    """Unreachable robots.txt means that nothing may be asked; it is tried again later."""
    if at.host.robots_tries > at.job.config.retries:
        return end_all(at.request, at.ports, Event.GIVEN_UP, "robots-unreachable")
    at.ports.frontier.park(at.request, at.host.robots_until)
    return []


def _split_by_robots(at: _Situation) -> list[Candidate]:
    robots, agent = robots_of(at.host), at.job.config.identity()
    allowed = [c for c in at.request.urls if robots.allows(c.url, agent)]
    if len(allowed) < len(at.request.urls):
        kept = {candidate.url for candidate in allowed}
        for refused in at.request.urls:
            if refused.url not in kept:
                event = Event.SKIPPED_REVISIT if refused.after else Event.SKIPPED
                id = id_of(refused.url, at.request.purpose)
                at.ports.urls.move(id, event, UrlChange(reason="robots"))
    return allowed


def _book_within_budget(at: _Situation, candidates: list[Candidate]) -> list[Emission]:
    """Slots first, then a unit for each, unless units are scarce: slots are not to be wasted."""
    if not is_limited(at.job):
        return _book(at, candidates)
    if pages_left(at.job, len(candidates)) < len(candidates):
        candidates = _with_units(at, candidates)
        emissions = _book(at, candidates)
        for candidate in candidates[len(emissions) :]:
            record = at.ports.urls.get(url_id(candidate.url))
            if record is not None:
                free_units(record, at.request.job, at.ports, at.now)
        return emissions
    emissions = _book(at, candidates)
    granted = {c.url for c in _with_units(at, candidates[: len(emissions)])}
    return [e for e, c in zip(emissions, candidates, strict=False) if c.url in granted]


def _with_units(at: _Situation, candidates: list[Candidate]) -> list[Candidate]:
    """Those that hold a unit, because there was one or because this message came before."""
    ids = [url_id(candidate.url) for candidate in candidates]
    granted = at.ports.jobs.reserve(at.request.job, ids)
    _park(at, [c for id, c in zip(ids, candidates, strict=True) if id not in granted], until=0.0)
    return [c for id, c in zip(ids, candidates, strict=True) if id in granted]


def _book(at: _Situation, candidates: list[Candidate]) -> list[Emission]:
    if not candidates:
        return []
    pace = pace_of(at.host, at.job.config, at.ports.grace)
    window, notice = _window(at, pace, len(candidates))
    begin = at.now + notice
    booking = at.ports.hosts.book(at.request.host, len(candidates), begin, pace, window)
    # Half a window before the first free slot there is room for half a window of slots, unless not
    # even one fits in there: looking earlier would only park them again, and again.
    early = max(0.0, min(window / 2, window - pace.spacing))
    _park(at, candidates[booking.count :], until=booking.next_slot - early)
    slots = slot_times(booking, pace.spacing)
    return [
        Emission(
            "fetch",
            FetchRequest(
                job=at.request.job,
                host=at.request.host,
                candidate=candidate,
                slot=slot,
                delay=pace.delay,
                grace=pace.grace,
                purpose=at.request.purpose,
                robots_for=at.request.robots_for,
                era=at.host.era,
            ),
            delay=max(0.0, slot - at.now),
            timed=pace.delay > 0,
        )
        for candidate, slot in zip(candidates, slots, strict=False)
    ]


def _window(at: _Situation, pace: Pace, wanted: int) -> tuple[float, float]:
    """How far ahead slots may be booked, and from when on.

    Where FETCH has more ahead than it can do in time, only a host that is idle gets a slot.
    """
    if pace.delay <= 0:
        return at.ports.window, 0.0
    notice, room = at.ports.grace.notice, at.ports.home.queues.room("fetch", at.now)
    return at.ports.window - notice if room >= wanted else 0.0, notice


def _park(at: _Situation, candidates: list[Candidate], until: float) -> None:
    if candidates:
        at.ports.frontier.park(msgspec.structs.replace(at.request, urls=candidates), until)


def sweep(job: str, ports: Ports, now: float) -> list[Emission]:
    """Wake hosts whose parked URLs can go on: one pack each."""
    record = ports.jobs.get(job)
    if record is None or record.state != "running" or not has_budget(record):
        return []
    return packs_of(ports.frontier.waiting(now), ports, now)


def packs_of(
    hosts: list[str], ports: Ports, now: float, asleep: frozenset[str] = frozenset()
) -> list[Emission]:
    """The best parked URLs of each host, back into the frontier's stream; not of jobs asleep."""
    packs = ports.frontier.take_many(hosts, now, asleep)
    return [Emission("frontier", pack.request, pack=pack.key) for pack in packs]


def next_pack(host: str, ports: Ports, now: float) -> list[Emission]:
    """The best parked URLs of a host, back into the frontier's stream."""
    pack = ports.frontier.take(host, now)
    return [Emission("frontier", pack.request, pack=pack.key)] if pack is not None else []


def has_budget(job: JobRecord) -> bool:
    """Whether the job may fetch at least one more page."""
    return pages_left(job, 1) > 0


def is_limited(job: JobRecord) -> bool:
    """Whether pages or documents are counted."""
    return job.pages_left is not None or job.documents_left is not None


def pages_left(job: JobRecord, wanted: int) -> int:
    """How many of so many pages the budgets still have room for."""
    limits = (job.pages_left, job.documents_left)
    return min([wanted, *(left for left in limits if left is not None)])
