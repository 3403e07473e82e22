"""Gossamer's Lambda functions run in this process, over moto or an emulator.

The real handlers work on real tables and objects; AWS_ENDPOINT_URL chooses an emulator. Pages come
from folders, and time is virtual: see `lambda_calls`. All functions share one process, so what one
of them remembers (known URLs, pages of a job) the others know too.
"""

import os
import time
from asyncio import Runner
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from gossamer import homes
from gossamer.adapters.aws.home import JOB_MEMORY, AwsHome
from gossamer.bolts.schedule import sweep
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.dispatch import forget_packs
from gossamer.entrypoints.lambdas import sqs
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.messages import Emission, Link, LinksFound, Stream
from gossamer.ports import Ports
from scripts.bench.contenders.counted_clients import CountedClients
from scripts.bench.contenders.lambda_calls import LambdaCalls, Source, TimedQueues
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.virtual_time import Clock, VirtualLoop
from scripts.bench.worlds.cut_site import CutSite
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.folder_fetcher import Files, FolderFetcher
from scripts.create_stack import create_stack

JOB = "bench"
# Lambda's time cannot be measured on a machine that also simulates AWS, so it is modelled: memory
# and batches as in template.yaml, 6 ms for a call to AWS, 1 s for a request to a server, waits for
# slots as they are, and the CPU time of the bolts here times 1.6, because a Lambda's processor is
# slower.
MEMORY_MB = {"frontier": 512, "fetch": 512, "parse": 1024, "links": 512, "index": 1769}
COMPACT_MB = 1024
CALL_MS, FETCH_SECONDS, CPU_MS = 6.0, 1.0, 1.6
CPU_OF_PAGE_MS = {"frontier": 1.0, "fetch": 3.0, "parse": 8.0, "links": 2.0, "index": 6.0}
ACCOUNT = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}
APART = 0.6  # seconds between the first requests to hosts, whose slots then never coincide
SWEEP = 60.0  # seconds until SCHEDULE wakes what is parked
MOST_SWEEPS = 10_000


def sources(index_batch: int) -> dict[Stream, Source]:
    """The event sources of template.yaml; few functions at once, as in a crawl that has backlog."""
    return {
        "frontier": Source(10),
        "fetch": Source(20, window=1.0, at_once=20),
        "parse": Source(10),
        "links": Source(10),
        "index": Source(index_batch, window=60.0),
    }


