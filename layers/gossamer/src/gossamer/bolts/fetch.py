"""FETCH: inside its booked slot, one request; then what came of it.

Order of effects, so that a crash at any line loses nothing: the claim is durable before the
request, the page lies in its WARC before the URL moves on, and a message that comes back finds in
the URL's record what it still has to emit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts import robots_fetch
from gossamer.bolts.links import redirection
from gossamer.bolts.pacing import base_delay, pace_of, robots_of
from gossamer.core import outcome as outcomes
from gossamer.core.fingerprint import fingerprint
from gossamer.core.politeness import forgiven, penalised
from gossamer.core.status import State
from gossamer.core.urls import normalise, url_id
from gossamer.messages import (
    Candidate,
    CrawlRequest,
    Emission,
    FetchRequest,
    PageFetched,
    PageRef,
)
from gossamer.ports.fetcher import LATE, TRANSIENT_FAULTS, HttpRequest, HttpResponse
from gossamer.ports.pages import RequestFacts
from gossamer.ports.urls import Claim, UrlRecord

if TYPE_CHECKING:
    from gossamer.ports import Ports
    from gossamer.ports.hosts import HostRecord
    from gossamer.ports.jobs import JobRecord

LEASE = 180.0  # seconds a claim keeps others away: longer than any request may take
MAX_REDIRECTS = 5
MAX_SITEMAP_BYTES = 50_000_000
PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
XML_TYPES = ("text/*", "application/*")
PENDING = (State.DISCOVERED, State.FETCHING)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that was made, with all that is needed to deal with its response."""

    request: FetchRequest
    ports: Ports
    job: JobRecord
    host: HostRecord
    response: HttpResponse
    page: PageRef

    @property
    def id(self) -> bytes:
        """The identity of the URL that was asked for."""
        return url_id(self.request.candidate.url)

    @property
    def ended_at(self) -> float:
        """When the response was complete."""
        return self.response.started_at + self.response.seconds


