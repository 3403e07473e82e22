"""FETCH: inside its booked slot, one request; then what came of it.

Order of effects, so that a crash at any line loses nothing: the claim is durable before the
request, the page lies in its WARC before the URL moves on, and a message that comes back finds in
the URL's record what it still has to emit.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch import robots_txt
from gossamer.bolts.fetch.apply_response import (
    Visit,
    is_as_before,
    is_worth_a_write,
    next_pack_if_budget,
    note,
    settle,
    settle_sitemap,
    was_read,
    with_content,
)
from gossamer.bolts.fetch.emissions import book_again, conclude
from gossamer.bolts.schedule import is_limited
from gossamer.core.crawl import response_outcome as outcomes
from gossamer.core.crawl.claims import LEASE, Claim, is_claimed_since, is_leased
from gossamer.core.crawl.cookies import header_for
from gossamer.core.crawl.host_pace import pace_of, robots_of
from gossamer.core.crawl.politeness import latest_slot
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import END_STATES, Event, State
from gossamer.core.page.read_response import accepted_types
from gossamer.messages import Emission, FetchRequest, id_of
from gossamer.ports.fetcher import LATE, TRANSIENT_FAULTS, HttpRequest
from gossamer.ports.pages import Earlier, RequestFacts

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.ports import Ports
    from gossamer.ports.jobs import JobRecord

SOON = 10.0  # seconds after its slot began by which most requests are done
MAX_LOST = 5  # deaths on one URL before it is given up
MAX_SITEMAP_BYTES = 50_000_000
NOT_MODIFIED = 304


async def fetch(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """Make the request that a slot bought."""
    job = ports.jobs.get(request.job)
    host = ports.hosts.get(request.host)
    if job is None:
        return []
    if is_from_wrong_clock(request, host, ports.window, now):
        return _give_up_slot(request, ports, job, now)
    if now < request.slot and request.delay > 0:
        return [Emission("fetch", request, delay=request.slot - now, timed=True)]
    if _must_wait(job, host, now) or slot_is_void(request, job, host, ports, now):
        return _give_up_slot(request, ports, job, now)
    refusal = await _claim(request, ports, job, host, now)
    if refusal is not None:
        return refusal
    return await _visit(request, ports, job, host)


def is_from_wrong_clock(request: FetchRequest, host: HostRecord, window: float, now: float) -> bool:
    """Return whether a slot was booked by a clock that was ahead: such a slot is void."""
    spacing = request.delay + request.grace
    return request.era != host.era or request.slot > latest_slot(now, spacing, window)


def _must_wait(job: JobRecord, host: HostRecord, now: float) -> bool:
    """Whether SCHEDULE has to say what becomes of this host's URLs."""
    return job.state in ("stopped", "paused") or host.is_set_aside(now)


def _give_up_slot(
    request: FetchRequest, ports: Ports, job: JobRecord, now: float
) -> list[Emission]:
    """Ask for another slot, unless this message is a late copy of one that was dealt with."""
    if robots_txt.is_settled(request, ports, now):
        return robots_txt.emissions_again(request, ports, now)
    if request.purpose != "robots":
        record = ports.urls.get(_id(request))
        if record is not None and record.state is State.FETCHING:
            if is_leased(record.lease, now):
                return _yield(request, ports, now)
            return _ask_again(request, ports, now)
        if record is not None and _is_old(request, record, now):
            return _repeat(request, ports, job, now)
    return book_again(request, ports, now)


def _is_old(request: FetchRequest, record: UrlRecord, now: float) -> bool:
    """Whether the URL went on without this message."""
    if record.state in END_STATES and record.slot == request.candidate.after > 0:
        return False
    if record.state not in (State.DISCOVERED, State.FETCHING):
        return True
    if is_claimed_since(record.slot, request.slot, now):
        return True
    return record.tries > request.candidate.tries


def slot_is_void(
    request: FetchRequest, job: JobRecord, host: HostRecord, ports: Ports, now: float
) -> bool:
    """Whether the slot is over, too early for the host, or booked at a pace now too fast."""
    if now < host.not_before or request.delay < pace_of(host, job.config, ports.grace).delay:
        return True
    return request.delay > 0 and now > request.slot + request.grace


