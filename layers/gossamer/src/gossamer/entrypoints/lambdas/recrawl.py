"""How is a job crawled again? By a plan, made anew each time, that the ordinary crawl carries out.

In the cloud a function does so on a schedule. It begins with a job only when that has finished:
what an earlier plan asked for must not wait twice.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from gossamer.batch.recrawl import begin, recrawl, with_refused
from gossamer.bolts.quotas import Quota
from gossamer.bolts.schedule import is_limited
from gossamer.core.revisit.change_rate import DAY
from gossamer.ports.jobs import JobStore
from gossamer.ports.urls import UrlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gossamer.batch.recrawl import Plan
    from gossamer.core.crawl.job import RecrawlConfig
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.entrypoints.lambdas.sqs import Handler, Home
    from gossamer.messages import Emission
    from gossamer.ports.hosts import HostStore
    from gossamer.ports.jobs import JobRecord, JobState
    from gossamer.ports.quotas import QuotaStore
    from gossamer.ports.reputation import ReputationStore

LEASE = 900.0  # as long as a function may run


class Recrawled(msgspec.Struct, kw_only=True):
    """What was chosen, and what it was chosen from."""

    job: str
    urls: int  # that may be asked for again
    due: int  # of them, without a budget
    limit: int | None  # requests that the budget allowed
    asked: int
    chosen: list[str] = []  # which, if nobody asks for them now


class Jobs(JobStore, Protocol):
    """Jobs, for those who begin another round of one."""

    def names(self) -> list[str]:
        """All jobs, the latest last."""
        ...

    def begin_round(self, job: str, now: float) -> None:
        """Give a job its whole budgets once more, its time included."""
        ...

    def set_state(self, job: str, state: JobState, reason: str = "") -> None:
        """Say how a job stands."""
        ...


class CloudJobs(Jobs, Protocol):
    """The same where several may try at once."""

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        """Become the one who does something; None if somebody else is."""
        ...

    def end_lease(self, name: str, epoch: int) -> None:
        """Let the next one begin."""
        ...


class Urls(UrlStore, Protocol):
    """URLs, for those who look at all of them."""

    def visited(self, job: str) -> Iterator[UrlRecord]:
        """What a job may ask for again, in no order."""
        ...


class Sender(Protocol):
    """Where messages are sent."""

    def send(self, emissions: Iterable[Emission], now: float) -> object:
        """Send."""
        ...


class Crawled(Protocol):
    """The stores of a home that was crawled."""

    @property
    def jobs(self) -> Jobs:
        """The jobs."""
        ...

    @property
    def urls(self) -> Urls:
        """The URLs."""
        ...

    @property
    def hosts(self) -> HostStore:
        """The hosts."""
        ...

    @property
    def quotas(self) -> QuotaStore:
        """What hosts and shapes have given."""
        ...

    @property
    def reputation(self) -> ReputationStore:
        """What hosts have earned."""
        ...

    @property
    def queues(self) -> Sender:
        """The streams."""
        ...


class Cloud(Crawled, Protocol):
    """The stores of a stack."""

    @property
    def jobs(self) -> CloudJobs:
        """The jobs."""
        ...


def to_report(plan: Plan, *, dry: bool = False) -> Recrawled:
    """A plan for people and programs."""
    return Recrawled(
        job=plan.job,
        urls=plan.urls,
        due=plan.due,
        limit=plan.limit,
        asked=0 if dry else len(plan.chosen),
        chosen=[url.url for url in plan.chosen] if dry else [],
    )


def summary(done: Recrawled) -> str:
    """The same as text."""
    allowed = "" if done.limit is None else f", {done.limit:,} allowed by the budget"
    lines = [f"{done.job}: {done.urls:,} URLs, {done.due:,} due{allowed}"]
    lines += [f"  {url}" for url in done.chosen[:20]]
    if len(done.chosen) > 20:
        lines.append(f"  and {len(done.chosen) - 20:,} more")
    return "\n".join(lines)


def plan_of(
    home: Crawled, record: JobRecord, now: float, config: RecrawlConfig | None = None
) -> Plan:
    """What of a job is to be asked for again now."""
    return recrawl(record.job, home.urls, home.hosts, now, config or record.config.recrawl)


def with_earned(home: Crawled, record: JobRecord, plan: Plan) -> Plan:
    """The plan with what hosts could not give before and have earned since."""
    return with_refused(plan, Quota(record.rules, home.quotas, home.reputation))


def needs_round(record: JobRecord) -> bool:
    """Whether a job has spent anything that it needs again."""
    return is_limited(record) or record.config.max_seconds is not None


def start(home: Crawled, record: JobRecord, plan: Plan, now: float) -> None:
    """Let a job that has ended run again, for what was planned."""
    if not plan.chosen:
        return
    if needs_round(record):
        home.jobs.begin_round(record.job, now)
    home.jobs.set_state(record.job, "running")
    home.queues.send(begin(plan, home.urls), now)


def recrawl_handler(home: Callable[[], Home], stores: Callable[[], Cloud]) -> Handler:
    """A Lambda handler called every so many `minutes`, with a `budget` of visits a day."""

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        opened = home()
        with opened.telemetry.invocation("recrawl", context):
            elapsed = 60.0 * float(event["minutes"])
            done = _under_lease(opened, stores(), float(event["budget"]), elapsed)
            opened.telemetry.count("Revisits", sum(each.asked for each in done))
            opened.settle()
        return {each.job: each.asked for each in done}

    return handler


def _under_lease(home: Home, stores: Cloud, budget: float, elapsed: float) -> list[Recrawled]:
    now = home.clock()
    if budget <= 0:
        return []
    epoch = stores.jobs.lease("recrawl", uuid.uuid4().hex, now + LEASE, now)
    if epoch is None:
        return []
    try:
        return list(_each_job(stores, now, budget, elapsed))
    finally:
        stores.jobs.end_lease("recrawl", epoch)


def _each_job(stores: Crawled, now: float, budget: float, elapsed: float) -> Iterator[Recrawled]:
    """The budget is that of the stack; a job may have a smaller one of its own."""
    left = int(budget * elapsed / DAY)
    for name in stores.jobs.names():
        record = stores.jobs.get(name)
        if record is None or record.state != "finished":
            continue
        own = record.config.recrawl
        most = min(own.budget or budget, budget)
        plan = recrawl(
            name,
            stores.urls,
            stores.hosts,
            now,
            msgspec.structs.replace(own, budget=most),
            elapsed=elapsed,
            most=left,
        )
        plan = with_earned(stores, record, plan)
        start(stores, record, plan, now)
        left -= len(plan.chosen)
        yield to_report(plan)
