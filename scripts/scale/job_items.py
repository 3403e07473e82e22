"""What is asked of a job's item, and of the blocks of units beside it: they are other keys.

A function remembers a job, with its budgets, for `JOB_MEMORY` seconds. A reservation reads the job
and one block, and writes the block; the job is written when it lends to a block (counting/budgets).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws.counting.budgets import AHEAD, BLOCKS
from gossamer.adapters.aws.home import JOB_MEMORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scripts.scale.functions import Turn

READ_JOB, WRITE_JOB = "rru jobs", "wru jobs"
READ_BLOCKS, WRITE_BLOCKS = "rru blocks", "wru blocks"
LENDING = 4.0  # write units of a transaction of the job and a block


def reading(turn: Turn, step: float, *, limited: bool) -> dict[str, float]:
    """What the functions of a turn read: each process once in a while, whatever it is handed."""
    processes = turn.concurrency(step) + 1.0
    times = min(turn.invocations, processes * step / JOB_MEMORY)
    return {READ_JOB: times} | ({READ_BLOCKS: times * BLOCKS} if limited else {})


def reserving(measured: Mapping[str, float], pages: float) -> dict[str, float]:
    """What so many pages of a job with a limit cost more, by the keys that are asked."""
    more = {name: units * pages for name, units in measured.items()}
    reads, writes = more.pop(READ_JOB, 0.0), more.pop(WRITE_JOB, 0.0)
    lending = min(writes, pages / AHEAD * LENDING)
    of_job = lending / 2
    return more | {
        READ_JOB: reads / 2,
        READ_BLOCKS: reads / 2,
        WRITE_JOB: of_job,
        WRITE_BLOCKS: writes - of_job,
    }