async def _claim(
    request: FetchRequest, ports: Ports, job: JobRecord, host: HostRecord, now: float
) -> list[Emission] | None:
    """None when the request is ours to make; else what to do instead."""
    if request.purpose == "robots":
        return await _claim_robots(request, ports, now)
    refusal = _refusal(request, ports, job, host, now)
    if refusal is not None:
        return refusal
    tries, after = request.candidate.tries, request.candidate.after
    claim = await ports.urls.claim(_id(request), request.slot, now + LEASE, now, tries, after)
    match claim:
        case Claim.TAKEN:
            return _lack_of_unit(request, ports, job, now)
        case Claim.BUSY:
            return _yield(request, ports, now)
        case Claim.STALE:
            return _ask_again(request, ports, now)
        case Claim.ENDED:
            return _repeat(request, ports, job, now)


def _refusal(
    request: FetchRequest, ports: Ports, job: JobRecord, host: HostRecord, now: float
) -> list[Emission] | None:
    """What robots.txt says against the request; None if nothing."""
    url = request.candidate.url
    if now >= host.robots_until or host.robots_unavailable:
        return _give_up_slot(request, ports, job, now)
    if not robots_of(host).allows(url, job.config.identity()):
        event = Event.FORBIDDEN_REVISIT if request.candidate.after else Event.FORBIDDEN
        return end_unfetched(request, ports, event, "robots", now)
    return None


def _lack_of_unit(
    request: FetchRequest, ports: Ports, job: JobRecord, now: float
) -> list[Emission] | None:
    """A unit that was given back meanwhile is waited for. Asked once the URL is ours: a late copy
    of a message must not take one."""
    id = _id(request)
    if request.purpose != "page" or not is_limited(job) or ports.jobs.reserve(request.job, [id]):
        return None
    return _lose_slot(request, ports, now)


async def _claim_robots(request: FetchRequest, ports: Ports, now: float) -> list[Emission] | None:
    if robots_txt.is_settled(request, ports, now):
        return robots_txt.emissions_again(request, ports, now)
    if await ports.hosts.claim_service(request.host, request.slot):
        return None
    over = request.slot + LEASE
    if now < over and ports.hosts.get(request.host).service_slot == request.slot:
        return _look_again(request, now, over)
    return book_again(request, ports, now)


def _look_again(request: FetchRequest, now: float, over: float) -> list[Emission]:
    """This message came twice: soon the holder of the slot is done, or at the latest then."""
    soon = request.slot + SOON
    at = soon if now < soon < over else over + 1.0
    return [Emission("fetch", request, delay=max(0.0, at - now))]


