"""The report of a stack: its job, its URLs, its queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.cost.limits import midnight
from gossamer.core.crawl.url_state import State, explain
from gossamer.core.search.result import TemplateStats  # noqa: TC001 msgspec may read it
from gossamer.entrypoints.local.report import duration, size
from gossamer.entrypoints.statistics import Statistics, statistics
from gossamer.entrypoints.template_health import alarm_lines, template_stats
from gossamer.ports.admin.stack import QueueCounts  # noqa: TC001 msgspec may read it

if TYPE_CHECKING:
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.jobs import JobRecord

HOUR = 3600.0


class StackReport(Statistics, kw_only=True):
    """One object for people and programs: what `gossamer stats --stack NAME --json` prints."""

    stack: str
    collection: str
    job: str
    state: str
    reason: str
    seconds: float  # since the job began
    usd: float  # that the job has cost, at list prices
    max_usd: float | None
    usd_today: float  # that crawls have cost since midnight UTC
    daily_usd: float  # that they may cost in a day; 0 = no limit
    search_usd_today: float  # that searches have cost since midnight UTC
    search_usd: float  # that they may cost in a day; 0 = no limit
    pages_left: int | None
    documents_left: int | None
    document_pages: int  # that were read into documents on their last visit
    searchable: int  # documents
    parked: int
    pages_per_minute: float  # over the last one to two hours
    queues: dict[str, QueueCounts]
    dead_letters: int
    search_url: str
    templates: list[TemplateStats]
    jobs: int = 1  # that the counts of URLs, requests, pages and bytes are of


def stack_report(stack: Stack, record: JobRecord, now: float) -> StackReport:
    """The state of a job and of the stack it runs in."""
    home = stack.home
    done, queues = statistics(home), home.queue_counts()
    today = home.spent_since(midnight(now), now)
    return StackReport(
        **msgspec.structs.asdict(done),
        stack=home.stack,
        collection=home.collection,
        job=record.job,
        state=record.state,
        reason=record.reason,
        seconds=round(now - record.started_at, 1),
        usd=round(home.spent(record.job, now), 6),
        max_usd=record.config.max_usd,
        usd_today=round(today.crawl, 6),
        daily_usd=stack.deployment.daily_usd,
        search_usd_today=round(today.search, 6),
        search_usd=stack.deployment.search_usd,
        pages_left=record.pages_left,
        documents_left=record.documents_left,
        document_pages=done.by_state.get(State.PARSED, 0),
        searchable=home.index.manifest().live,
        parked=home.frontier.count(),
        pages_per_minute=_rate(stack, record, now),
        queues=queues,
        dead_letters=sum(queue.dead for queue in queues.values()),
        search_url=stack.deployment.search_url,
        templates=template_stats(home, now),
        jobs=len(home.jobs.names()),
    )


def _rate(stack: Stack, record: JobRecord, now: float) -> float:
    """Pages a minute since the hour before this one, or since the job began."""
    since = max(now - now % HOUR - HOUR, record.started_at)
    pages = stack.home.sums_between(since, now)["pages"]
    return round(60 * pages / max(now - since, 1.0), 2)


def stack_summary(report: StackReport) -> str:
    """The report as a page for a person."""
    why = f" ({explain(report.reason)})" if report.reason not in ("", report.state) else ""
    lines = [
        f"{report.job}: {report.state}{why}, {duration(report.seconds)} after its start:"
        f" {report.pages:,} pages, {report.requests:,} requests, {size(report.bytes)},"
        f" {report.pages_per_minute:g} pages a minute lately",
        f"  {report.document_pages:,} pages read into documents; {report.searchable:,} documents"
        f" can be searched at {report.search_url}",
        f"  {_money(report)}",
        "",
        f"  {report.urls:,} URLs{_of_all_jobs(report)}, {report.parked:,} of them parked:",
    ]
    lines += _table(report.by_state)
    lines += ["", "  why:"]
    lines += [f"{line:<42} {explain(line.split()[-1])}" for line in _table(report.by_reason)]
    lines += ["", f"  {'queue':<10}{'due':>9}{'held':>9}{'delayed':>9}{'dead':>9}   oldest"]
    for name, queue in report.queues.items():
        counts = "".join(
            f"{count:>9,}" for count in (queue.due, queue.held, queue.delayed, queue.dead)
        )
        age = "not known" if queue.oldest is None else duration(queue.oldest)
        lines.append(f"  {name:<10}{counts}   {age}")
    lines += ["", *alarms] if (alarms := alarm_lines(report.templates)) else []
    if report.dead_letters:
        lines += ["", f"  {report.dead_letters:,} dead letters: see `gossamer redrive`"]
    return "\n".join(lines)


def _of_all_jobs(report: StackReport) -> str:
    """Return whose URLs are counted, where there is more than one job."""
    return f" of all {report.jobs} jobs" if report.jobs > 1 else ""


def _money(report: StackReport) -> str:
    """Return "$1.20 of $5 for this job; today $3.40 of $10 for crawls and …"."""
    return (
        f"at list prices {_of(report.usd, report.max_usd)} for this job; today (UTC)"
        f" {_of(report.usd_today, report.daily_usd)} for crawls and"
        f" {_of(report.search_usd_today, report.search_usd)} for searches"
    )


def _of(spent: float, limit: float | None) -> str:
    return f"${spent:,.4f} of ${limit:g}" if limit else f"${spent:,.4f}"


def _table(counts: dict[str, int]) -> list[str]:
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return [f"    {count:>9,}  {name}" for name, count in ordered]
