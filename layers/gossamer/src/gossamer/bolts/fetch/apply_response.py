"""FETCH, after the request: what the response changes of its URL and of its host."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch.emissions import conclude, tells_depth
from gossamer.bolts.fetch.redirects import (
    cookies_after,
    is_asked_anew,
    leads_back,
    may_lead_back,
)
from gossamer.bolts.schedule import has_budget, next_pack
from gossamer.bolts.sitemaps import may_be_feed
from gossamer.core.crawl import response_outcome as outcomes
from gossamer.core.crawl.host_pace import aside, base_delay
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.politeness import forgiven, penalised
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import FILE_REASONS, NO_DOCUMENT, TEMPLATE_REASONS, Event, State
from gossamer.core.fingerprint import fingerprint
from gossamer.core.revisit.change_rate import packed, remembered
from gossamer.core.urls import from_header, normalise, url_id
from gossamer.messages import Emission, id_of

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.messages import FetchRequest
    from gossamer.ports import Ports
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.jobs import JobRecord


COUNT_EVERY = 8
# Ends of a page that was read: if its bytes are the same, its documents are.
AS_BEFORE = (
    FILE_REASONS | TEMPLATE_REASONS | {"document", NO_DOCUMENT, "not-modified", "same-bytes"}
)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that was made, with all that is needed to deal with its response."""

    request: FetchRequest
    ports: Ports
    job: JobRecord
    host: HostRecord
    response: HttpResponse
    page: PageRef | None = None  # where it lies, once it does
    before: UrlRecord | None = None  # as it was known, while it was asked for
    md5: bytes = b""  # of its content, if it brought a page
    owner: str = ""  # of that content, if it is not what it was before

    @property
    def id(self) -> bytes:
        """The identity of the URL that was asked for."""
        return id_of(self.request.candidate.url, self.request.purpose)

    @property
    def ended_at(self) -> float:
        """When the response was complete."""
        return self.response.started_at + self.response.seconds

    @property
    def is_first(self) -> bool:
        """Whether the URL brought a page that was new, and never one before."""
        is_new = self.before is None or not self.before.history
        return is_new and bool(self.owner) and self.owner == self.request.candidate.url


def with_content(visit: Visit, outcome: outcomes.Outcome) -> Visit:
    """The visit with the fingerprint of its page, and the URL that had that content first."""
    if outcome.kind != "page" or visit.request.purpose != "page":
        return visit
    md5 = fingerprint(visit.response.body)
    if is_as_before(visit, outcome):
        return replace(visit, md5=md5)
    return replace(visit, md5=md5, owner=_owner(visit, md5))


def is_as_before(visit: Visit, outcome: outcomes.Outcome) -> bool:
    """Whether a page has the bytes that it had at its last visit, when it was read."""
    before = visit.before
    if before is None or not before.md5 or visit.request.purpose != "page":
        return False
    is_page = outcome.kind == "page" and _was_understood(before)
    return is_page and before.md5 == fingerprint(visit.response.body)


def note(visit: Visit, outcome: outcomes.Outcome) -> tuple[HostChange, bool]:
    """What a response changes of its host, and whether it made it ill."""
    host = visit.host
    change = replace(
        _slower(visit, outcome),
        requests=_counted(visit, outcome),
        bad=int(outcome.is_bad),
        bad_in_a_row=int(outcome.is_bad),
        is_well=bool(host.bad_in_a_row) and not outcome.is_bad,
        pages=int(visit.is_first),
        last_slot=visit.response.started_at,
    )
    # A good response makes no host ill, whatever came before.
    ill = outcome.is_bad and outcomes.is_ill(
        host.requests + change.requests, host.bad + 1, host.bad_in_a_row + 1
    )
    if ill and not host.is_set_aside(visit.ended_at):
        change = replace(change, aside=aside(host, "host-set-aside", visit.ended_at))
    return change, ill


def is_worth_a_write(change: HostChange, request: FetchRequest) -> bool:
    """A request inside its slot is where the booking said: no other writer needs to know."""
    return not request.delay or change != HostChange(last_slot=change.last_slot)


def _slower(visit: Visit, outcome: outcomes.Outcome) -> HostChange:
    """What a host's wish for fewer requests changes, and until when its slots are pushed."""
    host, base = visit.host, base_delay(visit.host, visit.job.config)
    if outcome.kind == "throttled":
        penalty = penalised(max(base, host.penalty))
        wait = outcomes.retry_after(visit.response.header("retry-after"), visit.ended_at)
        not_before = visit.ended_at + min(wait, outcomes.MAX_RETRY_AFTER)
        push = max(not_before, visit.ended_at + penalty + visit.ports.grace.grace(penalty))
        return HostChange(penalty=penalty, not_before=not_before, next_slot=push)
    if host.penalty:
        fading = host.penalty if outcome.is_bad else forgiven(host.penalty, base)
        return HostChange(penalty=fading)
    return HostChange()


