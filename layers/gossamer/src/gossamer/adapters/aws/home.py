"""The cloud home, assembled: every port over one stack. A store is made when it is first used."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.meter import Meter
from gossamer.core.urls import url_id
from gossamer.messages import id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.adapters.aws.collection_settings import DynamoCollectionSettings
    from gossamer.adapters.aws.contents import DynamoContentStore
    from gossamer.adapters.aws.counters import DynamoCounters
    from gossamer.adapters.aws.documents import DynamoDocumentStore
    from gossamer.adapters.aws.edges import DynamoEdgeStore
    from gossamer.adapters.aws.frontier import DynamoFrontier
    from gossamer.adapters.aws.hosts import DynamoHostStore
    from gossamer.adapters.aws.index.store import AwsIndexStore
    from gossamer.adapters.aws.jobs import DynamoJobStore
    from gossamer.adapters.aws.pages import S3Pages
    from gossamer.adapters.aws.parser import StoredParser
    from gossamer.adapters.aws.quotas import DynamoQuotaStore
    from gossamer.adapters.aws.reputation import DynamoReputationStore
    from gossamer.adapters.aws.sqs.queues import SqsQueues
    from gossamer.adapters.aws.urls import DynamoUrlStore
    from gossamer.messages import CrawlRequest


# Imports stand where they are used: a function loads only what its bolt asks for.
@dataclass(frozen=True)
class AwsHome:
    """All stores of a collection in one stack."""

    stack: str
    bucket: str
    collection: str
    decode: Callable[[bytes, str], bytes]  # of a stored body, by its content encoding
    queue_urls: Mapping[str, str] = field(default_factory=dict)
    clients: Clients = field(default_factory=Clients)
    meter: Meter = field(default_factory=Meter)
    memory: float = 0.0  # seconds for which a job that was read is good enough

    def __post_init__(self) -> None:
        self.clients.watch(self.meter.watch)

    @cached_property
    def urls(self) -> DynamoUrlStore:
        """The URLs."""
        from gossamer.adapters.aws.urls import DynamoUrlStore

        return DynamoUrlStore(self.clients, self.stack, self.collection)

    @cached_property
    def hosts(self) -> DynamoHostStore:
        """The hosts."""
        from gossamer.adapters.aws.hosts import DynamoHostStore

        return DynamoHostStore(self.clients, self.stack, self.collection, self.counters)

    @cached_property
    def reputation(self) -> DynamoReputationStore:
        """What hosts have earned."""
        from gossamer.adapters.aws.reputation import DynamoReputationStore

        return DynamoReputationStore(self.clients, self.stack, self.collection)

    @cached_property
    def frontier(self) -> DynamoFrontier:
        """What is parked."""
        from gossamer.adapters.aws.frontier import DynamoFrontier

        return DynamoFrontier(self.clients, self.stack, self.collection)

    @cached_property
    def pages(self) -> S3Pages:
        """The pages."""
        from gossamer.adapters.aws.pages import S3Pages

        return S3Pages(self.clients, self.bucket, self.collection, self.decode)

    @cached_property
    def parser(self) -> StoredParser:
        """Parses pages in this process."""
        from gossamer.adapters.aws.parser import StoredParser

        return StoredParser(self.pages)

    @cached_property
    def contents(self) -> DynamoContentStore:
        """Who owns which content."""
        from gossamer.adapters.aws.contents import DynamoContentStore

        return DynamoContentStore(self.clients, self.stack, self.collection)

    @cached_property
    def documents(self) -> DynamoDocumentStore:
        """The documents."""
        from gossamer.adapters.aws.documents import DynamoDocumentStore

        return DynamoDocumentStore(self.clients, self.stack, self.collection, self.bucket)

    @cached_property
    def edges(self) -> DynamoEdgeStore:
        """The links."""
        from gossamer.adapters.aws.edges import DynamoEdgeStore

        return DynamoEdgeStore(self.clients, self.stack, self.collection, self.urls)

    @cached_property
    def jobs(self) -> DynamoJobStore:
        """The jobs."""
        from gossamer.adapters.aws.jobs import DynamoJobStore

        return DynamoJobStore(self.clients, self.stack, self.collection, self.memory)

    @cached_property
    def quotas(self) -> DynamoQuotaStore:
        """The quotas."""
        from gossamer.adapters.aws.quotas import DynamoQuotaStore

        return DynamoQuotaStore(self.clients, self.stack, self.collection)

    @cached_property
    def queues(self) -> SqsQueues:
        """The queues."""
        from gossamer.adapters.aws.sqs.queues import SqsQueues

        return SqsQueues(self.clients, self.stack, self.frontier, self.queue_urls)

    @cached_property
    def counters(self) -> DynamoCounters:
        """The counters."""
        from gossamer.adapters.aws.counters import DynamoCounters

        return DynamoCounters(self.clients, self.stack, self.collection)

    @cached_property
    def index(self) -> AwsIndexStore:
        """The index."""
        from gossamer.adapters.aws.index.store import AwsIndexStore

        return AwsIndexStore(self.clients, self.stack, self.collection)

    @cached_property
    def settings(self) -> DynamoCollectionSettings:
        """The settings of the collection."""
        from gossamer.adapters.aws.collection_settings import DynamoCollectionSettings

        return DynamoCollectionSettings(self.clients, self.stack, self.collection)

    def take_counts(self) -> Counter[str]:
        """Requests, bytes, codes and pages since this was asked last."""
        taken: Counter[str] = Counter()
        if "pages" in self.__dict__:
            taken.update(self.pages.take_counts())
        if "urls" in self.__dict__:
            taken["pages"], self.urls.pages = self.urls.pages, 0
        return taken

    def add_states(self) -> None:
        """Write how the states of URLs moved in this invocation: one unit, or none."""
        hosts = self.hosts.met if "hosts" in self.__dict__ else 0
        if "urls" in self.__dict__:
            self.counters.add_states(self.urls.by_state, self.urls.by_reason, hosts)
            self._begin_counting()

    def _begin_counting(self) -> None:
        self.urls.by_state.clear()
        self.urls.by_reason.clear()
        self.hosts.met = 0

    def recount(self) -> None:
        """Count all URLs, and let the counters say what was found. Reads the whole table."""
        self.urls.recount()
        hosts = len(self.urls.hosts())
        self.counters.set_states(self.urls.by_state, self.urls.by_reason, hosts)
        self._begin_counting()

    def sums(self) -> Counter[str]:
        """What was done and spent since the beginning: pages, bytes, units, dollars."""
        return self.counters.totals(time.time())

    def read_secret(self, name: str) -> str:
        """A secret of the stack."""
        secret = f"secret {name}"
        answer = self.clients.call("secretsmanager", "GetSecretValue", secret, SecretId=name)
        return str(answer["SecretString"])

    def settle(self) -> None:
        """Nothing is left to be made durable: every call was."""

    def free_waiting(self, job: str, now: float) -> int:
        """Take back the units of parked URLs, which whoever asked for them could not use."""

        def free(id: bytes) -> bool:
            return self.urls.is_waiting(id) and self.jobs.release(job, id, now)

        packs = (pack.request for _, pack in self.frontier.all() if pack.request.job == job)
        ids = {url_id(candidate.url) for request in packs for candidate in request.urls}
        return sum(self.clients.each(free, list(ids)))

    def close_waiting(self, job: str, reason: str) -> int:
        """A limit ended a job: what is parked of it is excluded by it; returns how many URLs.

        A pack is forgotten after its URLs have moved, so a crash in between only repeats the work.
        """
        closed = 0
        for host, pack in self.frontier.all():
            if pack.request.job == job:
                closed += self._close(pack.request, reason)
                self.frontier.forget(host, pack.key)
        return closed

    def _close(self, request: CrawlRequest, reason: str) -> int:
        if request.purpose == "robots":
            return 0
        ids = [id_of(candidate.url, request.purpose) for candidate in request.urls]
        return self.urls.exclude(ids, reason)

    def recover(self) -> None:
        """Nothing to take over: leases end by themselves, and other processes are at work."""

    def close(self) -> None:
        """Write what is left to write."""
        self.add_states()


def open_aws_home(
    stack: str,
    bucket: str,
    collection: str,
    queue_urls: Mapping[str, str] | None = None,
    *,
    decode: Callable[[bytes, str], bytes],
    clients: Clients | None = None,
    memory: float = 0.0,
) -> AwsHome:
    """The home in a stack. Nothing is asked of AWS before a store is used."""
    made = clients or Clients()
    return AwsHome(stack, bucket, collection, decode, queue_urls or {}, made, memory=memory)
