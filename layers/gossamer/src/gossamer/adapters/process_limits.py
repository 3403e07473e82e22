"""Limits that the system keeps: of processes that read pages, and on files that are open."""

from __future__ import annotations

import resource
from pathlib import Path

from gossamer.core.errors import ConfigurationError

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


def allow_open_files(wanted: int, least: int, what: str) -> int:
    """Raise the limit on open files towards `wanted`; return how many this process may open.

    Raises ConfigurationError if `what` cannot have `least`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < target:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
        except (OSError, ValueError):  # a bound of the system that `hard` does not tell
            target = soft
    allowed = max(soft, target)
    if allowed < least:
        raise ConfigurationError(
            f"{what} needs up to {least} open files and connections, and the system allows"
            f" {allowed}; raise the limit, for example with `ulimit -n {wanted}`"
        )
    return allowed
