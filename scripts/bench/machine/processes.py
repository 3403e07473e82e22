"""Run a program under a time limit and measure its time and memory."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.memory import MemoryWatch

Command = Sequence[str | Path]


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
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        with MemoryWatch(process.pid) as memory:
            code = _wait(process, limit)
            seconds = time.perf_counter() - started
        output.seek(0)
        errors.seek(0)
        return Finished(seconds, code, output.read(), errors.read(), memory.peaks_mb)


def require(command: Command, *, limit: float, folder: Path | None = None) -> str:
    """Run a program that must succeed; returns its output."""
    finished = run(command, limit=limit, folder=folder)
    if finished.code != 0:
        last = finished.errors.strip()[-500:]
        raise BenchFailure(f"{' '.join(map(str, command))}: exit {finished.code}\n{last}")
    return finished.output


def _wait(process: subprocess.Popen[bytes], limit: float) -> int | None:
    """Its exit code, None at the limit; its whole session is killed in any case."""
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end_session(process)


def _end_session(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # all have ended
        return
    process.wait()
