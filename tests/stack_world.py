"""A crawl into a stack in virtual time, whose INDEX is called with every message that it is sent.

Queues are SQLite's, because their clock can be turned; everything else is AWS, in moto.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.home import TABLES
from gossamer.adapters.local.queues import SqliteQueues
from gossamer.batch.recrawl import begin, recrawl
from gossamer.core.crawl.job import JobConfig, RecrawlConfig
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.homes import searcher
from gossamer.messages import encode
from gossamer.ports import Ports
from tests.pump import JOB, ScriptedFetcher, VirtualClock, World

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.core.ids import DocumentId
    from gossamer.messages import Emission
    from tests.pump import Answer

DAY = 86_400.0
AT_ONCE = RecrawlConfig(min_interval=0.0, max_interval=0.0)


class StackWorld:
    """A stack, and a site that is crawled into it."""

    def __init__(
        self, opened: AwsHome, folder: Path, site: dict[str, Answer], **config: Any
    ) -> None:
        clock = VirtualClock(1_000_000.0)
        self.home, self.site = opened, site
        names = ("frontier", "jobs", "urls", "documents", "hosts", "free_waiting")
        stores: Any = SimpleNamespace(
            queues=SqliteQueues(Store(None, TABLES), {}),
            **{name: getattr(opened, name) for name in names},
            commit=opened.commit,
        )
        fetcher = ScriptedFetcher(clock, site)
        self.world = World(stores, Ports(opened, fetcher), clock, fetcher, folder)
        self.world.configure(JobConfig(**{"delay": 1.0} | config))
        self._handler = index_handler(lambda: Worker(self.world.ports, clock))

    async def crawl(self) -> None:
        told: list[bytes] = []
        await self.world.crawl(observe=_listener(told))
        self.index(told)
        self.home.add_states()  # as a function does when it ends

    async def recrawl(self) -> None:
        told: list[bytes] = []
        self.world.clock.advance(DAY / 2)
        plan = recrawl(self.home, JOB, self.world.clock(), AT_ONCE)
        self.world.send(*begin(plan, self.world.ports.urls))
        await self.world.drain(observe=_listener(told))
        self.index(told)

    def index(self, bodies: list[bytes]) -> None:
        """Twice, as queues may deliver, and the second time from behind."""
        for some in (bodies, bodies[::-1]):
            records = [
                {"messageId": str(n), "body": body.decode(), "attributes": {}}
                for n, body in enumerate(some)
            ]
            assert self._handler({"Records": records}, None)["batchItemFailures"] == []

    def found(self, query: str) -> list[str]:
        return sorted(hit.title for hit in searcher(self.home).search(query).hits)

    def ids(self, url: str) -> dict[str, DocumentId]:
        pages = self.home.documents.pages([url_id(url)])
        return {v.document.title: v.id for each in pages for v in each.versions()}


def _listener(told: list[bytes]) -> Any:
    def listen(_stream: object, _message: object, sent: list[Emission]) -> None:
        told.extend(encode(e.message) for e in sent if e.stream == "index")

    return listen
