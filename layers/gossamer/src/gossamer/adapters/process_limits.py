"""Limits on what a process that reads pages may take; the system keeps them, whatever code runs."""

from __future__ import annotations

import resource
from pathlib import Path

MORE_BYTES = 1_500_000_000  # for the pages of a process; a PDF of a thousand takes 40 MB


def limit_cpu(seconds: int) -> None:
    """Let this process use some more seconds of CPU time, and be ended after them."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if most == resource.RLIM_INFINITY or limit < most:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, most))


def limit_memory(more: int = MORE_BYTES) -> None:
    """Let this process take so much more memory than it has, where the system says how much."""
    try:
        pages = int(Path("/proc/self/statm").read_text().partition(" ")[0])
    except (OSError, ValueError):
        return
    limit = pages * resource.getpagesize() + more
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or limit < most:
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
