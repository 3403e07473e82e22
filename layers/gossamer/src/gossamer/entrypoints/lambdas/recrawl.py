"""RECRAWL: make a plan of what to fetch again, and let the ordinary crawl carry it out.

In the cloud a function does so on a schedule. It begins with a job only when that has finished:
what an earlier plan asked for must not wait twice. The same function sends plans that were made
elsewhere, as Spark makes those of very many URLs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.recrawl import Plan, Waiting, begin, recrawl, with_refused
from gossamer.bolts.quotas import Quota
from gossamer.bolts.schedule import is_limited
from gossamer.core.errors import ConfigurationError
from gossamer.core.revisit.change_rate import DAY
from gossamer.entrypoints.lambdas.lease import under_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord


class Recrawled(msgspec.Struct, kw_only=True):
    """What was chosen, and what it was chosen from."""

    job: str
    urls: int  # that may be asked for again
    due: int  # of them, without a budget
    limit: int | None  # requests that the budget allowed
    asked: int
    chosen: list[str] = []  # which, if this was a dry run


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


def with_earned(home: Home, record: JobRecord, plan: Plan) -> Plan:
    """The plan with what hosts could not give before and have earned since."""
    return with_refused(plan, Quota(record.rules, home.quotas, home.reputation))


def needs_round(record: JobRecord) -> bool:
    """Whether a job has spent anything that it needs again."""
    return is_limited(record) or record.config.max_seconds is not None


def start(home: Home, record: JobRecord, plan: Plan, now: float) -> None:
    """Let a job that has ended run again, for what was planned."""
    if not plan.chosen:
        return
    if needs_round(record):
        home.jobs.begin_round(record.job, now)
    home.jobs.set_state(record.job, "running")
    home.queues.send(begin(plan, home.urls), now)


class PartOfPlan(msgspec.Struct):
    """Some URLs of a plan that was made elsewhere, and their job."""

    job: str
    plan: list[Waiting]


def send_plan(home: Home, part: PartOfPlan, now: float) -> int:
    """Let a job run again for a part of a plan; return the number of its URLs.

    Sending a part twice does no harm: a URL that was visited after the plan was made is left out.
    """
    record = home.jobs.get(part.job)
    if record is None:
        known = ", ".join(home.jobs.names()) or "none"
        raise ConfigurationError(f"there is no job {part.job!r}; known: {known}")
    plan = Plan(job=part.job, chosen=part.plan)
    if record.state == "running":  # for an earlier part
        home.queues.send(begin(plan, home.urls), now)
    else:
        start(home, record, plan, now)
    return len(plan.chosen)


def recrawl_handler(worker: Callable[[], Worker]) -> Handler:
    """Return a Lambda handler that plans with a `budget` of visits a day, every so many `minutes`.

    An event with a `job` and a `plan` has URLs that are asked for again.
    """

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("recrawl", context):
            if "plan" in event:
                part = msgspec.convert(event, PartOfPlan)
                count = send_plan(opened.home, part, opened.clock())
                opened.telemetry.count("Revisits", count)
                opened.home.commit()
                return {part.job: count}
            budget, elapsed = float(event["budget"]), 60.0 * float(event["minutes"])
            done = _recrawl_all(opened, budget, elapsed)
            opened.telemetry.count("Revisits", sum(each.asked for each in done))
            opened.home.commit()
        return {each.job: each.asked for each in done}

    return handler


def _recrawl_all(worker: Worker, budget: float, elapsed: float) -> list[Recrawled]:
    home, now = worker.home, worker.clock()
    if budget <= 0:
        return []
    each = _each_job(home, now, budget, elapsed)
    return under_lease(home.jobs, "recrawl", now, lambda: list(each)) or []


def _each_job(home: Home, now: float, budget: float, elapsed: float) -> Iterator[Recrawled]:
    """The budget is that of the stack; a job may have a smaller one of its own."""
    left = int(budget * elapsed / DAY)
    for name in home.jobs.names():
        record = home.jobs.get(name)
        if record is None or record.state != "finished":
            continue
        own = record.config.recrawl
        most = min(own.budget or budget, budget)
        config = msgspec.structs.replace(own, budget=most)
        plan = recrawl(home, name, now, config, elapsed=elapsed, most=left)
        plan = with_earned(home, record, plan)
        start(home, record, plan, now)
        left -= len(plan.chosen)
        yield to_report(plan)