def _counted(visit: Visit, outcome: outcomes.Outcome) -> int:
    """How many requests this one stands for.

    Of good responses to revisits one in eight counts, for eight: a write for each would cost as
    much as what is learned from an unchanged page.
    """
    if outcome.is_bad or not visit.request.candidate.after:
        return 1
    return COUNT_EVERY if (visit.id[-1] + int(visit.request.slot)) % COUNT_EVERY == 0 else 0


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
            return _miss(visit, outcome.reason)
        case "excluded":
            return _end(visit, Event.REJECTED, _reason_to_reject(visit, outcome.reason))
        case "failed":
            return _end(visit, Event.FAILED, outcome.reason)


def _move(visit: Visit, event: Event, change: UrlChange) -> list[Emission]:
    """Move the URL on, and send what its record asks for then."""
    urls, before = visit.ports.urls, visit.before
    if before is not None and before.cookies and change.cookies is None:
        change = replace(change, cookies="")  # those of another chain are forgotten
    moved = urls.move(visit.id, event, change)
    record = before.moved(event, change) if moved and before is not None else None
    if record is None or tells_depth(record):
        record = urls.get(visit.id)
    if record is None:
        return []
    return conclude(record, visit.request, visit.job.config, visit.ports, visit.ended_at)


def _learned(visit: Visit) -> UrlChange:
    response = visit.response
    return UrlChange(
        code=response.code,
        size=len(response.body),
        tries=visit.request.candidate.tries + 1,
        fetched_at=response.started_at,
        page=visit.page,
    )


def _end(visit: Visit, event: Event, reason: str) -> list[Emission]:
    """End a URL that brought no page."""
    return _move(visit, event, replace(_learned(visit), reason=reason))


def _reason_to_reject(visit: Visit, reason: str) -> str:
    """No page of a kind that is read. If it may be a feed, it is read as one."""
    config = visit.job.config
    is_asked = visit.request.purpose == "page" and config.sitemaps and config.follow
    is_feed = reason == "content-type" and may_be_feed(visit.response.header("content-type"))
    return "feed" if is_asked and is_feed else reason


def _miss(visit: Visit, reason: str) -> list[Emission]:
    """No page: if there was one, this is one more absence."""
    before, history = visit.before, None
    if before is not None and (before.history or before.md5):
        history = packed(remembered(before.history).absent(before.hinted_at))
    change = replace(_without_content(visit), reason=reason, history=history)
    return _move(visit, Event.MISSED, change)


def _without_content(visit: Visit) -> UrlChange:
    """What it said in an earlier round is no longer its own."""
    return replace(_learned(visit), md5=b"", etag="", modified="")


def _visited(visit: Visit, *, changed: bool) -> bytes:
    """The history of a page with this visit."""
    before = visit.before
    history = remembered(before.history if before else b"")
    hinted_at = before.hinted_at if before else 0.0
    modified = outcomes.http_date(visit.response.header("last-modified"))
    return packed(history.visited(visit.response.started_at, changed, modified, hinted_at))


def _keep_unchanged(visit: Visit) -> list[Emission]:
    """Not modified: the page we hold is still the page, and a duplicate still a duplicate."""
    record = visit.before
    change = UrlChange(
        reason="not-modified",
        tries=visit.request.candidate.tries + 1,
        history=_visited(visit, changed=False),
    )
    if record is None or not record.target or record.page is None:
        return _move(visit, Event.UNCHANGED, change)
    if _owner(visit, record.md5) == record.url:
        return _move(visit, Event.STORED, replace(change, reason="", target=""))
    return _move(visit, Event.REPEATED, change)


