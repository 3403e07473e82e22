"""The cloud home, assembled: every port over one stack. A store is made when it is first used."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar, get_args

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.meter import Meter
from gossamer.core.cost.aws_units import lambda_sqs_requests
from gossamer.core.cost.prices import EMULATED, usd
from gossamer.core.crawl.politeness import CLOUD_GRACE
from gossamer.core.errors import TransientError
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.urls import url_id
from gossamer.messages import Stream, id_of
from gossamer.ports.admin.stack import QueueCounts, Spent
from gossamer.ports.home import Part, Purged
from gossamer.topology import LOST

# SQS holds a message back for 900 s at most; a minute is left for what is late.
WINDOW = 840.0
AT_ONCE = 100  # packs, between two looks at the clock
JOB_MEMORY = 1.0  # seconds until a function notices that a job was paused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.adapters.aws.collection_settings import DynamoCollectionSettings
    from gossamer.adapters.aws.content_owners import DynamoContentStore
    from gossamer.adapters.aws.counters import DynamoCounters
    from gossamer.adapters.aws.counting.host_languages import DynamoHostLanguages
    from gossamer.adapters.aws.counting.query_log import DynamoQueryLog
    from gossamer.adapters.aws.counting.recount import Recount
    from gossamer.adapters.aws.counting.template_health import DynamoTemplateHealth
    from gossamer.adapters.aws.documents import DynamoDocumentStore
    from gossamer.adapters.aws.edges import DynamoEdgeStore
    from gossamer.adapters.aws.frontier import DynamoFrontier
    from gossamer.adapters.aws.hosts import DynamoHostStore
    from gossamer.adapters.aws.index.segments import AwsSegmentStore
    from gossamer.adapters.aws.jobs import DynamoJobStore
    from gossamer.adapters.aws.pages import S3Pages
    from gossamer.adapters.aws.parser import StoredParser
    from gossamer.adapters.aws.quotas import DynamoQuotaStore
    from gossamer.adapters.aws.reputation import DynamoReputationStore
    from gossamer.adapters.aws.sqs.dead_letters import DeadLetters
    from gossamer.adapters.aws.sqs.queues import SqsQueues
    from gossamer.adapters.aws.stack.backups import AwsBackups
    from gossamer.adapters.aws.stack.spending import Spending
    from gossamer.adapters.aws.urls import DynamoUrlStore
    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.messages import CrawlRequest
    from gossamer.ports.admin.stack import Stored, Used
    from gossamer.ports.frontier import Pack
    from gossamer.settings import Settings

T = TypeVar("T")

WHERE = ("clients", "stack", "collection")  # what nearly every store is made from
USD_OF = "usd:"  # the beginning of the counter of what a job costs
SEARCH_USD = "search_usd"  # the counter of what searches cost, which "usd" includes
COMING_OF = "coming:"  # the same of what messages under way will cost it
METRICS = {"wru": "WriteUnits", "rru": "ReadUnits", "pages": "Pages", "bytes": "Bytes"}
METRICS |= {"requests": "Requests", "code:429": "SlowDowns"}


class _Store(Generic[T]):
    """A store of the home, made at its first use: a function loads only what its bolt asks for."""

    def __init__(self, place: str, *given: str) -> None:
        """`place`: its module and class in this folder; `given`: the parts that it is made from."""
        self._place, self._given = place, given

    def __set_name__(self, owner: type[AwsHome], name: str) -> None:
        self._name = name

    def __get__(self, home: AwsHome, owner: type[AwsHome]) -> T:
        module, _, kind = self._place.rpartition(".")
        make = getattr(import_module(f"gossamer.adapters.aws.{module}"), kind)
        store: T = make(*(getattr(home, name) for name in self._given))
        home.__dict__[self._name] = store
        return store


class _Stores:
    """All stores of a collection in one stack."""

    urls: _Store[DynamoUrlStore] = _Store("urls.DynamoUrlStore", *WHERE)
    hosts: _Store[DynamoHostStore] = _Store("hosts.DynamoHostStore", *WHERE, "counters")
    reputation: _Store[DynamoReputationStore] = _Store("reputation.DynamoReputationStore", *WHERE)
    frontier: _Store[DynamoFrontier] = _Store("frontier.DynamoFrontier", *WHERE)
    pages: _Store[S3Pages] = _Store("pages.S3Pages", *WHERE, "bucket", "decode")
    parser: _Store[StoredParser] = _Store("parser.StoredParser", "pages")
    contents: _Store[DynamoContentStore] = _Store(
        "content_owners.DynamoContentStore", *WHERE, "bucket"
    )
    documents: _Store[DynamoDocumentStore] = _Store(
        "documents.DynamoDocumentStore", *WHERE, "bucket"
    )
    edges: _Store[DynamoEdgeStore] = _Store("edges.DynamoEdgeStore", *WHERE, "urls")
    jobs: _Store[DynamoJobStore] = _Store("jobs.DynamoJobStore", *WHERE, "memory")
    quotas: _Store[DynamoQuotaStore] = _Store("quotas.DynamoQuotaStore", *WHERE)
    queues: _Store[SqsQueues] = _Store(
        "sqs.queues.SqsQueues", "clients", "stack", "frontier", "queue_urls", "readers", "fetchers"
    )
    counters: _Store[DynamoCounters] = _Store("counters.DynamoCounters", *WHERE)
    counting: _Store[Recount] = _Store("counting.recount.Recount", *WHERE, "counters")
    spending: _Store[Spending] = _Store("stack.spending.Spending", "counters")
    index: _Store[AwsSegmentStore] = _Store(
        "index.segments.AwsSegmentStore", *WHERE, "bucket", "index_format"
    )
    queries: _Store[DynamoQueryLog] = _Store("counting.query_log.DynamoQueryLog", *WHERE)
    template_health: _Store[DynamoTemplateHealth] = _Store(
        "counting.template_health.DynamoTemplateHealth", *WHERE
    )
    host_languages: _Store[DynamoHostLanguages] = _Store(
        "counting.host_languages.DynamoHostLanguages", *WHERE
    )
    settings: _Store[DynamoCollectionSettings] = _Store(
        "collection_settings.DynamoCollectionSettings", *WHERE
    )


@dataclass(frozen=True)
class AwsHome(_Stores):
    """The home of a collection in one stack."""

    stack: str
    bucket: str
    collection: str
    decode: Callable[[bytes, str], bytes]  # of a stored body, by its content encoding
    queue_urls: Mapping[str, str] = field(default_factory=dict)
    clients: Clients = field(default_factory=Clients)
    meter: Meter = field(default_factory=Meter)
    memory: float = 0.0  # seconds for which a job that was read is good enough
    grace: GracePolicy = CLOUD_GRACE
    window: float = WINDOW
    readers: Mapping[str, str] = field(default_factory=dict)  # those that rest while they can
    fetchers: int = 0  # functions that make requests at once; 0 if unknown
    index_format: int = DEFAULT_FORMAT  # of the manifests that are written

    def __post_init__(self) -> None:
        self.clients.watch(self.meter.watch)

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
        self.urls.recount()
        hosts = len(self.urls.hosts())
        self.counters.set_states(self.urls.by_state, self.urls.by_reason, hosts)
        self._begin_counting()

    def distrust_counts(self) -> None:
        self.counting.distrust()

    def recount_part(
        self, now: float, is_quiet: Callable[[], bool], goes_on: Callable[[], bool]
    ) -> bool:
        return self.counting.go_on(now, is_quiet, goes_on)

    def sums(self) -> Counter[str]:
        return self.counters.totals(time.time())

    def fold_sums(self, now: float) -> int:
        return self.counters.fold(now)

    def sums_between(self, since: float, until: float) -> Counter[str]:
        return self.counters.read(since, until)

    def spend(self, sums: Mapping[str, float], used: Used, now: float) -> dict[str, float]:
        self.add_states()
        units = {**self.meter.totals(), **self.take_counts(), **self._unseen(used)}
        messages = sum(used.jobs.values())
        units["wru"] = units.get("wru", 0.0) + 1.0  # what keeping these sums takes
        units["sqs"] = units.get("sqs", 0.0) + lambda_sqs_requests(messages, used.payload)
        done = {name.lower(): value for name, value in sums.items()}
        costs = usd(units | done)
        shares = {USD_OF + job: costs * n / messages for job, n in used.jobs.items() if job}
        shares |= {COMING_OF + job: more for job, more in used.to_come.items() if job}
        if used.for_search:
            shares[SEARCH_USD] = costs
        self.counters.add(units | done | {"usd": costs} | shares, now)
        shown = {metric: units[unit] for unit, metric in METRICS.items() if units.get(unit)}
        return shown | {"Cost": costs}

    def _unseen(self, used: Used) -> dict[str, float]:
        """What no call shows."""
        time = 1000 * used.gb_seconds
        emulated = {EMULATED: time} if self.clients.is_emulated else {}
        return {"gbms": time, "invocations": 1.0, "logs": float(used.log_bytes), **emulated}

    def spent(self, job: str, now: float) -> float:
        return self.spending.in_all(USD_OF + job, now)

    def to_come(self, job: str, now: float) -> float:
        return self.spending.in_all(COMING_OF + job, now)

    def spent_since(self, since: float, now: float) -> Spent:
        sums = self.spending.sums_since(since, now)
        search = float(sums[SEARCH_USD])
        return Spent(crawl=float(sums["usd"]) - search, search=search)

    def stored(self) -> Stored:
        from gossamer.adapters.aws.stack.storage import stored

        return stored(self.clients, self.stack, self.bucket, self.collection)

    def resources(self) -> Counter[str]:
        from gossamer.adapters.aws.stack.storage import resources

        return resources(self.clients, self.stack)

    def take_calls(self) -> dict[str, int]:
        calls = {f"{action} {on}": n for (action, on), n in self.meter.calls.items()}
        self.meter.reset()
        return calls

    def queue_counts(self) -> dict[str, QueueCounts]:
        from gossamer.adapters.aws.stack.deployment import oldest_messages

        names = (*get_args(Stream), LOST)
        ages = oldest_messages(self.clients, self.stack, names)
        dead, counts = self.queues.dead_counts(), self.queues.counts
        return {
            name: QueueCounts(**counts(name), dead=dead.get(name, 0), oldest=ages.get(name))
            for name in names
        }

    @property
    def letters(self) -> DeadLetters:
        from gossamer.adapters.aws.sqs.dead_letters import DeadLetters

        return DeadLetters(self.clients, self.queues)

    @property
    def backups(self) -> AwsBackups:
        from gossamer.adapters.aws.stack.backups import AwsBackups

        return AwsBackups(self.clients, self.stack, self.collection, self.bucket)

    def purge(self) -> Purged:
        from gossamer.adapters.aws.stack.purge import purge_objects, purge_tables

        queues = [f"{name}{end}" for name in get_args(Stream) for end in ("", "-dead")] + [LOST]
        for name in queues:
            self.queues.purge(name)
        return Purged(
            collection=self.collection,
            queues=queues,
            items=purge_tables(self.clients, self.stack, self.collection),
            objects=purge_objects(self.clients, self.bucket, self.collection),
        )

    def ask(self, function: str, questions: Sequence[bytes]) -> list[bytes]:
        def invoke(question: bytes) -> bytes:
            how = {"FunctionName": function, "Payload": question}
            answer = self.clients.call("lambda", "Invoke", f"function {function}", **how)
            said: bytes = answer["Payload"].read()
            if "FunctionError" in answer:
                raise TransientError(f"function {function} failed: {said[:500]!r}")
            return said

        return self.clients.each(invoke, questions)

    def read_secret(self, name: str) -> str:
        secret = f"secret {name}"
        answer = self.clients.call("secretsmanager", "GetSecretValue", secret, SecretId=name)
        return str(answer["SecretString"])

    def commit(self) -> None:
        # Every other call is durable when it returns.
        if "hosts" in self.__dict__:
            self.hosts.flush()
        if "template_health" in self.__dict__:
            self.template_health.flush()
        if "host_languages" in self.__dict__:
            self.host_languages.flush()

    # Many processes work at once: there is nothing to lock or to take over. A job's state is the
    # command to all of them.

    async def committed(self) -> None: ...

    # Queues count delays by themselves.
    def wake_later_than(self, latest: float, now: float) -> None:
        self.frontier.wake_later_than(latest)

    def needs_checkpoint(self) -> bool:
        return False

    async def checkpoint(self) -> None: ...

    def recover(self) -> None: ...

    def lock(self, doing: str) -> None: ...

    def holder(self) -> str:
        return ""

    def is_crawling(self) -> bool:
        return True

    def leave_command(self, job: str, command: str) -> None: ...

    def take_command(self, job: str) -> str:
        return ""

    def states(self) -> tuple[Counter[str], Counter[str]]:
        return self.counters.states()

    def free_waiting(self, job: str, now: float) -> int:
        return self.free_part(job, now, b"", _always).count

    def close_waiting(self, job: str, reason: str) -> int:
        return self.close_part({job: reason}, b"", _always).count

    def free_part(self, job: str, now: float, after: bytes, goes_on: Callable[[], bool]) -> Part:
        def free(id: bytes) -> bool:
            return self.urls.is_waiting(id) and self.jobs.release(job, id, now)

        def free_all(host: str, pack: Pack) -> int:
            del host
            ids = {url_id(candidate.url) for candidate in pack.request.urls}
            return sum(map(free, ids)) if pack.request.job == job else 0

        return self._pass(free_all, after, goes_on)

    def close_part(
        self, reasons: Mapping[str, str], after: bytes, goes_on: Callable[[], bool]
    ) -> Part:
        def close(host: str, pack: Pack) -> int:
            reason = reasons.get(pack.request.job)
            if reason is None:
                return 0
            # Forgotten after its URLs have moved: a crash in between only repeats the work.
            closed = self._close(pack.request, reason)
            self.frontier.forget(host, pack.key)
            return closed

        return self._pass(close, after, goes_on)

    def _pass(
        self, work: Callable[[str, Pack], int], after: bytes, goes_on: Callable[[], bool]
    ) -> Part:
        """Go over parked packs, several at a time."""
        packs, count = self.frontier.entries(after), 0
        while some := list(islice(packs, AT_ONCE)):
            count += sum(self.clients.each(lambda each: work(*each[1:]), some))
            after = some[-1][0]
            if not goes_on():
                return Part(count, after)
        return Part(count, b"")

    def _close(self, request: CrawlRequest, reason: str) -> int:
        if request.purpose == "robots":
            return 0
        ids = [id_of(candidate.url, request.purpose) for candidate in request.urls]
        return self.urls.exclude(ids, reason)

    def close(self) -> None:
        self.commit()
        self.add_states()


def _always() -> bool:
    return True


def from_settings(
    settings: Settings,
    decode: Callable[[bytes, str], bytes],
    *,
    read_only: bool = False,
    create: bool = True,
) -> AwsHome:
    """The home in the stack that the settings name; who may write is a matter of its policies."""
    del read_only, create
    where = settings.stack, settings.bucket, settings.collection
    readers = {"merge": settings.merge_reader}
    return AwsHome(
        *(*where, decode, settings.queue_urls),
        memory=JOB_MEMORY,
        readers=readers,
        fetchers=settings.fetchers,
        index_format=settings.index_format,
    )
