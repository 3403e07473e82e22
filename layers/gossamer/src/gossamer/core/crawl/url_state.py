"""The life cycle of a URL: its states, the events that move it, and the reasons for its ends.

`LIFE_CYCLE` is the only statement of which event leads from which states to which; every store
asks it, and docs/life-cycle.md is drawn from it. Every end carries a reason; `REASONS` explains
each to a person.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

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


END_STATES = frozenset(
    {
        State.PARSED,
        State.DUPLICATE,
        State.UNCHANGED,
        State.REDIRECTED,
        State.EXCLUDED,
        State.FAILED,
        State.GONE,
    }
)


class Event(StrEnum):
    """What happens to a URL. Each event leads to one state, from the states that allow it."""

    # LINKS and SCHEDULE
    READMITTED = "readmitted"
    SKIPPED = "skipped"
    SKIPPED_REVISIT = "skipped-revisit"
    GIVEN_UP = "given-up"
    # FETCH, before the request
    CLAIMED = "claimed"
    CLAIMED_REVISIT = "claimed-revisit"
    FORBIDDEN = "forbidden"
    FORBIDDEN_REVISIT = "forbidden-revisit"
    SLOT_LOST = "slot-lost"
    LOST = "lost"
    # FETCH, after the response
    RETRIED = "retried"
    STORED = "stored"
    REPEATED = "repeated"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    REJECTED = "rejected"
    FAILED = "failed"
    MISSED = "missed"
    # PARSE
    PARSED = "parsed"
    WITHHELD = "withheld"
    UNREADABLE = "unreadable"
    # Later: limits, other rules, another round, and what a person does
    CLOSED = "closed"
    RULED_IN = "ruled-in"
    RULED_OUT = "ruled-out"
    REVISITED = "revisited"
    ASKED_AFTER_ALL = "asked-after-all"
    REDRIVEN = "redriven"
    REDRIVEN_PAGE = "redriven-page"


class Move(NamedTuple):
    """One row of the life cycle."""

    before: frozenset[State]
    after: State
    why: str


def _move(before: Iterable[State], after: State, why: str) -> Move:
    return Move(frozenset(before), after, why)


_WAITING, _CLAIMED, _FETCHED = {State.DISCOVERED}, {State.FETCHING}, {State.FETCHED}
_PENDING = _WAITING | _CLAIMED

LIFE_CYCLE: dict[Event, Move] = {
    Event.READMITTED: _move(
        {State.EXCLUDED}, State.DISCOVERED, "another link leads to it by a way that is allowed"
    ),
    Event.SKIPPED: _move(
        _WAITING, State.EXCLUDED, "robots.txt forbids it, or its job was stopped or hit a limit"
    ),
    Event.SKIPPED_REVISIT: _move(
        _WAITING | END_STATES, State.EXCLUDED, "robots.txt now forbids what a recrawl asks for"
    ),
    Event.GIVEN_UP: _move(
        _WAITING,
        State.FAILED,
        "its host was set aside, robots.txt cannot be read, or its request is a dead letter",
    ),
    Event.CLAIMED: _move(_PENDING, State.FETCHING, "a fetcher has its slot"),
    Event.CLAIMED_REVISIT: _move(
        _PENDING | END_STATES, State.FETCHING, "a fetcher has the slot of a recrawl"
    ),
    Event.FORBIDDEN: _move(
        _PENDING, State.EXCLUDED, "robots.txt, read since the slot was booked, forbids it"
    ),
    Event.FORBIDDEN_REVISIT: _move(
        _PENDING | END_STATES, State.EXCLUDED, "the same for what a recrawl asks for"
    ),
    Event.SLOT_LOST: _move(_CLAIMED, State.DISCOVERED, "too late for its slot, or no unit is left"),
    Event.LOST: _move(
        _PENDING, State.FAILED, "its message is a dead letter, or too many fetchers died at it"
    ),
    Event.RETRIED: _move(_CLAIMED, State.DISCOVERED, "trouble that may pass"),
    Event.STORED: _move(_CLAIMED, State.FETCHED, "a page with content of its own"),
    Event.REPEATED: _move(_CLAIMED, State.DUPLICATE, "the content of another URL"),
    Event.UNCHANGED: _move(_CLAIMED, State.UNCHANGED, "the page is as it was"),
    Event.REDIRECTED: _move(_CLAIMED, State.REDIRECTED, "the server names another URL"),
    Event.REJECTED: _move(_CLAIMED, State.EXCLUDED, "not of a type or size that is read"),
    Event.FAILED: _move(_CLAIMED, State.FAILED, "an error, or trouble that did not pass"),
    Event.MISSED: _move(_CLAIMED, State.GONE, "404 or 410"),
    Event.PARSED: _move(_FETCHED, State.PARSED, "kept as a document"),
    Event.WITHHELD: _move(_FETCHED, State.EXCLUDED, "noindex, or a sitemap that was read"),
    Event.UNREADABLE: _move(_FETCHED, State.FAILED, "the parser gave up"),
    Event.CLOSED: _move(_PENDING, State.EXCLUDED, "a limit ended its job"),
    Event.RULED_IN: _move(
        _WAITING | {State.EXCLUDED}, State.DISCOVERED, "new rules or limits of the job allow it"
    ),
    Event.RULED_OUT: _move(
        _WAITING | {State.EXCLUDED}, State.EXCLUDED, "new rules of the job exclude it"
    ),
    Event.REVISITED: _move(END_STATES, State.DISCOVERED, "another round of the job"),
    Event.ASKED_AFTER_ALL: _move(
        {State.FAILED, State.EXCLUDED},
        State.DISCOVERED,
        "a recrawl asks for what was never requested",
    ),
    Event.REDRIVEN: _move({State.FAILED}, State.DISCOVERED, "its dead letter is sent again"),
    Event.REDRIVEN_PAGE: _move(
        {State.FAILED}, State.FETCHED, "the dead letter of its stored page is sent again"
    ),
}


def after(state: State, event: Event) -> State | None:
    """The state that an event leads to; None if it cannot happen in this state."""
    move = LIFE_CYCLE[event]
    return move.after if state in move.before else None


# Ends that brought a page, though no document: they use up a page of the job's budget.
PAGE_REASONS = frozenset(
    {"same-content", "same-bytes", "noindex", "parser-gave-up", "corrupt-record"}
)

# Ends that came without a request and may pass: the host may be well again, or have earned more.
UNASKED_REASONS = frozenset({"host-set-aside", "robots-unreachable", "host-quota"})

# Reasons that a limit gave: the URL may be taken up again when the limit is raised.
LIMIT_REASONS = frozenset({"max-pages", "max-documents", "max-seconds", "stopped"})

# Reasons that the rules and limits of a job gave: other rules may decide otherwise.
RULE_REASONS = LIMIT_REASONS | {
    "not-followed",
    "out-of-scope",
    "excluded-pattern",
    "not-included",
    "too-deep",
    "file-type",
    "too-long",
    "repeated-segments",
    "path-too-deep",
    "query-explosion",
    "session-id",
    "calendar",
    "host-quota",
    "pattern-quota",
}

# Reasons that depend on how a URL was reached, or when: another link may admit it after all.
WAY_REASONS = frozenset({"nofollow", "too-deep", "too-many-redirects", "host-quota"})

REASONS: dict[str, str] = {
    "document": "fetched, understood and kept as a document",
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
    "redirect-loop": "the URL redirects to itself",
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
