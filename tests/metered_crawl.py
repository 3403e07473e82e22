"""A crawl over moto by the real handlers, metered as in Lambda, whose time is modelled.

What plays Lambda here, receiving and deleting messages, has clients of its own: the meter sees only
what the functions ask for.
"""

from __future__ import annotations

import itertools
import os
import time
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.parse import urlsplit

from moto import mock_aws

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas import money, powertools
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.powertools import PowertoolsTelemetry
from gossamer.entrypoints.lambdas.schedule import wake
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.entrypoints.seeding import seed
from gossamer.homes import decode_body
from gossamer.ports import Ports
from scripts.bench.worlds.cut_site import CutSite
from scripts.bench.worlds.folder_fetcher import FolderFetcher
from scripts.create_stack import create_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gossamer.messages import Stream

JOB, SEED = "web", "http://docs.test/"
STREAMS: tuple[Stream, ...] = ("links", "frontier", "fetch", "parse")
MEMORY = {"frontier": 512, "fetch": 512, "parse": 1024, "links": 512, "index": 1769}
SECONDS = {"frontier": 0.1, "fetch": 1.0, "parse": 0.3, "links": 0.2, "index": 2.0}
INDEX_BATCH = 100
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "POWERTOOLS_METRICS_NAMESPACE": "Gossamer",
    "POWERTOOLS_LOG_LEVEL": "INFO",
}
_names = itertools.count()


def make_site(root: Path, pages: int) -> Path:
    """Pages in a tree, with text of their own and links to their children and their parent."""
    for number in range(pages):
        linked = [*range(number * 8 + 1, min(pages, number * 8 + 9)), number // 8]
        links = "".join(f'<p><a href="/{_path(each)}">page {each}</a></p>' for each in linked)
        words = " ".join(f"word{(number * 31 + n * n) % 977}" for n in range(120))
        text = f"<title>Page {number}</title><main><p>{words}</p>{links}</main>"
        (root / _name(number)).write_text(f"<!doctype html><html>{text}</html>")
    return root


def _path(number: int) -> str:
    return _name(number) if number else ""


def _name(number: int) -> str:
    return f"page{number}.html" if number else "index.html"


class MeteredCrawl:
    """The functions of a stack, called by a loop."""

    def __init__(self, home: AwsHome, driver: AwsHome, root: Path) -> None:
        self.home, self.driver = home, driver
        self.in_flight_at_pause = 0
        self.usd_at_pause = 0.0
        telemetry = PowertoolsTelemetry(home, time.time)
        ports = Ports(
            home, FolderFetcher({urlsplit(SEED).netloc: CutSite(root, 0)}, time.time, 0.0)
        )
        worker = Worker(ports, time.time, telemetry=telemetry, guard=money.Guard(home))
        self._handlers: dict[Stream, Callable[..., Any]] = {
            **{stream: sqs_handler(stream, lambda: worker) for stream in STREAMS},
            "index": index_handler(lambda: worker),
        }

    @property
    def usd(self) -> float:
        """What the job has cost."""
        return self.driver.spent(JOB, time.time())

    def begin(self, **config: Any) -> None:
        """Seed the job."""
        given = JobConfig(delay=0.0, contact=SEED, sitemaps=False, **config)
        seed(JOB, [SEED], given, home=self.driver, now=time.time())

    def wake_and_run(self) -> None:
        """Let all parked hosts go on, and run."""
        while wake(Ports(self.driver, NoFetcher()), time.time()):
            self.run()

    def run(self) -> None:
        """Until no queue holds anything; INDEX waits for a full batch while others move."""
        waiting = 0
        while True:
            moved = {stream: self._invoke(stream, 10) for stream in STREAMS}
            waiting += moved["parse"]
            if waiting >= INDEX_BATCH or not any(moved.values()):
                waiting = 0
                if not self._invoke("index", INDEX_BATCH) and not any(moved.values()):
                    return
            self._note_pause()

    def _note_pause(self) -> None:
        record = self.driver.jobs.get(JOB)
        if record is not None and record.state == "paused" and not self.in_flight_at_pause:
            self.in_flight_at_pause = sum(self.driver.queues.depth().values())
            self.usd_at_pause = self.usd

    def _invoke(self, stream: Stream, limit: int) -> int:
        held: list[Any] = []
        while len(held) < limit:
            some = self.driver.queues.receive(stream, 10, time.time())
            held += some
            if len(some) < 10:
                break
        if not held:
            return 0
        records = [{"messageId": str(n), "body": d.body.decode()} for n, d in enumerate(held)]
        context = SimpleNamespace(memory_limit_in_mb=MEMORY[stream], aws_request_id="1")
        took = itertools.count(0.0, SECONDS[stream])
        with patch.object(powertools, "time", SimpleNamespace(monotonic=lambda: next(took))):
            answer = self._handlers[stream]({"Records": records}, context)
        assert answer == {"batchItemFailures": []}
        self.driver.queues.acknowledge(held)
        return len(held)


@contextmanager
def metered(root: Path) -> Iterator[MeteredCrawl]:
    """A stack in moto whose pages lie in a folder."""
    with ExitStack() as stack:
        name, region = f"metered-{next(_names)}", "us-east-1"
        own = {"POWERTOOLS_SERVICE_NAME": name}  # loggers of one name share their stream
        stack.enter_context(patch.dict(os.environ, ENVIRONMENT | own))
        stack.enter_context(mock_aws())
        clients, others = Clients(region=region), Clients(region=region)
        urls = create_stack(others, name)
        home = AwsHome(name, name, "web", decode_body, urls, clients)
        driver = AwsHome(name, name, "web", decode_body, urls, others)
        yield MeteredCrawl(home, driver, root)
