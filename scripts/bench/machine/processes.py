"""Run a program under a time limit and measure its time and memory."""

import time
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.memory import MemoryWatch
from scripts.bench.machine.running import Command, Running


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished program. `code` is None if it was killed at the time limit."""

    seconds: float
    code: int | None
    output: str
    errors: str
    peaks_mb: list[float]

    @property
    def peak_mb(self) -> float:
        """Memory of the largest process."""
        return max(self.peaks_mb, default=0.0)


def run(command: Command, *, limit: float, folder: Path | None = None) -> Finished:
    """Run a program; kill it at the limit."""
    started = time.perf_counter()
    running = Running(command, folder)
    with MemoryWatch(running.pid) as memory:
        code = running.end(limit)
        seconds = time.perf_counter() - started
    killed = running.signalled is not None
    return Finished(seconds, None if killed else code, *running.said(), memory.peaks_mb)


def require(command: Command, *, limit: float, folder: Path | None = None) -> str:
    """Run a program that must succeed; returns its output."""
    finished = run(command, limit=limit, folder=folder)
    if finished.code != 0:
        last = finished.errors.strip()[-500:]
        raise BenchFailure(f"{' '.join(map(str, command))}: exit {finished.code}\n{last}")
    return finished.output