def _ask_again(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """The fetcher that had the URL died. It may be the URL that kills, so not for ever."""
    record = ports.urls.get(_id(request))
    died = record is not None and record.slot == request.slot  # the holder for this very message
    lost = request.candidate.lost + died
    if lost > MAX_LOST:
        return end_unfetched(request, ports, Event.LOST, "dead-letter", now)
    candidate = msgspec.structs.replace(request.candidate, lost=lost)
    return _lose_slot(msgspec.structs.replace(request, candidate=candidate), ports, now)


def _lose_slot(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """Ask for another slot. The URL waits for it, unless another fetcher has a later one."""
    if request.purpose != "robots":
        ports.urls.move(_id(request), Event.SLOT_LOST, slot=request.slot)
    return book_again(request, ports, now)


def _yield(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """Another fetcher has the URL: look again later if it is for our slot, else let it be."""
    record = ports.urls.get(_id(request))
    if record is not None and record.slot != request.slot:
        return []
    return _look_again(request, now, record.lease if record is not None else now + LEASE)


def end_unfetched(
    request: FetchRequest, ports: Ports, event: Event, reason: str, now: float
) -> list[Emission]:
    """End a URL without asking for it."""
    ports.urls.move(_id(request), event, UrlChange(reason=reason))
    ports.jobs.release(request.job, _id(request), now)
    return []


def _repeat(request: FetchRequest, ports: Ports, job: JobRecord, now: float) -> list[Emission]:
    """The message came twice: do again what its first run may not have finished."""
    record = ports.urls.get(_id(request))
    return conclude(record, request, job.config, ports, now) if record is not None else []


def _id(request: FetchRequest) -> bytes:
    return id_of(request.candidate.url, request.purpose)


async def _visit(
    request: FetchRequest, ports: Ports, job: JobRecord, host: HostRecord
) -> list[Emission]:
    before = ports.urls.get(_id(request)) if request.purpose != "robots" else None
    response = await ports.fetcher.fetch(_http_request(request, job, before, ports))
    if response.fault == LATE:
        return _lose_slot(request, ports, response.started_at)
    visit = Visit(request, ports, job, ports.hosts.get(request.host), response, before=before)
    return await apply(visit)


async def apply(visit: Visit) -> list[Emission]:
    """Keep a response, unless it lies in a WARC file already, and do what it means."""
    request, outcome = visit.request, _outcome(visit)
    visit, ill = await _store(visit, outcome)
    if request.purpose == "robots":
        return robots_txt.settle(visit, outcome)
    if request.purpose == "sitemap":
        return settle_sitemap(visit, outcome, ill)
    return settle(visit, outcome, ill) + next_pack_if_budget(visit)


def _outcome(visit: Visit) -> outcomes.Outcome:
    """What the response means, by what was asked."""
    response, purpose = visit.response, visit.request.purpose
    outcome = outcomes.judge(response.code, response.fault, response.fault in TRANSIENT_FAULTS)
    if outcome.kind == "page" and purpose == "page" and not response.body.strip():
        return outcomes.Outcome("excluded", "empty-body")
    if outcome.kind == "unchanged" and not _validators(visit.before):
        # Nothing is known that could be unchanged. It is asked again, without conditions as before.
        return outcomes.Outcome("retry", "http-304")
    return outcome


async def _store(visit: Visit, outcome: outcomes.Outcome) -> tuple[Visit, bool]:
    """Keep the page and what it tells of its host.

    What a host demands is durable before the page lies in its WARC: so every Retry-After that the
    audit can read there was heeded, wherever a process died.
    """
    request, hosts = visit.request, visit.ports.hosts
    if outcome.kind == "throttled":
        change, ill = note(visit, outcome)
        await hosts.change_durably(request.host, change)
    page = visit.page
    if page is None:
        facts, earlier = _facts(request, visit.job), _earlier(visit, outcome)
        page = await visit.ports.pages.append(visit.response, facts, earlier)
    visit = with_content(replace(visit, page=page), outcome)
    if outcome.kind != "throttled":
        change, ill = note(visit, outcome)
        if is_worth_a_write(change, request):
            hosts.change(request.host, change)
    return visit, ill


def _earlier(visit: Visit, outcome: outcomes.Outcome) -> Earlier | None:
    """The visit whose page a response repeats: nothing new is read of it."""
    before = visit.before
    if before is None or before.page is None:
        return None
    if visit.response.code == NOT_MODIFIED or is_as_before(visit, outcome):
        return Earlier(before.page, before.url, before.fetched_at)
    return None


def _http_request(
    request: FetchRequest, job: JobRecord, before: UrlRecord | None, ports: Ports
) -> HttpRequest:
    start_by = request.slot + request.grace if request.delay > 0 else math.inf
    gap = request.delay if ports.grace.is_gated(request.delay) else 0.0
    url, limit = request.candidate.url, robots_txt.MAX_BYTES
    sent = header_for(request.candidate.cookies, url)
    cookies = {"Cookie": sent} if sent else {}
    if request.purpose == "robots":
        return HttpRequest(
            url=url, start_by=start_by, max_bytes=limit, cut=True, headers=cookies, gap=gap
        )
    is_page = request.purpose == "page"
    return HttpRequest(
        url=url,
        start_by=start_by,
        max_bytes=job.config.max_bytes if is_page else MAX_SITEMAP_BYTES,
        accept_types=accepted_types(request.purpose, pictures=job.config.pictures),
        headers=cookies | (_validators(before) if is_page or was_read(before) else {}),
        gap=gap,
    )


def _validators(record: UrlRecord | None) -> dict[str, str]:
    """Conditional GET: what we were told of the version we hold."""
    if record is None or record.page is None:
        return {}
    pairs = (("If-None-Match", record.etag), ("If-Modified-Since", record.modified))
    return {name: value for name, value in pairs if value}


def _facts(request: FetchRequest, job: JobRecord) -> RequestFacts:
    return RequestFacts(
        job=request.job,
        host=request.host,
        purpose=request.purpose,
        slot=request.slot,
        delay=request.delay,
        grace=request.grace,
        depth=request.candidate.depth,
        tries=request.candidate.tries,
        agent=job.config.identity(),
        max_delay=job.config.max_delay,
        robots_for=request.robots_for,
        after=request.candidate.after,
        cookies=request.candidate.cookies,
        hops=request.candidate.hops if request.candidate.cookies else 0,
        era=request.era,
    )
