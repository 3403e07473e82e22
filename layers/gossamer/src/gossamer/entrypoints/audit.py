"""Was the crawl polite? Answered from the WARC files alone."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
from warcio.archiveiterator import ArchiveIterator

from gossamer.core.outcome import REDIRECT_CODES
from gossamer.core.robots import Robots, parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


# Clocks are read in microseconds and written with six digits.
TOLERANCE = 2e-6
MAX_LISTED = 20


class Violation(msgspec.Struct, kw_only=True):
    """Two requests that were too close, or one that robots.txt forbids."""

    host: str
    url: str
    at: float
    kind: str  # "gap", "crawl-delay", "disallowed" or "robots-unread"
    detail: str


class Audit(msgspec.Struct, kw_only=True):
    """A politeness certificate."""

    hosts: int
    requests: int
    violations: int
    min_gap_over_delay: float | None  # None when no host was asked twice under a delay
    files: int = 0
    listed: list[Violation] = []


class AuditedRequest(msgspec.Struct, kw_only=True, frozen=True):
    """One request as its metadata record tells it."""

    url: str
    host: str
    started_at: float
    delay: float
    max_delay: float
    purpose: str
    robots_for: str
    agent: str
    code: int
    robots: Robots | None = None  # what it answered, if it asked for robots.txt


def audit(files: Iterable[Path]) -> Audit:
    """Check every request of some WARC files."""
    paths = list(files)
    by_host: dict[str, list[AuditedRequest]] = defaultdict(list)
    for path in paths:
        for request in read_requests(path):
            by_host[request.host].append(request)
    violations: list[Violation] = []
    ratios: list[float] = []
    for host, requests in sorted(by_host.items()):
        requests.sort(key=lambda request: request.started_at)
        violations += _check_gaps(host, requests, ratios)
    violations += _check_robots([r for requests in by_host.values() for r in requests])
    return Audit(
        hosts=len(by_host),
        requests=sum(map(len, by_host.values())),
        violations=len(violations),
        min_gap_over_delay=round(min(ratios), 6) if ratios else None,
        files=len(paths),
        listed=violations[:MAX_LISTED],
    )


def read_requests(path: Path) -> Iterator[AuditedRequest]:
    """Every request of a WARC file; one for a robots.txt comes with its rules."""
    answer, code = b"", 0
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":  # its metadata record comes next
                answer, code = record.content_stream().read(), _code(record)
            elif record.rec_type == "metadata":
                facts = _facts(record.content_stream().read())
                robots = None
                if facts["purpose"] == "robots":
                    robots = parse_robots(answer, code if facts["code"] != "0" else 0)
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                yield _request(url, facts, robots)


def _code(record: Any) -> int:
    return int(record.http_headers.get_statuscode())


def _facts(block: bytes) -> dict[str, str]:
    lines = block.decode("utf-8", "replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _request(url: str, facts: dict[str, str], robots: Robots | None) -> AuditedRequest:
    return AuditedRequest(
        url=url,
        host=facts["host"],
        started_at=float(facts["startedAt"]),
        delay=float(facts["delay"]),
        max_delay=float(facts.get("maxDelay", "0")),
        purpose=facts["purpose"],
        robots_for=facts.get("robotsFor", ""),
        agent=facts.get("userAgent", ""),
        code=int(facts.get("code", "0")),
        robots=robots,
    )


def _check_gaps(
    host: str, requests: list[AuditedRequest], ratios: list[float]
) -> Iterator[Violation]:
    """No request starts earlier after the one before it than the delay in force at its start."""
    for before, after in pairwise(requests):
        if after.delay <= 0:
            continue
        gap = after.started_at - before.started_at
        ratios.append(gap / after.delay)
        if gap < after.delay - TOLERANCE:
            yield Violation(
                host=host,
                url=after.url,
                at=after.started_at,
                kind="gap",
                detail=f"{gap:.6f} s after {before.url}, where the delay is {after.delay:g} s",
            )


def _check_robots(requests: list[AuditedRequest]) -> Iterator[Violation]:
    """Every page was asked for under rules that were read before it, allow it, and set its pace."""
    rules: dict[str, Robots] = {}
    for request in sorted(requests, key=lambda request: request.started_at):
        if request.purpose == "robots":
            if request.code in REDIRECT_CODES:  # a chain of them that never ends counts as no rules
                rules.setdefault(request.robots_for, Robots(code=404))
            elif request.robots is not None:
                rules[request.robots_for] = request.robots
            continue
        kind, detail = _breach(request, rules.get(request.host))
        if kind:
            yield Violation(
                host=request.host,
                url=request.url,
                at=request.started_at,
                kind=kind,
                detail=detail,
            )


def _breach(request: AuditedRequest, robots: Robots | None) -> tuple[str, str]:
    """What a request did wrong by the rules in force; two empty strings if nothing."""
    if robots is None:
        return "robots-unread", "no robots.txt of the host was asked for before"
    if not robots.allows(request.url, request.agent):
        return "disallowed", "robots.txt forbids it"
    asked = min(robots.crawl_delay(request.agent) or 0.0, request.max_delay)
    if request.delay < asked - TOLERANCE:
        return "crawl-delay", f"asked under a delay of {request.delay:g} s, where {asked:g} s hold"
    return "", ""
