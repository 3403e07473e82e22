"""What becomes of a URL and of its host after one request?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.bolts.links import redirection
from gossamer.bolts.onward import book_again, duplicate_links, to_parse
from gossamer.bolts.pacing import base_delay
from gossamer.bolts.schedule import has_budget, next_pack
from gossamer.core import outcome as outcomes
from gossamer.core.fingerprint import fingerprint
from gossamer.core.politeness import forgiven, penalised
from gossamer.core.status import State
from gossamer.core.urls import normalise, url_id
from gossamer.messages import Emission, PageFetched

if TYPE_CHECKING:
    from gossamer.messages import FetchRequest, PageRef
    from gossamer.ports import Ports
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.hosts import HostRecord
    from gossamer.ports.jobs import JobRecord


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


def note(visit: Visit, outcome: outcomes.Outcome) -> bool:
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


def settle(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    """Move the URL on by what came of its request."""
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
        _release(visit)
    return []


def _release(visit: Visit, *, pages: bool = True) -> None:
    visit.ports.jobs.release(visit.request.job, visit.id, visit.ended_at, pages=pages)


def _keep_unchanged(visit: Visit) -> list[Emission]:
    """Not modified: the page we hold is still the page, and a duplicate still a duplicate."""
    record = visit.ports.urls.get(visit.id)
    repeats = record is not None and record.target and record.page is not None
    state, reason = (
        (State.DUPLICATE, "same-content") if repeats else (State.UNCHANGED, "not-modified")
    )
    tries = visit.request.candidate.tries + 1
    if visit.ports.urls.move(visit.id, (State.FETCHING,), state, reason=reason, tries=tries):
        _release(visit)
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
    return book_again(visit.request, visit.ports, visit.ended_at, tries=tries, wait=wait)


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
    return [to_parse(visit.request, record, links_only=False)]


def _keep_duplicate(visit: Visit, owner: str, facts: dict[str, object]) -> list[Emission]:
    moved = visit.ports.urls.move(
        visit.id, (State.FETCHING,), State.DUPLICATE, reason="same-content", target=owner, **facts
    )
    if moved:
        _release(visit, pages=False)
    record = visit.ports.urls.get(visit.id)
    return duplicate_links(visit.request, record, visit.ports) if record else []


def settle_sitemap(visit: Visit, outcome: outcomes.Outcome) -> list[Emission]:
    """Have a sitemap read, or ask for it again."""
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
        return book_again(request, visit.ports, visit.ended_at, tries=tries, wait=wait)
    return []


def one_in(visit: Visit) -> list[Emission]:
    """One out, some in: keeps a busy host's window full without a scanner.

    Without a budget they would only be parked again.
    """
    if not has_budget(visit.job):
        return []
    return next_pack(visit.request.host, visit.ports, visit.ended_at)
