"""What becomes of a URL and of its host after one request?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch.emissions import book_again, duplicate_links, removal, to_parse
from gossamer.bolts.links import redirection
from gossamer.bolts.schedule import has_budget, next_pack
from gossamer.bolts.sitemaps import feed_found, follow_sitemap, may_be_feed
from gossamer.core.crawl import response_outcome as outcomes
from gossamer.core.crawl.host_pace import aside, base_delay
from gossamer.core.crawl.politeness import forgiven, penalised
from gossamer.core.crawl.url_state import State
from gossamer.core.page.fingerprint import fingerprint
from gossamer.core.revisit.change_rate import ABSENCES, packed, remembered
from gossamer.core.urls import normalise, url_id
from gossamer.messages import Emission, id_of

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.messages import FetchRequest
    from gossamer.ports import Ports
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.jobs import JobRecord


COUNT_EVERY = 8
UNTOLD = frozenset({"requests", "bad", "last_slot"})  # what alone is not worth a write
# Ends of a page that is a document: if its bytes are the same, it still is.
AS_BEFORE = frozenset({"document", "not-modified", "same-bytes"})


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that was made, with all that is needed to deal with its response."""

    request: FetchRequest
    ports: Ports
    job: JobRecord
    host: HostRecord
    response: HttpResponse
    page: PageRef
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
        """Whether the URL brought a page that nobody had, and never one before."""
        is_new = self.before is None or not self.before.history
        return is_new and bool(self.owner) and self.owner == self.request.candidate.url


def with_content(visit: Visit, outcome: outcomes.Outcome) -> Visit:
    """The visit with what its page says, and who said it first: its host's record tells of that."""
    if outcome.kind != "page" or visit.request.purpose != "page":
        return visit
    md5 = fingerprint(visit.response.body)
    if visit.before is not None and visit.before.md5 == md5 and _is_document(visit.before):
        return replace(visit, md5=md5)
    return replace(visit, md5=md5, owner=_owner(visit, md5))


def note(visit: Visit, outcome: outcomes.Outcome) -> bool:
    """Keep the host's record; True when this response made it ill."""
    host, base = visit.host, base_delay(visit.host, visit.job.config)
    counted = _counted(visit, outcome)
    requests, bad = host.requests + counted, host.bad + outcome.is_bad
    in_a_row = host.bad_in_a_row + 1 if outcome.is_bad else 0
    last = max(host.last_slot, visit.response.started_at)
    facts: dict[str, object] = {"requests": requests, "bad": bad, "last_slot": last}
    if in_a_row != host.bad_in_a_row:
        facts["bad_in_a_row"] = in_a_row
    if visit.is_first:
        facts["pages"] = host.pages + 1
    slower, push = _slower(visit, outcome, base)
    facts |= slower
    # A good response makes nobody ill, whatever came before.
    ill = outcome.is_bad and outcomes.is_ill(requests, bad, in_a_row)
    if ill and not host.is_set_aside(visit.ended_at):
        facts |= aside(host, "host-set-aside", visit.ended_at)
    # A request inside its slot is where the booking said: nobody else needs to know.
    if counted or facts.keys() - UNTOLD or not visit.request.delay:
        visit.ports.hosts.change(visit.request.host, push_slot=push, **facts)
    return ill


def _slower(
    visit: Visit, outcome: outcomes.Outcome, base: float
) -> tuple[dict[str, object], float]:
    """What a host's wish for fewer requests changes, and until when its slots are pushed."""
    host = visit.host
    if outcome.kind == "throttled":
        penalty = penalised(max(base, host.penalty))
        wait = outcomes.retry_after(visit.response.header("retry-after"), visit.ended_at)
        not_before = visit.ended_at + min(wait, outcomes.MAX_RETRY_AFTER)
        push = max(not_before, visit.ended_at + penalty + visit.ports.grace.grace(penalty))
        return {"penalty": penalty, "not_before": max(host.not_before, not_before)}, push
    if host.penalty:
        fading = host.penalty if outcome.is_bad else forgiven(host.penalty, base)
        return {"penalty": fading}, 0.0
    return {}, 0.0


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
            return _gone(visit, outcome.reason)
        case "excluded":
            return _exclude(visit, outcome.reason)
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
    if state in (State.GONE, State.REDIRECTED):  # what it said in an earlier round is not its own
        facts |= {"md5": b"", "etag": "", "modified": ""}
    if visit.ports.urls.move(
        visit.id, (State.FETCHING,), state, reason=reason, **(_learned(visit) | facts)
    ):
        _release(visit)
    return []


def _exclude(visit: Visit, reason: str) -> list[Emission]:
    """No page of a kind that is read. If it may be a feed, it is read as one."""
    config = visit.job.config
    is_asked = visit.request.purpose == "page" and config.sitemaps and config.follow
    is_feed = reason == "content-type" and may_be_feed(visit.response.header("content-type"))
    if not (is_asked and is_feed):
        return _end(visit, State.EXCLUDED, reason)
    _end(visit, State.EXCLUDED, "feed")
    record = visit.ports.urls.get(visit.id)
    if record is None or record.state is not State.EXCLUDED:  # the job was stopped meanwhile
        return []
    return [feed_found(visit.request.job, record)]


def _gone(visit: Visit, reason: str) -> list[Emission]:
    """No page: if there was one, this is its first absence or its end."""
    before = visit.before
    if before is None or not (before.history or before.md5):
        return _end(visit, State.GONE, reason)
    history = remembered(before.history).absent(before.hinted_at)
    _end(visit, State.GONE, reason, history=packed(history))
    is_end = history.absences == ABSENCES and visit.request.purpose == "page"
    return _leave_index(visit, before) if is_end else []


