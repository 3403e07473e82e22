"""Gossamer's Lambda functions run in this process, over moto or an emulator.

The real handlers work on real queues and tables; AWS_ENDPOINT_URL chooses an emulator. Pages come
from a folder, because units are counted here and not time.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from gossamer import homes
from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.messages import Emission, Link, LinksFound, Stream
from gossamer.ports import Ports
from scripts.bench.failure import BenchFailure
from scripts.bench.worlds.folder_fetcher import FolderFetcher
from scripts.create_stack import create_stack

JOB = "bench"
SEED = "http://docs.test/"
# Lambda's time cannot be measured on a machine that also simulates AWS, so it is modelled: memory
# as in template.yaml, 6 ms for a call to AWS, 1 s for a batch of fetches (its slowest server), and
# the CPU time of the bolts here times 1.6, because a Lambda's processor is slower.
MEMORY_MB = {"frontier": 512, "fetch": 512, "parse": 1024, "links": 512, "index": 1769}
COMPACT_MB = 3008
CALL_MS, FETCH_MS, CPU_MS = 6.0, 1000.0, 1.6
CPU_OF_PAGE_MS = {"frontier": 1.0, "fetch": 3.0, "parse": 8.0, "links": 2.0, "index": 6.0}
ACCOUNT = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}


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
    functions: Worker
    sums: Sums
    modelled: Counter[str] = field(default_factory=Counter)

    def handlers(self) -> dict[Stream, Callable[[dict[str, Any], object], dict[str, Any]]]:
        """The function of each stream."""
        streams: tuple[Stream, ...] = ("fetch", "parse", "links", "frontier")
        return {
            **{stream: sqs_handler(stream, lambda: self.functions) for stream in streams},
            "index": index_handler(lambda: self.functions),
        }

    def invoke(self, stream: Stream, limit: int, handler: Callable[..., dict[str, Any]]) -> int:
        """Receive, call the handler and delete, as Lambda does; returns how many messages."""
        queues, calls = self.home.queues, self._calls()
        deliveries: list[Any] = []
        while len(deliveries) < limit:
            some = queues.receive(stream, min(10, limit - len(deliveries)), time.time())
            deliveries += some
            if len(some) < 10:
                break
        if not deliveries:
            return 0
        records = [{"messageId": str(i), "body": d.body.decode()} for i, d in enumerate(deliveries)]
        failed = handler({"Records": records}, None)["batchItemFailures"]
        if failed:
            raise BenchFailure(f"{stream}: {len(failed)} messages failed")
        queues.acknowledge(deliveries)
        self.home.add_states()
        self._model(stream, len(deliveries), self._calls() - calls)
        return len(deliveries)

    def model_compaction(self, pages: int) -> None:
        """Add one run of COMPACT, whose calls the meter counted alone."""
        took = self._calls() * CALL_MS + pages * CPU_MS * CPU_OF_PAGE_MS["index"]
        self.modelled.update({"gbms": int(COMPACT_MB / 1024 * took), "invocations": 1})

    def _calls(self) -> int:
        return sum(self.home.meter.calls.values())

    def _model(self, stream: Stream, messages: int, calls: int) -> None:
        wait = FETCH_MS if stream == "fetch" else 0.0
        took = wait + calls * CALL_MS + CPU_MS * messages * CPU_OF_PAGE_MS[stream]
        self.modelled["gbms"] += int(MEMORY_MB[stream] / 1024 * took)
        self.modelled["invocations"] += 1
        self.home.meter.add("wru", 1.0, "stats", "UpdateItem")  # each invocation writes its counts


def crawl(stack: Stack, pages: int, batch: int) -> None:
    """Run until all queues are empty; INDEX waits for a full batch while other queues move."""
    _seed(stack.home, pages)
    handlers = stack.handlers()
    waiting = 0
    while True:
        moved = Counter[str]()
        for stream in ("links", "frontier", "fetch", "parse"):
            moved[stream] = stack.invoke(stream, 10, handlers[stream])
        waiting += moved["parse"]
        if waiting >= batch or not any(moved.values()):
            waiting = 0
            if not stack.invoke("index", batch, handlers["index"]) and not any(moved.values()):
                return


def _seed(home: AwsHome, pages: int) -> None:
    config = JobConfig(seeds=[SEED], delay=0.0, max_pages=pages or None, contact=SEED)
    home.jobs.configure(JOB, config, time.time())
    seeding = LinksFound(job=JOB, source="", depth=0, via="seed", links=[Link(SEED)])
    home.queues.send([Emission("links", seeding)], time.time())


@contextmanager
def open_stack(root: Path) -> Iterator[Stack]:
    """Create a stack whose fetcher reads from a folder: in moto, or at AWS_ENDPOINT_URL."""
    with ExitStack() as stack:
        given = {name: os.environ.get(name, value) for name, value in ACCOUNT.items()}
        stack.enter_context(patch.dict(os.environ, given))
        if not os.environ.get("AWS_ENDPOINT_URL"):
            from moto import mock_aws

            stack.enter_context(mock_aws())
        clients = Clients(region=os.environ.get("AWS_DEFAULT_REGION", "us-east-1"))
        name = f"bench-{os.getpid()}"
        urls = create_stack(clients, name)
        home = AwsHome(name, name, "web", homes.decode_body, urls, clients)
        ports = Ports(home, FolderFetcher(root))
        sums = Sums()
        functions = Worker(ports, time.time, telemetry=sums)
        home.meter.reset()
        yield Stack(home, functions, sums)
