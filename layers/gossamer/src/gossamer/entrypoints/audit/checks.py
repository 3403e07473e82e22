"""The twelve politeness checks over the requests to a host.

Every check has one sentence (`RULES`) and counts its cases. What the crawler could not know yet
when a request was sent is no violation; the time limits for that are constants of this module.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.core.crawl.claims import LEASE
from gossamer.core.crawl.host_record import ROBOTS_TTL
from gossamer.core.crawl.politeness import MAX_PENALTY, penalised
from gossamer.core.crawl.response_outcome import MAX_RETRY_AFTER, REDIRECT_CODES
from gossamer.core.crawl.robots import MAX_ROBOTS_REDIRECTS, Robots
from gossamer.core.urls import normalise
from gossamer.entrypoints.audit.certificate import Check, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.entrypoints.audit.records import AuditedRequest

RULES = {
    "gap": "two requests to a host start its delay apart, or more",
    "slot-window": "a request starts in its slot, no later than its grace allows",
    "slot-reuse": "a slot buys one request",
    "robots-unread": "robots.txt is read before anything else is asked",
    "robots-stale": "its rules are not older than 24 hours",
    "robots-unavailable": "nothing is asked while robots.txt cannot be read",
    "disallowed": "robots.txt allows what is asked",
    "crawl-delay": "its Crawl-delay is kept, up to the cap of the job",
    "retry-after": "a host that refuses is left alone as long as it asks, up to 300 s",
    "slow-down": "after a 429 or 503 a host is asked under a delay of 1 s or more",
    "retry": "a URL is tried again only after a failure that may pass",
    "incomplete": "every request has all its records",
}
# Clocks are read in microseconds and written with six digits.
TOLERANCE = 2e-6
LISTED_OF_A_KIND = 20
# Seconds until a refusal is known: its WARC record is written first. Requests already claimed may
# then start as late as their grace, or twice that with a slow queue; without a delay, as late as a
# name lookup takes.
NOTICE = 0.1
FREE_NOTICE = 2.0


class Tally:
    """Counts of cases and violations."""

    def __init__(self) -> None:
        self.examined: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.by_host: dict[str, Counter[str]] = defaultdict(Counter)
        self.listed: list[Violation] = []
        self.repeats = 0  # requests with the same URL and try as an earlier one
        self.forgotten = 0  # refusals that were lost in a kill
        self.without_grace = 0  # requests under a delay whose records name no grace

    def see(self, kind: str, cases: int = 1) -> None:
        """Count cases of a check."""
        self.examined[kind] += cases

    def find(self, kind: str, request: AuditedRequest, detail: str) -> None:
        """Count a violation, and keep the first ones of its kind."""
        self.find_at(kind, request.host, request.url, request.started_at, detail)

    def find_at(self, kind: str, host: str, url: str, at: float, detail: str) -> None:
        """Count a violation by host, URL and time."""
        self.found[kind] += 1
        self.by_host[host][kind] += 1
        if self.found[kind] <= LISTED_OF_A_KIND:
            self.listed.append(Violation(host=host, url=url, at=at, kind=kind, detail=detail))

    def checks(self) -> list[Check]:
        """Every check with its counts."""
        return [
            Check(name=name, rule=rule, examined=self.examined[name], violations=self.found[name])
            for name, rule in RULES.items()
        ]


def check_gaps(requests: list[AuditedRequest], tally: Tally) -> tuple[float | None, float | None]:
    """Two requests start at least the delay of the later one apart.

    Returns the shortest gap, in seconds and as a multiple of the delay.
    """
    shortest: float | None = None
    ratio: float | None = None
    for before, after in pairwise(requests):
        gap = after.started_at - before.started_at
        shortest = gap if shortest is None else min(gap, shortest)
        if after.delay <= 0:
            continue
        tally.see("gap")
        ratio = min(gap / after.delay, ratio if ratio is not None else gap / after.delay)
        if gap < after.delay - TOLERANCE:
            where = f"where the delay is {after.delay:g} s"
            tally.find("gap", after, f"{gap:.6f} s after {before.url}, {where}")
    return shortest, ratio


def check_slots(requests: list[AuditedRequest], tally: Tally) -> None:
    """Each request starts within its slot, and no slot is used twice. Delay 0 has no slots."""
    used: dict[float, str] = {}
    for request in requests:
        if request.delay <= 0:
            continue
        if request.grace <= 0:
            tally.without_grace += 1
            continue
        tally.see("slot-window")
        tally.see("slot-reuse")
        late = request.started_at - request.slot
        if not -TOLERANCE <= late <= request.grace + TOLERANCE:
            detail = f"{late:+.6f} s from its slot, where {request.grace:g} s are its grace"
            tally.find("slot-window", request, detail)
        if request.slot in used:
            tally.find("slot-reuse", request, f"its slot was used for {used[request.slot]}")
        used.setdefault(request.slot, request.url)


class KnownRules:
    """The robots.txt rules of a host that are known at a point in time."""

    def __init__(self) -> None:
        self.rules: Robots | None = None
        self.read: AuditedRequest | None = None
        self._hops: dict[str, int] = {}

    def learn(self, request: AuditedRequest) -> None:
        """Apply an answer for robots.txt; a redirect counts when its chain has ended."""
        answer = request.robots
        if answer is None:
            return
        rules = answer.rules
        if request.code in REDIRECT_CODES:
            hops = self._hops.get(request.url, 0)
            target = normalise(answer.location, request.url)
            if target is not None and hops < MAX_ROBOTS_REDIRECTS:
                self._hops[target] = hops + 1
                return
            rules = Robots(code=404)  # RFC 9309: a chain of redirects too long is no rules at all
        self._hops.clear()
        self.rules, self.read = rules, request

    @property
    def crawl_delay(self) -> float | None:
        """The Crawl-delay for the agent that fetched the rules."""
        if self.rules is None or self.read is None:
            return None
        asked = self.rules.crawl_delay(self.read.agent)
        return asked if asked is not None and math.isfinite(asked) else None


def check_robots(
    requests: list[AuditedRequest], answers: list[AuditedRequest], tally: Tally
) -> KnownRules:
    """Pages and sitemaps are fetched under rules that are known, fresh, and allow it.

    `answers` are the requests for the host's robots.txt, redirects to other hosts included.
    """
    known = KnownRules()
    asked = [request for request in requests if request.purpose != "robots"]
    events = [(a.era, a.started_at, 0, i, a) for i, a in enumerate(answers)]
    events += [(r.era, r.started_at, 1, i, r) for i, r in enumerate(asked)]
    for *_, is_page, _, request in sorted(events, key=lambda event: event[:4]):
        if is_page:
            _check_page(request, known, tally)
        else:
            known.learn(request)
    return known


def _check_page(request: AuditedRequest, known: KnownRules, tally: Tally) -> None:
    tally.see("robots-unread")
    rules = known.rules
    if rules is None or known.read is None:
        return tally.find("robots-unread", request, "no robots.txt of the host was read before")
    tally.see("robots-unavailable")
    if rules.unavailable:
        code = f"code {rules.code}" if rules.code else "no answer"
        return tally.find("robots-unavailable", request, f"robots.txt had given {code}")
    tally.see("robots-stale")
    age = request.started_at - known.read.ended_at
    if age > ROBOTS_TTL + (request.grace if request.delay > 0 else LEASE) + TOLERANCE:
        tally.find("robots-stale", request, f"robots.txt had been read {age / 3600:.2f} h before")
    tally.see("disallowed")
    if not rules.allows(request.url, request.agent):
        tally.find("disallowed", request, "robots.txt forbids it")
    _check_crawl_delay(request, rules, tally)
    return None


def _check_crawl_delay(request: AuditedRequest, rules: Robots, tally: Tally) -> None:
    asked = min(rules.crawl_delay(request.agent) or 0.0, request.max_delay)
    if asked <= 0:
        return
    tally.see("crawl-delay")
    if request.delay < asked - TOLERANCE:
        detail = f"asked under a delay of {request.delay:g} s, where {asked:g} s hold"
        tally.find("crawl-delay", request, detail)


def check_back_off(
    requests: list[AuditedRequest], forgotten: set[AuditedRequest], tally: Tally
) -> None:
    """After a 429 or 503 Retry-After is kept, and later requests have a longer delay."""
    waiting: list[AuditedRequest] = []  # refusals whose Retry-After is not over
    slow: AuditedRequest | None = None  # a refusal without a request after it yet
    for request, has_ended in _timeline(requests):
        if has_ended:
            if request.is_refusal and request not in forgotten:
                waiting.append(request)
                slow = request if request.delay < MAX_PENALTY else None
            elif request.is_good:
                slow = None
            continue
        waiting = [w for w in waiting if request.started_at < _free_from(w) - TOLERANCE]
        _check_wait(request, waiting, tally)
        if slow is not None and not _was_under_way(request, slow):
            _check_pace(request, slow, tally)
            slow = None


def _timeline(requests: list[AuditedRequest]) -> Iterator[tuple[AuditedRequest, bool]]:
    """Starts and ends in order. At equal times ends come first, but never before their start."""
    if not any(request.is_refusal for request in requests):
        return
    events = [(r.started_at, 1, i) for i, r in enumerate(requests)]
    events += [
        (r.ended_at, 0 if r.ended_at > r.started_at else 2, i) for i, r in enumerate(requests)
    ]
    for _, order, index in sorted(events):
        yield requests[index], order != 1


def _free_from(refusal: AuditedRequest) -> float:
    return refusal.ended_at + min(refusal.retry_after, MAX_RETRY_AFTER)


def _check_wait(request: AuditedRequest, waiting: list[AuditedRequest], tally: Tally) -> None:
    tally.see("retry-after")
    for refusal in waiting:
        if not _was_under_way(request, refusal):
            early = _free_from(refusal) - request.started_at
            what = f"{early:.3f} s too early after code {refusal.code} for {refusal.url}"
            tally.find("retry-after", request, what)
            return


def _check_pace(request: AuditedRequest, refusal: AuditedRequest, tally: Tally) -> None:
    tally.see("slow-down")
    if request.delay < penalised(0.0) - TOLERANCE:
        what = f"under a delay of {request.delay:g} s after code {refusal.code} for {refusal.url}"
        tally.find("slow-down", request, what)


def _was_under_way(request: AuditedRequest, refusal: AuditedRequest) -> bool:
    """Whether a request may have been claimed before the refusal was known."""
    if request.delay > 0:
        return request.slot <= refusal.ended_at + NOTICE + 2 * request.grace
    return request.started_at <= refusal.ended_at + FREE_NOTICE


def check_retries(requests: Iterable[AuditedRequest], tally: Tally) -> set[AuditedRequest]:
    """A retry follows a failure. Returns refusals that the crawler lost in a kill.

    These are followed by the same try of the same URL: a kill came between record and commit.
    """
    last: dict[tuple[str, str], AuditedRequest] = {}
    failed: dict[tuple[str, str], int] = {}
    forgotten: set[AuditedRequest] = set()
    for request in requests:
        if request.purpose == "robots":
            continue
        key = request.job, request.url
        before = last.get(key)
        if before is not None and before.tries >= request.tries:
            tally.repeats += 1
            if before.is_refusal and before.tries == request.tries:
                forgotten.add(before)
        if request.tries:
            tally.see("retry")
            if failed.get(key, -1) < request.tries - 1:
                tally.find("retry", request, f"try {request.tries + 1}, but none before it failed")
        if request.has_failed:
            failed[key] = max(request.tries, failed.get(key, -1))
        last[key] = request
    tally.forgotten += len(forgotten)
    return forgotten
