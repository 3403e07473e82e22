"""Make a politeness certificate from the WARC files of a crawl alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import host_of
from gossamer.entrypoints.audit.certificate import (
    Audit,
    HostRow,
    Violation,
    WarcFile,
    utc,
    with_digest,
)
from gossamer.entrypoints.audit.checks import (
    KnownRules,
    Tally,
    check_back_off,
    check_gaps,
    check_retries,
    check_robots,
    check_slots,
)
from gossamer.entrypoints.audit.records import AuditedRequest, WarcReading

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Audit", "AuditedRequest", "Violation", "audit"]

MAX_LISTED = 20


class _Dossier:
    """All requests and answers in the files, by host."""

    def __init__(self, only: str) -> None:
        self.only = only
        self.tally = Tally()
        self.requests: dict[str, list[AuditedRequest]] = defaultdict(list)
        self.answers: dict[str, list[AuditedRequest]] = defaultdict(list)  # of robots.txt
        self.files: list[WarcFile] = []
        self.notes: list[str] = []

    def read(self, path: Path) -> None:
        """Add the requests of a file."""
        reading = WarcReading(path)
        for request in reading:
            if request.purpose == "robots":
                self.answers[request.robots_for].append(request)
            if self._is_wanted(request.host):
                self.requests[request.host].append(request)
                self.tally.see("incomplete")
        for loss in reading.losses:
            if self._is_wanted(host := host_of(loss.url)):
                self.tally.see("incomplete")
                self.tally.find_at("incomplete", host, loss.url, loss.at, loss.detail)
        self.files.append(reading.file)
        self.notes += reading.notes

    def _is_wanted(self, host: str) -> bool:
        return not self.only or host == self.only


def audit(files: Iterable[Path], host: str = "") -> Audit:
    """Check every request in WARC files, or only those to one host."""
    dossier = _Dossier(host)
    for path in files:
        dossier.read(path)
    if host and not dossier.requests:
        raise ConfigurationError(f"cannot audit: no request to {host} in these files")
    rows = [_check_host(name, dossier) for name in sorted(dossier.requests)]
    return with_digest(_certificate(dossier, rows))


def _check_host(host: str, dossier: _Dossier) -> HostRow:
    tally, answers = dossier.tally, dossier.answers[host]
    requests = dossier.requests[host]
    for some in (requests, answers):
        some.sort(key=lambda request: (request.era, request.started_at))
    sent = [request for request in requests if request.was_sent]
    forgotten = check_retries(requests, tally)
    gaps: list[float] = []
    ratios: list[float] = []
    for _, of_era in groupby(sent, key=lambda request: request.era):
        together = list(of_era)
        gap, ratio = check_gaps(together, tally)
        gaps += [gap] if gap is not None else []
        ratios += [ratio] if ratio is not None else []
        check_slots(together, tally)
        check_back_off(together, forgotten, tally)
    known = check_robots(sent, answers, tally)
    shortest, least = min(gaps, default=None), min(ratios, default=None)
    return _row(host, requests, tally.by_host[host], known, shortest, least)


def _row(
    host: str,
    requests: list[AuditedRequest],
    found: Counter[str],
    known: KnownRules,
    gap: float | None,
    ratio: float | None,
) -> HostRow:
    read = known.read
    return HostRow(
        host=host,
        requests=len(requests),
        violations=found.total(),
        min_delay=min(request.delay for request in requests),
        max_delay=max(request.delay for request in requests),
        shortest_gap=_rounded(gap),
        min_gap_over_delay=_rounded(ratio),
        robots_code=read.code if read else None,
        robots_sha256=read.robots.sha256 if read and read.robots else "",
        robots_read=utc(read.started_at) if read else "",
        crawl_delay=known.crawl_delay,
        disallowed=found["disallowed"],
        worst=max(found, key=lambda kind: found[kind]) if found else "",
    )


def _certificate(dossier: _Dossier, rows: list[HostRow]) -> Audit:
    tally = dossier.tally
    requests = [request for some in dossier.requests.values() for request in some]
    ratios = [row.min_gap_over_delay for row in rows if row.min_gap_over_delay is not None]
    times = [request.started_at for request in requests]
    return Audit(
        host=dossier.only,
        hosts=len(rows),
        requests=len(requests),
        violations=tally.found.total(),
        min_gap_over_delay=min(ratios, default=None),
        files=len(dossier.files),
        first_request=utc(min(times)) if times else "",
        last_request=utc(max(times)) if times else "",
        by_purpose=_counted(request.purpose for request in requests),
        user_agents=_counted(request.agent for request in requests),
        unsent=sum(not request.was_sent for request in requests),
        checks=tally.checks(),
        warc_files=sorted(dossier.files, key=lambda file: (file.name, file.sha256)),
        by_host=sorted(rows, key=_badness),
        notes=sorted(dossier.notes) + _remarks(tally),
        listed=_some(tally.listed),
    )


def _badness(row: HostRow) -> tuple[int, float, str]:
    ratio = row.min_gap_over_delay
    return -row.violations, ratio if ratio is not None else float("inf"), row.host


def _some(violations: list[Violation]) -> list[Violation]:
    """The listed violations: first ones of every kind before further ones, in order of time."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, float, str, int]] = []
    for index, violation in enumerate(violations):
        seen[violation.kind] += 1
        ranked.append((seen[violation.kind], violation.at, violation.host, index))
    chosen = sorted(ranked)[:MAX_LISTED]
    return [violations[index] for *_, index in sorted(chosen, key=lambda rank: rank[1:])]


def _remarks(tally: Tally) -> list[str]:
    """Notes about what is no violation but should be known."""
    remarks = (
        (tally.repeats, "requests repeat an earlier one of their URL: a refresh, or a kill"),
        (tally.forgotten, "refusals were followed by the same try: a kill made us forget them"),
        (tally.without_grace, "requests name a delay but no grace: their slots were not checked"),
    )
    return [f"{count:,} {what}" for count, what in remarks if count]


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _rounded(value: float | None) -> float | None:
    return round(value, 6) if value is not None else None
