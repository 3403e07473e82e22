"""FETCH, for robots.txt: what its answer means for the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.fetch.redirects import cookies_after
from gossamer.bolts.schedule import UNREACHABLE_TTL, next_pack
from gossamer.bolts.sitemaps import ask_for_sitemaps
from gossamer.core.crawl.host_pace import aside, base_delay, robots_of
from gossamer.core.crawl.host_record import ROBOTS_TTL, HostChange
from gossamer.core.crawl.response_outcome import MAX_RETRY_AFTER, retry_after, retry_wait
from gossamer.core.crawl.robots import (
    MAX_ROBOTS_BYTES,
    MAX_ROBOTS_REDIRECTS,
    parse_robots,
)
from gossamer.core.urls import from_header, host_of, normalise, url_id
from gossamer.messages import Candidate, CrawlRequest, Emission, FetchRequest

if TYPE_CHECKING:
    from gossamer.bolts.fetch.apply_response import Visit
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.crawl.response_outcome import Outcome
    from gossamer.core.crawl.robots import Robots
    from gossamer.ports import Ports

MAX_BYTES = MAX_ROBOTS_BYTES + 4096  # a line more than the parser reads; the rest is cut
FATAL_FAULTS = frozenset({"dns", "unsafe-address", "tls-certificate"})


def is_settled(request: FetchRequest, ports: Ports, now: float) -> bool:
    """Whether this asks for a robots.txt whose rules are known by now."""
    asks = request.purpose == "robots"
    return asks and now < ports.hosts.get(request.robots_for).robots_until


def settle(visit: Visit, outcome: Outcome) -> list[Emission]:
    """Learn the rules of a host, follow a redirect to them, or note that they cannot be had."""
    if outcome.kind == "redirect" and visit.request.candidate.hops < MAX_ROBOTS_REDIRECTS:
        onward = _redirect(visit)
        if onward:
            return onward
    if outcome.reason in FATAL_FAULTS:
        return _give_up(visit, outcome.reason)
    # RFC 9309: a chain of redirects that is too long counts as no rules at all.
    code = 404 if outcome.kind == "redirect" else visit.response.code
    robots = parse_robots(visit.response.body, code)
    if outcome.kind in ("retry", "throttled") or visit.response.fault or robots.unavailable:
        return _unavailable(visit, outcome.reason)
    return _learn(visit, robots)


def _redirect(visit: Visit) -> list[Emission]:
    candidate = visit.request.candidate
    target = normalise(from_header(visit.response.header("location")), candidate.url)
    if target is None:
        return []
    cookies = cookies_after(candidate, visit.response, target)
    onward = CrawlRequest(
        job=visit.request.job,
        host=host_of(target),
        urls=[Candidate(target, 0, candidate.hops + 1, cookies=cookies)],
        purpose="robots",
        robots_for=visit.request.robots_for,
    )
    return [Emission("frontier", onward)]


def _give_up(visit: Visit, reason: str) -> list[Emission]:
    host = visit.ports.hosts.get(visit.request.robots_for)
    given_up = HostChange(
        aside=aside(host, reason, visit.ended_at), robots_lease=0.0, robots_until=visit.ended_at
    )
    visit.ports.hosts.change(host.host, given_up)
    return _wake(visit.request, visit.ports, visit.ended_at)


def _unavailable(visit: Visit, reason: str) -> list[Emission]:
    config = visit.job.config
    host = visit.ports.hosts.get(visit.request.robots_for)
    tries = host.robots_tries + 1
    # Where nothing has ever answered, a refused connection is no sign of load: longer and longer
    # waits would only hide a mistyped port.
    is_absent = reason == "connection-refused" and not (host.robots_code or host.pages)
    asked = retry_after(visit.response.header("retry-after"), visit.ended_at)
    own_wait = retry_wait(config.retry_wait, 1 if is_absent else tries)
    wait = max(own_wait, min(asked, MAX_RETRY_AFTER))
    unavailable = HostChange(
        robots_unavailable=True,
        robots_code=visit.response.code or host.robots_code,  # the last that it ever answered
        robots_tries=tries,
        robots_fault=reason,
        robots_until=visit.ended_at + (wait if tries <= config.retries else UNREACHABLE_TTL),
        robots_lease=0.0,
    )
    visit.ports.hosts.change(visit.request.robots_for, unavailable)
    return _wake(visit.request, visit.ports, visit.ended_at)


def _learn(visit: Visit, robots: Robots) -> list[Emission]:
    host, config, ports = visit.request.robots_for, visit.job.config, visit.ports
    rules = HostChange(
        robots_code=robots.code,
        robots_text=robots.text,
        robots_unavailable=robots.unavailable,
        robots_until=visit.ended_at + ROBOTS_TTL,
        robots_tries=0,
        robots_fault="",
        robots_lease=0.0,
    )
    learned = ports.hosts.change(host, rules)
    # The slot after this one was fixed before the rules were known: keep their distance too.
    delay = base_delay(learned, config)
    if delay > 0 and host == visit.request.host:
        gap = delay + ports.grace.grace(delay)
        ports.hosts.change(host, HostChange(next_slot=visit.response.started_at + gap))
    found = _sitemaps(visit.request, config, robots, ports, visit.ended_at)
    return found + _wake(visit.request, ports, visit.ended_at)


def emissions_again(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """The message came twice: emit again what its first run may not have sent."""
    job, host = ports.jobs.get(request.job), ports.hosts.get(request.robots_for)
    if job is None:
        return []
    if host.robots_unavailable:
        return _wake(request, ports, now)
    found = _sitemaps(request, job.config, robots_of(host), ports, now)
    return found + _wake(request, ports, now)


def _sitemaps(
    request: FetchRequest, config: JobConfig, robots: Robots, ports: Ports, now: float
) -> list[Emission]:
    if not (config.sitemaps and config.follow):
        return []
    named = (normalise(url) for url in robots.sitemaps()[:20])
    # One elsewhere could send us anywhere in anyone's name: only the host's own count.
    own = [url for url in named if url is not None and host_of(url) == request.robots_for]
    return ask_for_sitemaps(own, url_id(request.candidate.url), request.job, ports, now)


def _wake(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    ports.frontier.wake(request.robots_for)
    return next_pack(request.robots_for, ports, now)
