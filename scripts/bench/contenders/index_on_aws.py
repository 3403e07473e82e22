"""The index of a stack over moto: INDEX, COMPACT and MERGE as the stack calls them, all counted.

Time is virtual: a batch of documents every ten seconds, COMPACT every five minutes. So files are
retired, swept and merged as they would be. Calls are counted by the meter; a round is one wait for
AWS, however many calls are made at once in it.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any
from unittest.mock import patch

from gossamer import homes
from gossamer.adapters.aws.home import AwsHome
from gossamer.batch.compact import compact
from gossamer.batch.merge_plan import plan_merge, send_tasks
from gossamer.bolts.index import Batch, analyzer_of, index, words_of
from gossamer.bolts.manifest import IndexWriter, sweep
from gossamer.bolts.merge import merge_task
from gossamer.core.ids import document_id, page_of
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import MANIFEST_AGE
from gossamer.entrypoints.lambdas.compact import (
    BEGUN_WITHIN,
    POLICY,
    SPOOLED,
    merge_small,
)
from gossamer.messages import Emission
from gossamer.ports.documents import PageVersion, Version
from gossamer.search.searcher import Searcher
from scripts.bench.contenders.counted_clients import CountedClients
from scripts.bench.contenders.gossamer_on_aws import ACCOUNT
from scripts.create_stack import create_stack

BATCH = 100  # documents: what SQS hands INDEX at once
SECONDS_OF_BATCH = 10.0
COMPACT_EVERY = 300.0
# Lambda gives a function of one gigabyte 0.58 of a processor, which is 1.6 times slower than ours.
SLOWER = 1.6 * 1769 / 1024
ROUND_S = {"s3": 0.030, "dynamodb": 0.005}
READS = "read", "heads", "rests", "manifest"  # all calls of one are made at once
BYTES_PER_S = 60e6  # of one function, to and from S3


@dataclass
class Effort:
    """What one function, or one query, asked of AWS, and its own CPU time."""

    rounds: Counter[str] = field(default_factory=Counter)  # by service
    cpu: float = 0.0
    moved: int = 0  # bytes to and from S3

    @property
    def waited(self) -> float:
        """Seconds of waiting, by the model."""
        return sum(count * ROUND_S[service] for service, count in self.rounds.items())

    @property
    def modelled(self) -> float:
        """Seconds that a function takes, by the model."""
        return self.waited + self.moved / BYTES_PER_S + SLOWER * self.cpu


class CountedStore:
    """A store that counts rounds: reads that AWS was asked for, and all that writes."""

    def __init__(self, store: Any, home: AwsHome, rounds: Counter[str]) -> None:
        self._store, self._meter = store, home.meter
        self.rounds = rounds

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if not callable(method):
            return method

        def call(*given: Any, **how: Any) -> Any:
            before = self._calls()
            result = method(*given, **how)
            for service, count in (self._calls() - before).items():
                # Writes are made one after another, or nearly.
                self.rounds[service] += 1 if name in READS else count
            return result

        return call

    def _calls(self) -> Counter[str]:
        calls: Counter[str] = Counter()
        for (action, _), count in self._meter.calls.items():
            calls[action.partition(":")[0]] += count
        return calls


class Tasks:
    """The stream `merge`, as far as its writer and reader need it here."""

    def __init__(self) -> None:
        self.waiting: deque[Any] = deque()

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        """Put tasks into the queue."""
        del now
        self.waiting += [emission.message for emission in emissions]


@dataclass
class Index:
    """An index that grows."""

    home: AwsHome
    clients: CountedClients
    fresh: Callable[[], AwsHome]  # another process
    now: float = 1_700_000_000.0
    documents: int = 0
    functions: dict[str, list[Effort]] = field(default_factory=dict)
    tasks: Tasks = field(default_factory=Tasks)
    headed: dict[str, int] = field(default_factory=dict)  # documents by segment that got heads

    def __post_init__(self) -> None:
        self.store = CountedStore(self.home.index, self.home, Counter())
        self._indexer = self.writer()  # warm from one batch to the next
        self._analyzer = analyzer_of(self.home)
        self._schema = self.home.settings.get().schema
        self._compacted = self.now

    def writer(self) -> IndexWriter:
        """A writer of a process that knows nothing yet."""
        store: Any = self.store
        opened = OpenSegments(store.read)
        return IndexWriter(store, opened, lambda: self.now, lambda: token_hex(6))

    def searcher(self) -> Searcher:
        """A searcher of a process that knows nothing yet: what was read before is in no memory."""
        return self.counting_searcher()[0]

    def counting_searcher(
        self, synonyms: Sequence[str] = ()
    ) -> tuple[Searcher, Callable[[], float]]:
        """The same, and what its reads have cost so far, as the API of a stack counts them."""
        home = self.fresh()
        store: Any = CountedStore(home.index, home, self.store.rounds)
        documents: Any = CountedStore(home.documents, home, self.store.rounds)
        settings = self.home.settings.get()
        analyzer = analyzer_of(self.home)
        asked = store, documents, analyzer, settings
        searcher = Searcher(*asked, time.perf_counter, MANIFEST_AGE, synonyms=synonyms)
        return searcher, lambda: home.index.reads + home.documents.reads

    def feed(self, documents: Iterable[Document]) -> None:
        """Index documents, batch by batch, and merge when it is time."""
        waiting: list[Document] = []
        for document in documents:
            waiting.append(document)
            if len(waiting) == BATCH:
                self._index(waiting)
                waiting = []
        if waiting:
            self._index(waiting)

    def _index(self, documents: Sequence[Document]) -> None:
        self.now += SECONDS_OF_BATCH
        versions = [Version(document_id(url_id(d.url)), self.now, d) for d in documents]
        versions.sort(key=lambda version: version.id)
        with self.counted("index"):
            batch = Batch(versions, words_of(versions, self._analyzer), {}, {}, {})
            index(self._indexer, batch, self._analyzer, self._schema)
        self.home.documents.load([_page(version) for version in versions])  # as PARSE does
        self.documents += len(documents)
        if self.now - self._compacted >= COMPACT_EVERY:
            self.compact()

    def compact(self, *, is_quiet: bool = False) -> None:
        """One call of COMPACT, and all tasks that it sends."""
        self._compacted = self.now
        with self.counted("compact"):
            writer = self.writer()
            until = self.now + BEGUN_WITHIN
            compact(writer, policy=POLICY, write_terms=SPOOLED, until=until)
            if is_quiet:
                merge_small(writer, POLICY)
            send_tasks(writer, self.tasks)  # type: ignore[arg-type]
            sweep(writer, orphans=True)
        self._merge()

    def _merge(self) -> None:
        while self.tasks.waiting:
            task = self.tasks.waiting.popleft()
            with self.counted("merge" if task.part is not None else "join"):
                self.tasks.send(merge_task(task, self.writer()), self.now)
        self._note_heads()

    def merge_in_parts(self) -> None:
        """Merge everything into one segment, by MERGE."""
        writer = self.writer()
        plan_merge(writer, writer.store.manifest().segments, POLICY.part_bytes)
        send_tasks(writer, self.tasks)  # type: ignore[arg-type]
        self._merge()

    def _note_heads(self) -> None:
        for info in self.home.index.manifest().segments:
            if info.has_heads:
                self.headed[info.name] = info.documents

    def settle(self) -> None:
        """After a while without new documents; everything old is deleted."""
        for _ in range(4):
            self.now += COMPACT_EVERY
            self.compact(is_quiet=True)

    @contextmanager
    def counted(self, function: str) -> Iterator[Effort]:
        """Count what one call of a function does."""
        effort = Effort()
        rounds, moved = Counter(self.store.rounds), self.clients.moved
        cpu = self.clients.cpu_elsewhere
        yield effort
        effort.rounds = self.store.rounds - rounds
        effort.moved = self.clients.moved - moved
        effort.cpu = self.clients.cpu_elsewhere - cpu
        self.functions.setdefault(function, []).append(effort)


def _page(version: Version) -> PageVersion:
    return PageVersion(page_of(version.id), version.fetched_at, {0: version.document})


@contextmanager
def open_index() -> Iterator[Index]:
    """An empty index in moto."""
    from moto import mock_aws

    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, ACCOUNT))
        stack.enter_context(mock_aws())
        clients = CountedClients(region="us-east-1")
        name = f"bench-{os.getpid()}"
        urls = create_stack(clients, name)

        def home() -> AwsHome:
            return AwsHome(name, name, "web", homes.decode_body, urls, clients)

        opened = home()
        opened.meter.reset()
        yield Index(opened, clients, home)
