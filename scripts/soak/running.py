"""Run a soak: site, crawl, server, reader and sampler, phase after phase."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from gossamer.settings import Settings
from scripts.bench.failure import BenchFailure
from scripts.bench.worlds.nginx import free_port, stop
from scripts.soak.asking import Reader
from scripts.soak.changing import ChangingSite
from scripts.soak.crawling import Crawl
from scripts.soak.ending import Ending, finish
from scripts.soak.plan import Event, Phase, Plan
from scripts.soak.progress import Progress
from scripts.soak.record import Record
from scripts.soak.sampling import Sampler, await_home
from scripts.soak.serving import Service

ADDRESSES = [f"127.0.0.{number}" for number in range(2, 8)]
# Six hosts at ten requests a second each: the hosts limit the crawl, not the CPU.
DELAY = 0.1
TURN = 0.1  # seconds


@dataclass(frozen=True, slots=True)
class Soak:
    """All parts of one soak."""

    plan: Plan
    record: Record
    crawl: Crawl
    service: Service
    sampler: Sampler
    reader: Reader
    progress: Progress

    def run(self) -> None:
        """One phase after the other."""
        for phase in self.plan.phases:
            with ExitStack() as stack:
                if phase.crawls:
                    stack.enter_context(self.crawl.going_on())
                elif not self.crawl.rounds:
                    self.crawl.complete("index")  # searches need an index
                self._run_phase(phase)

    def _run_phase(self, phase: Phase) -> None:
        """Until its time is over and all of its events have happened: a restart may take long."""
        began_at = time.time()
        events = [event for event in self.plan.events if phase.begin <= event.at < phase.end]
        while (now := time.time() - self.record.began_at) < phase.end or events:
            if events and events[0].at <= now and self._disturb(events[0]):
                del events[0]
            self.progress.update(phase.name, now)
            time.sleep(TURN)
        self.record.phases.append(Phase(phase.name, began_at, time.time()))

    def _disturb(self, event: Event) -> bool:
        """Returns False if no process ran that could be killed: then it is tried again."""
        if event.stroke == "kill the crawl":
            return self.crawl.kill()
        self.service.restart(event.stroke)
        return True

    def fill_record(self) -> None:
        """Copy the measurements of all parts into the record."""
        record, crawl, service = self.record, self.crawl, self.service
        record.samples, record.answers = self.sampler.samples, self.reader.answers
        record.kills, record.lives, record.rounds = crawl.kills, crawl.lives, crawl.rounds
        record.outages, record.orphans = service.outages, crawl.orphans()
        record.crawl_failures = crawl.failures
        record.server_failures, record.server_complaints = service.failures, service.complaints


def run(plan: Plan, program: Path, data: Path) -> tuple[Record, Ending]:
    """Run the plan, then finish the crawl and check the index."""
    began_at = time.time()
    port = free_port()
    origins = tuple(f"http://{address}:{port}" for address in ADDRESSES)
    pages = max(10, round(plan.round / DELAY))
    site = ChangingSite(plan.seed, origins, pages, plan.soak.end)
    crawl = Crawl(program, data, [f"{origin}/" for origin in origins], DELAY)
    service = Service(program, data, free_port())
    with serving(site, port, began_at), closing(crawl), closing(service):
        soak = _prepared(plan, began_at, data, crawl, service)
        with soak.sampler, soak.reader:
            soak.run()
        service.close()
        ending = finish(program, data, crawl, site)
        soak.fill_record()
    return soak.record, ending


def _prepared(plan: Plan, began_at: float, data: Path, crawl: Crawl, service: Service) -> Soak:
    """Start the crawl first: it creates the collection that the server needs."""
    with crawl.going_on():
        await_home(Settings(data=str(data))).close()
    service.start()
    record = Record(plan, began_at)
    sampler = Sampler(data, crawl, service)
    reader = Reader(service.port, plan.seed)
    progress = Progress(plan.seconds, crawl, sampler, reader)
    return Soak(plan, record, crawl, service, sampler, reader, progress)


@contextmanager
def serving(site: ChangingSite, port: int, began_at: float) -> Iterator[None]:
    """Serve the site from a process of its own during the `with` block."""
    settings = asdict(site) | {"began_at": began_at, "addresses": ADDRESSES, "port": port}
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.soak.site"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None  # noqa: S101 — both are pipes
    assert process.stdout is not None  # noqa: S101 — both are pipes
    try:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
        if process.stdout.readline() != b"ready\n":
            raise BenchFailure(f"the site cannot be served on port {port}")
        yield
    finally:
        process.stdin.close()
        stop(process)
        process.stdout.close()