def _leave_index(visit: Visit, before: UrlRecord | None) -> list[Emission]:
    """Nothing, if it was no document before this visit."""
    if before is None or not before.history or before.target:
        return []
    fetched = msgspec.structs.replace(before, fetched_at=visit.response.started_at)
    return removal(visit.request.job, fetched)


def _visited(visit: Visit, *, changed: bool) -> bytes:
    """The history of a page with this visit."""
    before = visit.before
    history = remembered(before.history if before else b"")
    hinted_at = before.hinted_at if before else 0.0
    modified = outcomes.http_date(visit.response.header("last-modified"))
    return packed(history.visited(visit.response.started_at, changed, modified, hinted_at))


def _release(visit: Visit, *, pages: bool = True) -> None:
    visit.ports.jobs.release(visit.request.job, visit.id, visit.ended_at, pages=pages)


def _keep_unchanged(visit: Visit) -> list[Emission]:
    """Not modified: the page we hold is still the page, and a duplicate still a duplicate."""
    record = visit.before
    facts: dict[str, object] = {
        "tries": visit.request.candidate.tries + 1,
        "history": _visited(visit, changed=False),
    }
    if record is not None and record.target and record.page is not None:
        if _owner(visit, record.md5) == record.url:
            return _keep_as_own(visit, facts)
        state, reason = State.DUPLICATE, "same-content"
    else:
        state, reason = State.UNCHANGED, "not-modified"
    if visit.ports.urls.move(visit.id, (State.FETCHING,), state, reason=reason, **facts):
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
    if record is None or record.state is not State.REDIRECTED:  # the job was stopped meanwhile
        return []
    onward = Emission("links", redirection(visit.request.job, record))
    return [onward, *_leave_index(visit, visit.before)]


def _keep(visit: Visit) -> list[Emission]:
    """A page: is its content new?"""
    response = visit.response
    changed = visit.before is None or visit.before.md5 != visit.md5
    said: dict[str, object] = {
        "etag": response.header("etag")[:200],
        "modified": response.header("last-modified")[:100],
        "history": _visited(visit, changed=changed),
    }
    if not visit.owner:
        return _keep_bytes(visit, said)
    facts = _learned(visit) | {"md5": visit.md5} | said
    if visit.owner != visit.request.candidate.url:
        return _keep_duplicate(visit, visit.owner, facts)
    return _keep_as_own(visit, facts)


def _is_document(record: UrlRecord | None) -> bool:
    return record is not None and record.reason in AS_BEFORE and not record.target


def _keep_bytes(visit: Visit, said: dict[str, object]) -> list[Emission]:
    """The server sent again what we have: nothing is to be read, and nothing to be indexed."""
    facts = said | {"tries": visit.request.candidate.tries + 1, "reason": "same-bytes"}
    if visit.ports.urls.move(visit.id, (State.FETCHING,), State.UNCHANGED, **facts):
        _release(visit, pages=False)
    return []


def _keep_as_own(visit: Visit, facts: dict[str, object]) -> list[Emission]:
    # What it led to, or repeated, in an earlier round is no longer true.
    if not visit.ports.urls.move(
        visit.id, (State.FETCHING,), State.FETCHED, reason="", target="", **facts
    ):
        return []
    record = visit.ports.urls.get(visit.id)
    return [to_parse(visit.request, record, links_only=False)] if record else []


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


def _keep_duplicate(visit: Visit, owner: str, facts: dict[str, object]) -> list[Emission]:
    moved = visit.ports.urls.move(
        visit.id, (State.FETCHING,), State.DUPLICATE, reason="same-content", target=owner, **facts
    )
    if moved:
        _release(visit, pages=False)
    record = visit.ports.urls.get(visit.id)
    if record is None or record.state is not State.DUPLICATE:
        return []
    onward = duplicate_links(visit.request, record, visit.ports)
    return onward + _leave_index(visit, visit.before)


def settle_sitemap(visit: Visit, outcome: outcomes.Outcome, ill: bool) -> list[Emission]:
    """Have a sitemap read, follow it to where it moved, or ask for it again."""
    match outcome.kind:
        case "page":
            return _keep_sitemap(visit)
        case "redirect":
            return _redirect_sitemap(visit)
        case "unchanged":
            history = _visited(visit, changed=False)
            return _end(visit, State.EXCLUDED, "sitemap", history=history)
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
    facts: dict[str, object] = {
        "history": packed(history),
        "etag": visit.response.header("etag")[:200],
        "modified": visit.response.header("last-modified")[:100],
    }
    if was_read(before) and not changed:
        return _end(visit, State.EXCLUDED, "sitemap", **facts)
    facts |= _learned(visit) | {"reason": ""}
    moved = visit.ports.urls.move(visit.id, (State.FETCHING,), State.FETCHED, **facts)
    record = visit.ports.urls.get(visit.id) if moved else None
    return [to_parse(visit.request, record, links_only=False)] if record else []


def _redirect_sitemap(visit: Visit) -> list[Emission]:
    target = normalise(visit.response.header("location"), visit.request.candidate.url)
    if target is None:
        return _end(visit, State.FAILED, "bad-redirect")
    _end(visit, State.REDIRECTED, "redirect", target=target)
    record = visit.ports.urls.get(visit.id)
    if record is None or record.state is not State.REDIRECTED:
        return []
    return follow_sitemap(record, visit.request, visit.ports)


def next_pack_if_budget(visit: Visit) -> list[Emission]:
    """One out, some in: keeps a busy host's window full without a scanner.

    Without a budget they would only be parked again.
    """
    if not has_budget(visit.job):
        return []
    return next_pack(visit.request.host, visit.ports, visit.ended_at)
