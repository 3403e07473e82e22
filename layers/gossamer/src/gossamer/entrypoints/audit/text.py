"""Print a politeness certificate as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.entrypoints.audit.certificate import utc
from gossamer.entrypoints.local.report import size

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gossamer.entrypoints.audit.certificate import Audit, HostRow

FILES_SHOWN = 2
AGENTS_SHOWN = 2
NOTES_SHOWN = 3
VIOLATIONS_SHOWN = 10
HOST_COLUMNS = (
    "host", "requests", "delay", "shortest gap", "robots.txt", "read", "Crawl-delay", "disallowed",
    "worst",
)  # fmt: skip


def certificate_text(certificate: Audit, hosts: int) -> str:
    """The certificate as text: scope, checks, the worst hosts, and the summary line."""
    lines = [
        *_scope(certificate),
        "",
        *_table(
            [("check", "cases", "violations", "rule")]
            + [
                (check.name, f"{check.examined:,}", f"{check.violations:,}", check.rule)
                for check in certificate.checks
            ],
            right=(1, 2),
        ),
        "",
        *_hosts(certificate, hosts),
        *_violations(certificate),
        *_shown([f"note: {note}" for note in certificate.notes], NOTES_SHOWN, "notes"),
        f"certificate: {_count(certificate.requests, 'request')}"
        f" to {_count(certificate.hosts, 'host')},"
        f" {_count(certificate.violations, 'violation')} · sha256:{certificate.sha256}",
    ]
    return "\n".join(lines)


def _scope(certificate: Audit) -> list[str]:
    asked = ", ".join(
        f"{count:,} robots.txt" if purpose == "robots" else _count(count, purpose)
        for purpose, count in certificate.by_purpose.items()
    )
    unsent = f" ({certificate.unsent:,} found no address)" if certificate.unsent else ""
    files = [
        f"file      {file.name}  {size(file.bytes)}, {file.records:,} records  sha256:{file.sha256}"
        for file in certificate.warc_files
    ]
    agents = [f"agent     {agent}" for agent in certificate.user_agents]
    return [
        f"requests  {asked or 'none'}{unsent}",
        f"period    {certificate.first_request} to {certificate.last_request}",
        *_shown(agents, AGENTS_SHOWN, "agents"),
        *_shown(files, FILES_SHOWN, "files"),
    ]


def _hosts(certificate: Audit, limit: int) -> list[str]:
    rows = certificate.by_host
    if not rows or not limit:
        return []
    lines = _table([HOST_COLUMNS, *map(_host, rows[:limit])], right=(1, 2, 3, 6, 7))
    return [*lines, *_rest(len(rows), limit, "hosts: --hosts N shows more, --json all"), ""]


def _host(row: HostRow) -> tuple[str, ...]:
    low, high = f"{row.min_delay:g}", f"{row.max_delay:g}"
    ratio = "" if row.min_gap_over_delay is None else f" ({row.min_gap_over_delay:.3f} ×)"
    robots = "-" if row.robots_code is None else str(row.robots_code)
    return (
        row.host,
        f"{row.requests:,}",
        f"{low} s" if low == high else f"{low}–{high} s",
        "-" if row.shortest_gap is None else f"{row.shortest_gap:.3f} s{ratio}",
        f"{robots} {row.robots_sha256[:12]}".strip(),
        row.robots_read[:19] or "-",
        "-" if row.crawl_delay is None else f"{row.crawl_delay:g} s",
        f"{row.disallowed:,}",
        row.worst or "-",
    )


def _violations(certificate: Audit) -> list[str]:
    if not certificate.violations:
        return []
    listed = certificate.listed[:VIOLATIONS_SHOWN]
    lines = [f"{v.kind}: {v.url} at {utc(v.at)}: {v.detail}" for v in listed]
    return [*lines, *_rest(certificate.violations, len(listed), "violations"), ""]


def _shown(lines: list[str], limit: int, what: str) -> list[str]:
    return [*lines[:limit], *_rest(len(lines), limit, f"{what} (--json)")]


def _rest(total: int, shown: int, what: str) -> list[str]:
    return [f"… and {total - shown:,} more {what}"] if total > shown else []


def _table(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [">" if i in right else "<" for i in range(len(widths))]
    return [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
