"""Memory, handles, threads and CPU time of a process and its descendants, from /proc."""

import os
from dataclasses import dataclass

from scripts.bench.machine.memory import PROC, family

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")  # a second


@dataclass(frozen=True, slots=True)
class Usage:
    """Sums over several processes; shared memory counts once per process."""

    rss_mb: float
    handles: int
    threads: int


def usage(root: int) -> Usage | None:
    """Usage of a process and its descendants; None if it has ended."""
    found = [one for pid in family(root) if (one := _of_one(pid)) is not None]
    if not found:
        return None
    return Usage(
        round(sum(one.rss_mb for one in found), 2),
        sum(one.handles for one in found),
        sum(one.threads for one in found),
    )


def _of_one(pid: int) -> Usage | None:
    try:
        pages = int((PROC / f"{pid}/statm").read_text().split()[1])
        handles = len(os.listdir(PROC / f"{pid}/fd"))  # noqa: PTH208 — only their number counts
        threads = len(os.listdir(PROC / f"{pid}/task"))  # noqa: PTH208 — only their number counts
    except OSError:
        return None
    return Usage(pages * PAGE_BYTES / 1e6, handles, threads) if pages else None  # 0 pages: a zombie


def cpu_seconds(root: int) -> float:
    """What a process and its living descendants have used of all cores since they began."""
    return sum(map(_ticks, family(root))) / TICKS


def _ticks(pid: int) -> int:
    try:
        fields = (PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
