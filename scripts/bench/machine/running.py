"""Start a program, watch it, and terminate or kill it."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from scripts.bench.machine.memory import family
from scripts.bench.machine.usage import usage

Command = Sequence[str | Path]
PATIENCE = 60.0  # seconds that a program has to end after SIGTERM


def environment() -> dict[str, str]:
    """Our environment without the settings of Gossamer."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GOSSAMER_")}


class Running:
    """A program in its own session; stdout and stderr go to files."""

    def __init__(self, command: Command, folder: Path | None = None) -> None:
        self.began_at = time.time()
        self._out = tempfile.TemporaryFile("w+")  # noqa: SIM115 — closed when it is read
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 — closed when it is read
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._errors,
            start_new_session=True,
            env=environment(),
        )
        self.pid = self._process.pid
        self.signalled: signal.Signals | None = None
        self._orphans: list[int] = []

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.signalled = signal.SIGTERM
        self._process.terminate()

    def kill(self, *, alone: bool = False) -> None:
        """Kill its session; with `alone`, kill only the process and leave its children."""
        self.signalled = signal.SIGKILL
        if alone:
            self._orphans = family(self.pid)[1:]
            self._process.kill()
        else:
            self._end_session()

    def wait(self) -> int:
        """Wait until it ends by itself; returns its exit code."""
        return self._process.wait()

    def end(self, patience: float = PATIENCE) -> int:
        """Wait, kill it after `patience` seconds, kill its session; returns its exit code."""
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
        finally:
            self._end_session()
        return self._process.wait()

    def orphans(self) -> int:
        """How many children still run after it was killed alone."""
        return sum(usage(pid) is not None and _session(pid) == self.pid for pid in self._orphans)

    def bury(self) -> None:
        """Kill the rest of its session, unless it was killed alone to count its orphans."""
        if not self._orphans:
            self._end_session()

    def said(self) -> tuple[str, str]:
        """What it wrote to stdout and stderr; can be read once."""
        texts = []
        for file in (self._out, self._errors):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return texts[0], texts[1]

    def _end_session(self) -> None:
        with suppress(ProcessLookupError):  # all have ended
            os.killpg(self.pid, signal.SIGKILL)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0
