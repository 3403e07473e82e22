"""Samples of processes, queues and files, one a second."""

import time
from dataclasses import dataclass
from pathlib import Path

from gossamer import homes
from gossamer.adapters.local.home import LocalHome, from_settings
from gossamer.core.errors import ConfigurationError
from gossamer.settings import Settings
from scripts.background import Background
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.running import Running
from scripts.bench.machine.usage import Usage, usage
from scripts.soak.crawling import Crawl
from scripts.soak.serving import Service

EVERY = 1.0  # seconds
START_LIMIT = 60.0  # seconds for the first crawl to create its database
# A message that was leased when its holder was killed has visible_at 0: its age is unknown.
OLDEST_DUE = (
    "SELECT MIN(visible_at) FROM queue WHERE leased = 0 AND visible_at > 0 AND visible_at <= ?"
)


@dataclass(frozen=True, slots=True)
class Process:
    """A running process and its usage."""

    task: str
    pid: int
    age: float  # seconds
    usage: Usage


@dataclass(frozen=True, slots=True)
class Sample:
    """The state at one moment."""

    at: float
    server: Process | None
    crawl: Process | None
    depth: int  # messages, due or not
    oldest: float  # seconds that the oldest due message has waited for a worker
    requests: int
    pages: int
    database_mb: float
    log_mb: float
    warc_mb: float


class Sampler(Background):
    """Takes a sample every second, in a thread, during the `with` block."""

    def __init__(self, data: Path, crawl: Crawl, service: Service) -> None:
        super().__init__()
        self.samples: list[Sample] = []
        self._settings = Settings(data=str(data))
        self._crawl = crawl
        self._service = service

    def _begin(self) -> None:
        self._home = await_home(self._settings)

    def _end(self) -> None:
        self._home.close()

    def _work(self) -> None:
        due = time.monotonic()
        while not self._done.wait(max(0.0, due - time.monotonic())):
            self.samples.append(self._sample())
            due = max(due + EVERY, time.monotonic())

    def _sample(self) -> Sample:
        now, store, database = time.time(), self._home.store, self._settings.database
        oldest = store.rows(OLDEST_DUE, (now,))[0][0]
        counters: dict[str, int] = dict(
            store.rows("SELECT name, value FROM counters WHERE name NOT LIKE 'end:%'")
        )
        task, crawl = self._crawl.current or ("", None)
        return Sample(
            at=now,
            server=_process("serve", self._service.running, now),
            crawl=_process(task, crawl, now),
            depth=store.rows("SELECT COUNT(*) FROM queue")[0][0],
            oldest=round(now - oldest, 3) if oldest else 0.0,
            requests=counters.get("requests", 0),
            pages=counters.get("pages", 0),
            database_mb=_megabytes(database),
            log_mb=_megabytes(Path(f"{database}-wal")),
            warc_mb=sum(map(_megabytes, self._settings.warc_folder.glob("*.warc.gz"))),
        )


def await_home(settings: Settings) -> LocalHome:
    """The collection, read-only; waits until a crawl has created it."""
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            return from_settings(settings, homes.decode_body, read_only=True)
        except ConfigurationError as error:
            if time.monotonic() > deadline:
                raise BenchFailure(f"the crawl created no database: {error}") from error
            time.sleep(0.05)


def _process(task: str, running: Running | None, now: float) -> Process | None:
    if running is None:
        return None
    taken = usage(running.pid)
    return Process(task, running.pid, now - running.began_at, taken) if taken else None


def _megabytes(file: Path) -> float:
    try:
        return file.stat().st_size / 1e6
    except OSError:
        return 0.0
