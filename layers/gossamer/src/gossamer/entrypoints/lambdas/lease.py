"""Work that one process at a time may do, under a lease."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.admin.job_admin import JobAdmin

T = TypeVar("T")

LEASE = 900.0  # seconds: as long as a function may run


def under_lease(jobs: JobAdmin, name: str, now: float, work: Callable[[], T]) -> T | None:
    """Do something, unless another process is doing it: then None."""
    epoch = jobs.lease(name, uuid.uuid4().hex, now + LEASE, now)
    if epoch is None:
        return None
    try:
        return work()
    finally:
        jobs.end_lease(name, epoch)
