"""RANK and RECRAWL: one process reads a whole table, and a function has fifteen minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.cost.aws_units import READ_UNIT
from scripts.scale import limits

if TYPE_CHECKING:
    from scripts.scale.deployment import Function
    from scripts.scale.findings import Findings


def rank(pages: float, function: Function, now: float, findings: Findings) -> dict[str, float]:
    """One ranking; returns what it uses."""
    links = pages * limits.LINKS_A_PAGE
    took = links / limits.RANK_LINKS_A_SECOND
    if took > function.timeout:
        what = f"RANK needs {took:,.0f} s for {links / 1e6:,.0f} million links, a function has 900"
        findings.note("rank", now, what, "RankSchedule=DISABLED, SparkRank=true, `bulk rank`")
    seconds = min(took, function.timeout)
    return _run(function, seconds, pages * limits.LINKS_A_PAGE * 40.0)


def recrawl(urls: float, function: Function, now: float, findings: Findings) -> dict[str, float]:
    """One look at what is due; returns what it uses."""
    size = urls * limits.URL_BYTES
    took = size / (limits.SCAN_MB_A_SECOND * 1e6)
    if took > function.timeout:
        what = f"RECRAWL reads {urls / 1e6:,.0f} million URLs in {took:,.0f} s, a function has 900"
        findings.note("recrawl", now, what, "RecrawlBudget=0, SparkRank=true, `bulk recrawl`")
    return _run(function, min(took, function.timeout), size)


def _run(function: Function, seconds: float, scanned: float) -> dict[str, float]:
    return {
        "gbms": function.memory_mb / 1024 * seconds * 1_000,
        "invocations": 1.0,
        "rru": scanned / READ_UNIT / 2,
    }
