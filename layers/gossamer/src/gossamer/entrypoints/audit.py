"""Was the crawl polite? Answered from the WARC files alone."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
from warcio.archiveiterator import ArchiveIterator

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
    kind: str  # "gap", "crawl-delay" or "disallowed"
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
    """Every request of a WARC file; a robots.txt comes with its rules."""
    bodies: dict[str, Robots] = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            if record.rec_type == "response" and url.endswith("/robots.txt"):
                code = int(record.http_headers.get_statuscode())
                id = record.rec_headers.get_header("WARC-Record-ID")
                bodies[id] = parse_robots(record.content_stream().read(), code)
            elif record.rec_type == "metadata":
                facts = _facts(record.content_stream().read())
                answered = record.rec_headers.get_header("WARC-Concurrent-To")
                yield _request(url, facts, bodies.pop(answered, None))


def _facts(block: bytes) -> dict[str, str]:
    lines = block.decode("utf-8", "replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _request(url: str, facts: dict[str, str], robots: Robots | None) -> AuditedRequest:
    return AuditedRequest(
        url=url,
        host=facts["host"],
        started_at=float(facts["startedAt"]),
        delay=float(facts["delay"]),
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
    """Every page was asked for under rules that allow it, read before it."""
    rules: dict[str, Robots] = {}
    for request in sorted(requests, key=lambda request: request.started_at):
        if request.purpose == "robots":
            if request.robots is not None and request.code < 300:
                rules[request.robots_for] = request.robots
            continue
        robots = rules.get(request.host)
        if robots is not None and not robots.allows(request.url, request.agent):
            yield Violation(
                host=request.host,
                url=request.url,
                at=request.started_at,
                kind="disallowed",
                detail="robots.txt forbids it",
            )