class Sums(Telemetry):
    """Adds up the counts that the handlers report; a failed message ends the benchmark."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()

    def message(self, stream: Stream, case: Any) -> None:
        """Raise if the message failed."""
        if case.error is not None:
            raise BenchFailure(f"{stream}: {case.error!r}") from case.error

    def buried(self, stream: Stream, case: Any, reason: str) -> None:
        """A dead letter ends the benchmark, too."""
        raise BenchFailure(f"{stream}: dead letter: {reason}")

    def count(self, name: str, by: float = 1) -> None:
        """Add to a sum."""
        self.sums[name] += int(by)


@dataclass
class Stack:
    """A deployed stack, its functions, and the modelled cost of their invocations so far."""

    home: AwsHome
    clients: CountedClients
    functions: Worker
    sums: Sums
    clock: Clock
    queues: TimedQueues
    modelled: Counter[str] = field(default_factory=Counter)
    invoked: Counter[str] = field(default_factory=Counter)  # how often, by stream
    gbms: Counter[str] = field(default_factory=Counter)  # by stream
    cpu: Counter[str] = field(default_factory=Counter)  # milliseconds that were measured, by stream

    def handlers(self) -> dict[Stream, Callable[[dict[str, Any], object], dict[str, Any]]]:
        """The function of each stream."""
        streams: tuple[Stream, ...] = ("fetch", "parse", "links", "frontier")
        return {
            **{stream: sqs_handler(stream, lambda: self.functions) for stream in streams},
            "index": index_handler(lambda: self.functions),
        }

    def run(self, batch: int) -> None:
        """Call functions until nothing is left to do."""
        handlers = self.handlers()

        def call(stream: Stream, bodies: list[str]) -> None:
            self._invoke(stream, bodies, handlers[stream])

        calls = LambdaCalls(self.queues, self.clock, sources(batch), call)
        for _ in range(MOST_SWEEPS):
            calls.run()
            self.clock.now += SWEEP
            woken = sweep(JOB, self.functions.ports, self.clock())
            if not woken:
                return
            self.queues.send(woken, self.clock())
            forget_packs(woken, self.home.frontier)
        raise BenchFailure(f"the crawl goes on after {MOST_SWEEPS} sweeps")

    def _invoke(
        self, stream: Stream, bodies: Sequence[str], handler: Callable[..., dict[str, Any]]
    ) -> None:
        """Call the handler as Lambda does; the clock then stands at its end."""
        began, calls, cpu = self.clock(), self._calls(), self.clients.cpu_elsewhere
        records = [{"messageId": str(i), "body": body} for i, body in enumerate(bodies)]
        failed = handler({"Records": records}, None)["batchItemFailures"]
        if failed:
            raise BenchFailure(f"{stream}: {len(failed)} messages failed")
        self.home.add_states()
        self.cpu[stream] += 1000 * (self.clients.cpu_elsewhere - cpu)  # type: ignore[assignment]
        self._model(stream, len(bodies), self._calls() - calls, self.clock() - began)

    def model_compaction(self, pages: int) -> None:
        """Add one run of COMPACT, whose calls the meter counted alone."""
        took = self._calls() * CALL_MS + pages * CPU_MS * CPU_OF_PAGE_MS["index"]
        self.modelled.update({"gbms": int(COMPACT_MB / 1024 * took), "invocations": 1})

    def model_joining(self) -> None:
        """Add two runs that join WARC objects, whose calls the meter counted alone."""
        took = self._calls() * CALL_MS  # one after another, which they are not
        self.modelled.update({"gbms": int(COMPACT_MB / 1024 * took), "invocations": 2})

    def _calls(self) -> int:
        return sum(self.home.meter.calls.values())

    def _model(self, stream: Stream, messages: int, calls: int, waited: float) -> None:
        worked = calls * CALL_MS + CPU_MS * messages * CPU_OF_PAGE_MS[stream]
        self.clock.now += worked / 1000
        gbms = int(MEMORY_MB[stream] / 1024 * (1000 * waited + worked))
        self.modelled.update({"gbms": gbms, "invocations": 1})
        self.gbms[stream] += gbms
        self.invoked[stream] += 1
        self.home.meter.add("wru", 1.0, "stats", "UpdateItem")  # each invocation writes its counts


def crawl(
    stack: Stack, seeds: Sequence[str], batch: int, delay: float, exclude: Sequence[str] = ()
) -> None:
    """Crawl until all queues are empty and nothing is parked."""
    config = JobConfig(seeds=list(seeds), delay=delay, contact=seeds[0], exclude=list(exclude))
    stack.home.jobs.configure(JOB, config, stack.clock())
    for seed in seeds:
        seeding = LinksFound(job=JOB, source="", depth=0, via="seed", links=[Link(seed)])
        stack.queues.send([Emission("links", seeding)], stack.clock())
        stack.clock.now += APART
    stack.run(batch)


def hosts_of(sites: Sequence[Site], pages: int) -> dict[str, CutSite]:
    """A host for each site, with so many pages together; 0 for all."""
    each = -(-pages // len(sites))
    return {f"{site.name}.docs.test": CutSite(site.root, each) for site in sites}


@contextmanager
def open_stack(sites: Mapping[str, Files], memory: float = JOB_MEMORY) -> Iterator[Stack]:
    """Create a stack whose fetcher reads from folders: in moto, or at AWS_ENDPOINT_URL.

    `memory`: for how many seconds its functions remember a job.
    """
    clock = Clock(time.time())
    with ExitStack() as stack:
        given = {name: os.environ.get(name, value) for name, value in ACCOUNT.items()}
        stack.enter_context(patch.dict(os.environ, given))
        if not os.environ.get("AWS_ENDPOINT_URL"):
            from moto import mock_aws

            stack.enter_context(mock_aws())
        runner = stack.enter_context(Runner(loop_factory=lambda: VirtualLoop(clock)))
        stack.enter_context(patch.object(sqs, "_runner", lambda: runner))
        yield _opened(sites, clock, memory)


def _opened(sites: Mapping[str, Files], clock: Clock, memory: float) -> Stack:
    clients = CountedClients(region=os.environ.get("AWS_DEFAULT_REGION", "us-east-1"))
    name = f"bench-{os.getpid()}"
    urls = create_stack(clients, name)
    home = AwsHome(name, name, "web", homes.decode_body, urls, clients, memory=memory)
    queues = TimedQueues(home, clock)
    home.__dict__["queues"] = queues
    ports = Ports(home, FolderFetcher(sites, clock, FETCH_SECONDS))
    sums = Sums()
    functions = Worker(ports, clock, telemetry=sums)
    home.meter.reset()
    return Stack(home, clients, functions, sums, clock, queues)
