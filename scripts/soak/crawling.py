"""Keep a crawl running, round after round, through kills."""

import json
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gossamer.entrypoints.cli.command import INTERRUPTED
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.running import Running

BREATH = 0.5  # seconds after a failure
LIMIT = 300.0  # seconds for one of the last rounds, which takes about a minute

Task = Literal["crawl", "index"]
End = Literal["done", "interrupted", "killed", "failed"]


@dataclass(frozen=True, slots=True)
class Life:
    """One process of the crawl, from its start to its end."""

    task: Task
    pid: int
    began_at: float
    ended_at: float
    end: End
    said: dict[str, Any]


class Crawl:
    """`gossamer crawl --refresh` and `gossamer index`, by turns."""

    def __init__(self, program: Path, data: Path, seeds: Sequence[str], delay: float) -> None:
        where = ["--data", str(data), "--json"]
        polite = ["--delay", str(delay), "--allow-private", "--retry-wait", "0.5", "--quiet"]
        self._commands: dict[Task, list[str | Path]] = {
            "crawl": [program, "crawl", *seeds, *where, *polite, "--refresh"],
            "index": [program, "index", *where],
        }
        self.lives: list[Life] = []
        self.failures: list[str] = []
        self.kills: list[float] = []
        self.rounds = 0
        self._current: tuple[Task, Running] | None = None
        self._mutex = threading.Lock()
        self._stop = threading.Event()
        self._sessions: list[Running] = []

    @property
    def current(self) -> tuple[Task, Running] | None:
        """What runs now."""
        return self._current

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Crawl and index, over and over, while the block lasts; what runs then is interrupted."""
        self._stop.clear()
        thread = threading.Thread(target=self._go_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._mutex:
                self._stop.set()
            self._interrupt()
            thread.join()

    def _interrupt(self) -> None:
        with self._mutex:
            if self._current is not None:
                self._current[1].terminate()

    def kill(self) -> bool:
        """SIGKILL what runs, every other time only its main process; False if nothing does."""
        with self._mutex:
            if self._current is None or not self._current[1].is_alive():
                return False
            self.kills.append(time.time())
            self._current[1].kill(alone=len(self.kills) % 2 == 0)
            return True

    def close(self) -> None:
        """Leave nothing behind."""
        for running in self._sessions:
            if running.is_alive() or running.orphans():  # else its number may be another's by now
                running.end(patience=0.0)

    def orphans(self) -> int:
        """How many parsers have outlived the crawls they belonged to."""
        return sum(running.orphans() for running in self._sessions)

    def complete(self, task: Task, limit: float = LIMIT) -> dict[str, Any]:
        """Run one task to its end, and what it says; after so many seconds it is interrupted."""
        self._stop.clear()
        timer = threading.Timer(limit, self._interrupt)
        timer.start()
        life = self._run(task)
        timer.cancel()
        if life is None or not life.said:
            raise BenchFailure(f"gossamer {task} failed: {self.failures[-1:]}")
        return life.said

    def _go_on(self) -> None:
        while not self._stop.is_set():
            for task in ("crawl", "index"):
                while (life := self._run(task)) is not None and life.end != "done":
                    if life.end == "failed":
                        self._stop.wait(BREATH)
            self.rounds += not self._stop.is_set()

    def _run(self, task: Task) -> Life | None:
        """One process to its end; None when nothing is to be started any more."""
        with self._mutex:
            if self._stop.is_set():
                return None
            running = Running(self._commands[task])
            self._sessions.append(running)
            self._current = task, running
        code = running.wait()
        with self._mutex:
            self._current = None
        running.bury()
        life = self._life(task, running, code)
        self.lives.append(life)
        return life

    def _life(self, task: Task, running: Running, code: int) -> Life:
        out, errors = running.said()
        end: End = "failed" if code else "done"
        if code and running.signalled is not None:
            end = "killed" if code == -signal.SIGKILL else "interrupted"
        elif code or errors:
            self.failures.append(f"gossamer {task}: exit {code}: {errors.strip()[-1000:]}")
        said = json.loads(out) if code in (0, INTERRUPTED) and out else {}
        if said.get("state") == "interrupted":
            end = "interrupted"
        return Life(task, running.pid, running.began_at, time.time(), end, said)