async def fetch(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """Make the request that a slot bought."""
    job = ports.jobs.get(request.job)
    host = ports.hosts.get(request.host)
    if job is None:
        return []
    if now < request.slot and request.delay > 0:
        return [Emission("fetch", request, delay=request.slot - now, timed=True)]
    if job.state == "stopped" or host.set_aside or slot_is_void(request, job, host, ports, now):
        return book_again(request, ports)
    refusal = await _claim(request, ports, job, host, now)
    if refusal is not None:
        return refusal
    return await _visit(request, ports, job, host)


def slot_is_void(
    request: FetchRequest, job: JobRecord, host: HostRecord, ports: Ports, now: float
) -> bool:
    """Whether the slot is over, too early for the host, or booked at a pace now too fast."""
    if now < host.not_before or request.delay < pace_of(host, job.config, ports).delay:
        return True
    return request.delay > 0 and now > request.slot + request.grace


def book_again(
    request: FetchRequest, ports: Ports, *, tries: int = 0, wait: float = 0.0
) -> list[Emission]:
    """Give the slot up and ask for a new one."""
    if request.purpose == "page":
        ports.jobs.refund(request.job, 1, 1)
    candidate = request.candidate
    if tries:
        candidate = Candidate(candidate.url, candidate.depth, candidate.hops, tries)
    again = CrawlRequest(
        job=request.job,
        host=request.host,
        urls=[candidate],
        purpose=request.purpose,
        robots_for=request.robots_for,
    )
    return [Emission("frontier", again, delay=wait)]


async def _claim(
    request: FetchRequest, ports: Ports, job: JobRecord, host: HostRecord, now: float
) -> list[Emission] | None:
    """None when the request is ours to make; else what to do instead."""
    if request.purpose != "page":
        return await _claim_service(request, ports, now)
    url = request.candidate.url
    if now >= host.robots_until or host.robots_unavailable:
        return book_again(request, ports)
    if not robots_of(host).allows(url, job.config.identity()):
        return end_unfetched(request, ports, State.EXCLUDED, "robots")
    claim = await ports.urls.claim(url_id(url), request.slot, now + LEASE, now)
    match claim:
        case Claim.TAKEN:
            return None
        case Claim.BUSY:
            return _yield(request, ports)
        case Claim.STALE:
            return book_again(request, ports)
        case Claim.ENDED:
            return _repeat(request, ports)


async def _claim_service(request: FetchRequest, ports: Ports, now: float) -> list[Emission] | None:
    if await ports.hosts.claim_service(request.host, request.slot):
        return None
    if robots_fetch.is_settled(request, ports, now):
        return []
    return book_again(request, ports)


def _yield(request: FetchRequest, ports: Ports) -> list[Emission]:
    """Somebody is at this URL: look again later if it is for our slot, else it is not our task."""
    record = ports.urls.get(url_id(request.candidate.url))
    if record is not None and record.slot != request.slot:
        ports.jobs.refund(request.job, 1, 1)
        return []
    return [Emission("fetch", request, delay=LEASE)]


def end_unfetched(request: FetchRequest, ports: Ports, state: State, reason: str) -> list[Emission]:
    """End a URL without asking for it."""
    ports.urls.move(url_id(request.candidate.url), PENDING, state, reason=reason)
    ports.jobs.refund(request.job, 1, 1)
    return []


def _repeat(request: FetchRequest, ports: Ports) -> list[Emission]:
    """The message came twice: emit again what its first run may not have sent."""
    record = ports.urls.get(url_id(request.candidate.url))
    if record is None or record.slot != request.slot:
        ports.jobs.refund(request.job, 1, 1)  # a superfluous slot: its units are free again
        return []
    return emissions_of(record, request, ports)


def emissions_of(record: UrlRecord, request: FetchRequest, ports: Ports) -> list[Emission]:
    """What a URL in this state must have emitted."""
    if record.state is State.FETCHED and record.page is not None:
        return [_to_parse(request, record, links_only=False)]
    if record.state is State.DUPLICATE and record.page is not None:
        return _duplicate_links(request, record, ports)
    if record.state is State.REDIRECTED and record.target:
        return [Emission("links", redirection(request.job, record))]
    if record.state is State.DISCOVERED:
        candidate = msgspec.structs.replace(request.candidate, tries=record.tries)
        again = CrawlRequest(job=request.job, host=request.host, urls=[candidate])
        return [Emission("frontier", again)]
    return []


async def _visit(
    request: FetchRequest, ports: Ports, job: JobRecord, host: HostRecord
) -> list[Emission]:
    response = await ports.fetcher.fetch(_http_request(request, ports, job))
    if response.fault == LATE:
        if request.purpose == "page":
            ports.urls.move(url_id(request.candidate.url), PENDING, State.DISCOVERED)
        return book_again(request, ports)
    page = ports.pages.append(response, _facts(request, job))
    visit = Visit(request, ports, job, ports.hosts.get(request.host), response, page)
    fault = response.fault
    outcome = outcomes.judge(response.code, fault, fault in TRANSIENT_FAULTS)
    ill = _note(visit, outcome)
    if request.purpose == "robots":
        return robots_fetch.settle(visit, outcome)
    if request.purpose == "sitemap":
        return _settle_sitemap(visit, outcome)
    return _settle(visit, outcome, ill) + _one_in(visit)


def _http_request(request: FetchRequest, ports: Ports, job: JobRecord) -> HttpRequest:
    start_by = request.slot + request.grace if request.delay > 0 else math.inf
    url = request.candidate.url
    if request.purpose == "robots":
        return HttpRequest(url=url, start_by=start_by, max_bytes=robots_fetch.MAX_BYTES, cut=True)
    if request.purpose == "sitemap":
        return HttpRequest(
            url=url, start_by=start_by, max_bytes=MAX_SITEMAP_BYTES, accept_types=XML_TYPES
        )
    return HttpRequest(
        url=url,
        start_by=start_by,
        max_bytes=job.config.max_bytes,
        accept_types=PAGE_TYPES,
        headers=_validators(ports.urls.get(url_id(url))),
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
    )


def _note(visit: Visit, outcome: outcomes.Outcome) -> bool:
    """Keep the host's record; True when this response made it ill."""
    host, base = visit.host, base_delay(visit.host, visit.job.config)
    requests, bad = host.requests + 1, host.bad + outcome.is_bad
    last = max(host.last_slot, visit.response.started_at)
    facts: dict[str, object] = {"requests": requests, "bad": bad, "last_slot": last}
    push = 0.0
    if outcome.kind == "throttled":
        penalty = penalised(max(base, host.penalty))
        wait = outcomes.retry_after(visit.response.header("retry-after"), visit.ended_at)
        not_before = visit.ended_at + min(wait, outcomes.MAX_RETRY_AFTER)
        facts |= {"penalty": penalty, "not_before": max(host.not_before, not_before)}
        push = max(not_before, visit.ended_at + penalty + visit.ports.grace.grace(penalty))
    elif host.penalty:
        facts["penalty"] = forgiven(host.penalty, base) if not outcome.is_bad else host.penalty
    ill = outcomes.is_ill(requests, bad)
    if ill:
        facts["set_aside"] = "host-set-aside"
    visit.ports.hosts.change(visit.request.host, push_slot=push, **facts)
    return ill


def _settle(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    match outcome.kind:
        case "page":
            return _keep(visit)
        case "redirect":
            return _redirect(visit)
        case "retry" | "throttled":
            return _retry(visit, outcome, ill)
        case "unchanged":
            return _keep_unchanged(visit)
        case "gone":
            return _end(visit, State.GONE, outcome.reason)
        case "excluded":
            return _end(visit, State.EXCLUDED, outcome.reason)
        case "failed":
            return _end(visit, State.FAILED, outcome.reason)


def _learned(visit: Visit) -> dict[str, object]:
    response = visit.response
    return {
        "code": response.code,
        "size": len(response.body),
        "tries": visit.request.candidate.tries + 1,
        "fetched_at": response.started_at,
        "page": visit.page,
    }


def _end(visit: Visit, state: State, reason: str, **facts: object) -> list[Emission]:
    """End a URL that brought no page; its budget is free again."""
    if visit.ports.urls.move(
        visit.id, (State.FETCHING,), state, reason=reason, **(_learned(visit) | facts)
    ):
        visit.ports.jobs.refund(visit.request.job, 1, 1)
    return []


def _keep_unchanged(visit: Visit) -> list[Emission]:
    """Not modified: the page we hold is still the page, and a duplicate still a duplicate."""
    record = visit.ports.urls.get(visit.id)
    repeats = record is not None and record.target and record.page is not None
    state, reason = (
        (State.DUPLICATE, "same-content") if repeats else (State.UNCHANGED, "not-modified")
    )
    tries = visit.request.candidate.tries + 1
    if visit.ports.urls.move(visit.id, (State.FETCHING,), state, reason=reason, tries=tries):
        visit.ports.jobs.refund(visit.request.job, 1, 1)
    return []


def _retry(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    config = visit.job.config
    tries = visit.request.candidate.tries + 1
    asked = outcomes.retry_after(visit.response.header("retry-after"), visit.ended_at)
    if ill:
        return _end(visit, State.FAILED, "host-set-aside")
    if outcome.kind == "throttled" and asked > outcomes.MAX_RETRY_AFTER:
        return _end(visit, State.FAILED, "rate-limited")
    if tries > config.retries:
        return _end(visit, State.FAILED, outcome.reason)
    visit.ports.urls.move(
        visit.id, (State.FETCHING,), State.DISCOVERED, tries=tries, code=visit.response.code
    )
    wait = outcomes.retry_wait(config.retry_wait, tries) if outcome.kind == "retry" else 0.0
    return book_again(visit.request, visit.ports, tries=tries, wait=wait)


def _redirect(visit: Visit) -> list[Emission]:
    url = visit.request.candidate.url
    location = visit.response.header("location")
    target = normalise(location, url, visit.job.rules.urls) if location else None
    if target is None:
        return _end(visit, State.FAILED, "bad-redirect")
    if target == url:
        return _end(visit, State.FAILED, "redirect-loop")
    _end(visit, State.REDIRECTED, "redirect", target=target)
    record = visit.ports.urls.get(visit.id)
    return [Emission("links", redirection(visit.request.job, record))] if record else []


def _keep(visit: Visit) -> list[Emission]:
    """A page: is its content new?"""
    url, response = visit.request.candidate.url, visit.response
    md5 = fingerprint(response.body)
    owner = visit.ports.contents.own(md5, url)
    facts = _learned(visit) | {
        "md5": md5,
        "etag": response.header("etag")[:200],
        "modified": response.header("last-modified")[:100],
    }
    if owner != url:
        return _keep_duplicate(visit, owner, facts)
    if not visit.ports.urls.move(visit.id, (State.FETCHING,), State.FETCHED, **facts):
        return []
    record = visit.ports.urls.get(visit.id)
    if record is None:
        return []
    return [_to_parse(visit.request, record, links_only=False)]


def _keep_duplicate(visit: Visit, owner: str, facts: dict[str, object]) -> list[Emission]:
    moved = visit.ports.urls.move(
        visit.id, (State.FETCHING,), State.DUPLICATE, reason="same-content", target=owner, **facts
    )
    if moved:
        visit.ports.jobs.refund(visit.request.job, 0, 1)
    record = visit.ports.urls.get(visit.id)
    return _duplicate_links(visit.request, record, visit.ports) if record else []


def _duplicate_links(request: FetchRequest, record: UrlRecord, ports: Ports) -> list[Emission]:
    """The same bytes in another folder, or nearer: links lead elsewhere, or are less deep."""
    owner = ports.urls.get(url_id(record.target))
    same_folder = (
        record.url.rpartition("/")[0] == record.target.partition("?")[0].rpartition("/")[0]
    )
    if same_folder and owner is not None and owner.depth <= record.depth:
        return []
    return [_to_parse(request, record, links_only=True)]


def _to_parse(request: FetchRequest, record: UrlRecord, *, links_only: bool) -> Emission:
    """Pages of slow hosts are parsed first: such a host may have nothing else to be asked for."""
    if record.page is None:
        raise ValueError(f"{record.url} has no page")
    page = PageFetched(
        job=request.job,
        url=record.url,
        page=record.page,
        depth=record.depth,  # not the request's: a shorter way may have been found meanwhile
        fetched_at=record.fetched_at,
        links_only=links_only,
    )
    return Emission("parse", page, timed=request.delay > 0)


def _settle_sitemap(visit: Visit, outcome: outcomes.Outcome) -> list[Emission]:
    request, tries = visit.request, visit.request.candidate.tries + 1
    if outcome.kind == "page":
        page = PageFetched(
            job=request.job,
            url=request.candidate.url,
            page=visit.page,
            depth=0,
            fetched_at=visit.response.started_at,
            purpose="sitemap",
            hops=request.candidate.hops,
        )
        return [Emission("parse", page)]
    if outcome.kind in ("retry", "throttled") and tries <= visit.job.config.retries:
        wait = outcomes.retry_wait(visit.job.config.retry_wait, tries)
        return book_again(request, visit.ports, tries=tries, wait=wait)
    return []


def _one_in(visit: Visit) -> list[Emission]:
    """One out, some in: keeps a busy host's window full without a scanner."""
    pack = visit.ports.frontier.take(visit.request.host, visit.ended_at)
    return [Emission("frontier", pack)] if pack is not None else []