def _retry(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    tries = visit.request.candidate.tries + 1
    asked = outcomes.retry_after(visit.response.header("retry-after"), visit.ended_at)
    if ill:
        return _end(visit, Event.FAILED, "host-set-aside")
    if outcome.kind == "throttled" and asked > outcomes.MAX_RETRY_AFTER:
        return _end(visit, Event.FAILED, "rate-limited")
    if tries > visit.job.config.retries:
        return _end(visit, Event.FAILED, outcome.reason)
    return _ask_again(visit, visit.request.candidate.cookies)


def _ask_again(visit: Visit, cookies: str) -> list[Emission]:
    """Let it wait for another request, with these cookies."""
    tries, code = visit.request.candidate.tries + 1, visit.response.code
    change = UrlChange(tries=tries, code=code, cookies=cookies or None)
    return _move(visit, Event.RETRIED, change)


def _redirect(visit: Visit) -> list[Emission]:
    asked, location = visit.request.candidate, from_header(visit.response.header("location"))
    target = normalise(location, asked.url, visit.job.rules.urls) if location else None
    if target is None:
        return _end(visit, Event.FAILED, "bad-redirect")
    cookies = cookies_after(asked, visit.response, target)
    if target == asked.url and is_asked_anew(asked, cookies):
        return _ask_again(visit, cookies)
    if target == asked.url or _is_loop(visit, target, cookies):
        return _end(visit, Event.FAILED, "redirect-loop")
    return _move_to(visit, target, cookies)


def _is_loop(visit: Visit, target: str, cookies: str) -> bool:
    asked = visit.request.candidate
    if not leads_back(asked, visit.before, target, visit.ports.urls):
        return False
    return not may_lead_back(asked, cookies, target)


def _move_to(visit: Visit, target: str, cookies: str) -> list[Emission]:
    before, history = visit.before, None
    if before is not None and before.history:
        history = packed(remembered(before.history).redirected())
    change = replace(
        _without_content(visit),
        reason="redirect",
        target=target,
        history=history,
        cookies=cookies or None,
    )
    return _move(visit, Event.REDIRECTED, change)


def _keep(visit: Visit) -> list[Emission]:
    """A page: is its content new?"""
    changed = visit.before is None or visit.before.md5 != visit.md5
    history = _visited(visit, changed=changed)
    if not visit.owner:  # what we have: nothing is to be read, and nothing to be indexed
        same = UrlChange(reason="same-bytes", tries=visit.request.candidate.tries + 1)
        return _move(visit, Event.UNCHANGED, _said(visit, same, history))
    learned = replace(_said(visit, _learned(visit), history), md5=visit.md5)
    if visit.owner != visit.request.candidate.url:
        copy = replace(learned, reason="same-content", target=visit.owner)
        return _move(visit, Event.REPEATED, copy)
    # What it led to, or repeated, in an earlier round is no longer true.
    return _move(visit, Event.STORED, replace(learned, reason="", target=""))


def _said(visit: Visit, change: UrlChange, history: bytes) -> UrlChange:
    """A change with what the server says of the version that it sent."""
    etag, modified = visit.response.header("etag"), visit.response.header("last-modified")
    return replace(change, etag=etag[:200], modified=modified[:100], history=history)


def _was_understood(record: UrlRecord | None) -> bool:
    return record is not None and record.reason in AS_BEFORE and not record.target


def _owner(visit: Visit, md5: bytes) -> str:
    """Whose content this is. An owner that has another by now, or none, is one no more."""
    url, contents = visit.request.candidate.url, visit.ports.contents
    owner = contents.own(md5, url)
    if owner == url:
        return url
    record = visit.ports.urls.get(url_id(owner))
    if record is not None and (record.state is State.FETCHING or _has_content(record, md5)):
        return owner
    return contents.own(md5, url, instead_of=owner)


def _has_content(record: UrlRecord, md5: bytes) -> bool:
    return record.md5 == md5 and record.state is not State.DUPLICATE


def settle_sitemap(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    """Have a sitemap read, follow it to where it moved, or ask for it again."""
    match outcome.kind:
        case "page":
            return _keep_sitemap(visit)
        case "redirect":
            return _redirect_sitemap(visit)
        case "unchanged":
            change = replace(_learned(visit), history=_visited(visit, changed=False))
            # What was read lies where it lay: the next visit refers to that.
            same = replace(change, reason="sitemap", page=None, fetched_at=None)
            return _move(visit, Event.REJECTED, same)
        case _:
            return settle(visit, outcome, ill)


def was_read(record: UrlRecord | None) -> bool:
    """Whether a sitemap was read the last time: what it said then is on its way or has arrived."""
    return record is not None and record.reason == "sitemap"


def _keep_sitemap(visit: Visit) -> list[Emission]:
    """Have it read, unless it says what it said the last time."""
    before, content = visit.before, fingerprint(visit.response.body)
    changed = before is None or remembered(before.history).content != content
    history = msgspec.structs.replace(remembered(_visited(visit, changed=changed)), content=content)
    learned = _said(visit, _learned(visit), packed(history))
    if was_read(before) and not changed:
        return _move(visit, Event.REJECTED, replace(learned, reason="sitemap"))
    return _move(visit, Event.STORED, replace(learned, reason=""))


def _redirect_sitemap(visit: Visit) -> list[Emission]:
    asked, location = visit.request.candidate, from_header(visit.response.header("location"))
    target = normalise(location, asked.url)
    if target is None:
        return _end(visit, Event.FAILED, "bad-redirect")
    cookies = cookies_after(asked, visit.response, target)
    if target == asked.url and is_asked_anew(asked, cookies):
        return _ask_again(visit, cookies)
    return _move_to(visit, target, cookies)


def next_pack_if_budget(visit: Visit) -> list[Emission]:
    """One out, some in: keeps a busy host's window full without a scanner.

    Without a budget they would only be parked again.
    """
    if not has_budget(visit.job):
        return []
    return next_pack(visit.request.host, visit.ports, visit.ended_at)
