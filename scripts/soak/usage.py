"""Memory, handles and threads of a process and its descendants, from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


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


def family(root: int) -> list[int]:
    """The process and its living descendants."""
    pids = [root]
    for pid in pids:
        pids.extend(_children(pid))
    return pids


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in (PROC / f"{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # it ended meanwhile
        return []


def _of_one(pid: int) -> Usage | None:
    try:
        pages = int((PROC / f"{pid}/statm").read_text().split()[1])
        handles = len(os.listdir(PROC / f"{pid}/fd"))  # noqa: PTH208 — only their number counts
        threads = len(os.listdir(PROC / f"{pid}/task"))  # noqa: PTH208 — only their number counts
    except OSError:
        return None
    return Usage(pages * PAGE_BYTES / 1e6, handles, threads) if pages else None  # 0 pages: a zombie
