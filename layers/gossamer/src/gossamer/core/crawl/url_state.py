"""The life cycle of a URL: its states, the events that move it, and the reasons for its ends.

`Event` is the only statement of which event leads from which states to which; every store asks it,
and docs/life-cycle.md is drawn from it. Every end carries a reason; `REASONS` explains
each to a person.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class State(StrEnum):
    """Where a URL stands in its life."""

    DISCOVERED = "discovered"
    FETCHING = "fetching"
    FETCHED = "fetched"
    PARSED = "parsed"
    DUPLICATE = "duplicate"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    EXCLUDED = "excluded"
    FAILED = "failed"
    GONE = "gone"


END_STATES = frozenset(State) - {State.DISCOVERED, State.FETCHING, State.FETCHED}
_WAITING, _CLAIMED, _FETCHED = {State.DISCOVERED}, {State.FETCHING}, {State.FETCHED}
_PENDING = _WAITING | _CLAIMED
_REVISITABLE = _WAITING | END_STATES
_RULED = _WAITING | {State.EXCLUDED}
_READ = {State.PARSED, State.UNCHANGED, State.EXCLUDED}
_UNASKED = {State.FAILED, State.EXCLUDED}


class Event(Enum):
    """What happens to a URL: in which states it can, the one state that it leads to, and why."""

    # LINKS and SCHEDULE
    READMITTED = {State.EXCLUDED}, State.DISCOVERED, "another link leads to it by an allowed way"
    SKIPPED = _WAITING, State.EXCLUDED, "robots.txt forbids it, or its job was stopped or is full"
    SKIPPED_REVISIT = _REVISITABLE, State.EXCLUDED, "robots.txt now forbids what a recrawl wants"
    GIVEN_UP = _WAITING, State.FAILED, "its host is set aside, or its request is a dead letter"
    # FETCH, before the request
    CLAIMED = _PENDING, State.FETCHING, "a fetcher has its slot"
    CLAIMED_REVISIT = _PENDING | END_STATES, State.FETCHING, "a fetcher has the slot of a recrawl"
    FORBIDDEN = _PENDING, State.EXCLUDED, "robots.txt, read since its slot was booked, forbids it"
    FORBIDDEN_REVISIT = _PENDING | END_STATES, State.EXCLUDED, "the same for a recrawl"
    SLOT_LOST = _CLAIMED, State.DISCOVERED, "too late, no unit is left, or its fetcher died"
    LOST = _PENDING, State.FAILED, "its message is a dead letter, or too many fetchers died at it"
    # FETCH, after the response
    RETRIED = _CLAIMED, State.DISCOVERED, "trouble that may pass, or a cookie of its own"
    STORED = _CLAIMED, State.FETCHED, "a page with content of its own"
    REPEATED = _CLAIMED, State.DUPLICATE, "the content of another URL"
    UNCHANGED = _CLAIMED, State.UNCHANGED, "the page is as it was"
    REDIRECTED = _CLAIMED, State.REDIRECTED, "the server names another URL"
    REJECTED = _CLAIMED, State.EXCLUDED, "not of a type or size that is read"
    FAILED = _CLAIMED, State.FAILED, "an error, or trouble that did not pass"
    MISSED = _CLAIMED, State.GONE, "404 or 410"
    # PARSE
    PARSED = _FETCHED, State.PARSED, "read into documents, one or many"
    WITHHELD = _FETCHED, State.EXCLUDED, "noindex, nothing that can be found, or a sitemap"
    UNREADABLE = _FETCHED, State.FAILED, "the parser gave up"
    REREAD = _READ, State.PARSED, "its stored page was read again, by other templates"
    EMPTIED = _READ, State.EXCLUDED, "the same, and it has nothing that can be found"
    # Later: limits, other rules, another round, and what a person does
    CLOSED = _PENDING, State.EXCLUDED, "a limit ended its job"
    RULED_IN = _RULED, State.DISCOVERED, "new rules or limits of the job allow it"
    RULED_OUT = _RULED, State.EXCLUDED, "new rules of the job exclude it"
    REVISITED = END_STATES, State.DISCOVERED, "another round of the job"
    ASKED_AFTER_ALL = _UNASKED, State.DISCOVERED, "a recrawl asks for what was never requested"
    REDRIVEN = {State.FAILED}, State.DISCOVERED, "its dead letter is sent again"
    REDRIVEN_PAGE = {State.FAILED}, State.FETCHED, "the dead letter of its page is sent again"

    def __init__(self, before: Iterable[State], leads_to: State, why: str) -> None:
        self.before, self.leads_to, self.why = frozenset(before), leads_to, why

    def __str__(self) -> str:
        """Its name as people read it."""
        return self.name.lower().replace("_", "-")


def after(state: State, event: Event) -> State | None:
    """The state that an event leads to; None if it cannot happen in this state."""
    return event.leads_to if state in event.before else None


NO_DOCUMENT = "no-document"  # the reason of a page that was read and has nothing to be found
PICTURE = "picture"  # of one that was asked for because a document names it
NO_TEXT = "not-text"  # of a picture or an archive that its server calls a page

# Why a file has no document.
FILE_REASONS = frozenset(
    {"file-without-text", "file-protected", "file-damaged", "file-too-large", NO_TEXT, PICTURE}
)
# Why a page that belongs to a template has less in it than the template says.
TEMPLATE_REASONS = frozenset(
    f"template-{end}" for end in ("empty", "incomplete", "failed", "ended", "set-aside")
)
# Why a page that was read has no documents any more, if it had some.
EMPTY_REASONS = FILE_REASONS | {NO_DOCUMENT, "template-empty"}
# Ends that brought a page, though no document: they use up a page of the job's budget.
PAGE_REASONS = EMPTY_REASONS | {
    *("same-content", "same-bytes", "noindex", "unavailable-after"),
    *("parser-gave-up", "corrupt-record"),
}

# Ends that came without a request and may pass: the host may be well again, or have earned more.
UNASKED_REASONS = frozenset({"host-set-aside", "robots-unreachable", "host-quota"})

# Reasons that a limit gave: the URL may be taken up again when the limit is raised.
LIMIT_REASONS = frozenset({"max-pages", "max-documents", "max-seconds", "stopped"})

# Reasons that the rules and limits of a job gave: other rules may decide otherwise.
RULE_REASONS = LIMIT_REASONS | {
    *("not-followed", "out-of-scope", "excluded-pattern", "not-included", "too-deep", "file-type"),
    *("too-long", "repeated-segments", "path-too-deep", "query-explosion", "session-id"),
    *("calendar", "host-quota", "pattern-quota"),
}

# Reasons that depend on how a URL was reached, or when: another link may admit it after all.
WAY_REASONS = frozenset({"nofollow", "too-deep", "too-many-redirects", "host-quota"})

REASONS: dict[str, str] = {
    "document": "fetched, understood and kept as one or several documents",
    "same-content": "its bytes equal those of a page that was fetched before it",
    "not-modified": "the server says it has not changed since the last visit",
    "same-bytes": "its bytes are those of the last visit",
    "redirect": "the server sent us on to another URL",
    # excluded
    "not-followed": "the job fetches only what it was given",
    "out-of-scope": "outside the hosts, domains and prefixes of the job",
    "excluded-pattern": "matches an exclude pattern of the job",
    "not-included": "matches none of the include patterns of the job",
    "too-deep": "more links away from the seeds than the job's depth",
    "file-type": "its extension names a file type that is not read",
    "robots": "the host's robots.txt forbids it",
    "nofollow": "only links marked nofollow lead to it",
    "noindex": "the page asks not to be indexed",
    "unavailable-after": "the page asked to be found no more from a day on that has passed",
    NO_DOCUMENT: "the page was read, and has nothing that can be found",
    "template-empty": "the page belongs to a template, which finds nothing on it",
    "template-incomplete": "kept, but a field that its template requires is missing",
    "template-failed": "kept without values: a selector of its template cannot be used here",
    "template-ended": "kept without values: reading it by its template would not end",
    "template-set-aside": "kept without values: its template ended the parser on other pages",
    "file-without-text": "the file has no text, as a scanned PDF has none",
    "file-protected": "the file needs a password",
    "file-damaged": "the file is damaged, or not of the type that its server says",
    "file-too-large": "the file unpacks to more than is read",
    NO_TEXT: "a picture, an archive or a program, though its server calls it text",
    PICTURE: "a picture that is shown with results, and no document",
    "empty-body": "the server answered with nothing",
    "sitemap": "a sitemap or feed: read for the addresses that it lists",
    "feed": "no page but XML: read as a feed, under the same address",
    "too-long": "the URL is longer than a trap rule allows",
    "repeated-segments": "its path repeats itself, as endless link loops do",
    "path-too-deep": "its path has more segments than a trap rule allows",
    "query-explosion": "its query has more parameters than a trap rule allows",
    "session-id": "it carries a session id, so the same page would come back for ever",
    "calendar": "a calendar page too far in the past or the future",
    "host-quota": "its host's quota is full: name it in the scope, "
    "or raise traps.host_start or per_host",
    "pattern-quota": "too many URLs of the same shape on this host",
    "max-pages": "the job's max_pages was reached first",
    "max-documents": "the job's max_documents was reached first",
    "max-seconds": "the job's max_seconds was over first",
    "stopped": "the job was stopped",
    # of a job that is paused
    "max-usd": "the job has cost its max_usd; `resume --max-usd N` lets it go on",
    "daily-usd": "crawls have cost their DailyBudget today; it goes on after midnight UTC",
    "too-many-redirects": "the redirects that lead to it are too many",
    "content-type": "not a type of content that is read",
    "too-large": "larger than the job's max_bytes",
    "unsafe-address": "the host leads to a private, loopback or metadata address (--allow-private)",
    # failed
    "connection-refused": "the host refused the connection",
    "connection-reset": "the host broke the connection",
    "timeout": "the host did not answer in time",
    "too-slow": "the host sent its answer too slowly",
    "dns": "the host's name does not exist",
    "dns-busy": "the host's name could not be looked up",
    "tls-certificate": "the host's certificate is not valid",
    "tls-handshake": "no secure connection could be made",
    "malformed-response": "the answer is not HTTP",
    "header-flood": "the answer has too many or too long headers",
    "decompression-bomb": "the body grows beyond all bounds when decompressed",
    "undecodable-body": "the body cannot be decompressed",
    "truncated-body": "the body ended before its announced length",
    "redirect-loop": "the URL redirects to itself, or to one that redirects back",
    "bad-redirect": "a redirect without a usable target",
    "rate-limited": "the host asked us to come back much later",
    "host-set-aside": "too many bad responses: the host was set aside",
    "robots-unreachable": "robots.txt could not be read, so nothing may be asked",
    "parser-gave-up": "the page could not be parsed",
    "corrupt-record": "its page could not be read back from the WARC file",
    "dead-letter": "its message failed again and again and was put aside",
}


def explain(reason: str) -> str:
    """A sentence for a person."""
    if reason.startswith("http-"):
        return f"the server answered with code {reason[5:]}"
    return REASONS.get(reason, reason)
