"""The report of a crawl: what happened so far, in numbers that add up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, get_args

import msgspec

from gossamer.core.crawl.url_state import END_STATES, State, explain
from gossamer.core.search.result import TemplateStats  # noqa: TC001 msgspec may read it
from gossamer.core.urls import host_of
from gossamer.entrypoints.statistics import Statistics, job_statistics, state_of, statistics
from gossamer.entrypoints.template_health import alarm_lines, template_stats
from gossamer.messages import Stream

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.ports.home import Home

LONG_WAIT = 60.0  # seconds from which it is told which hosts a crawl waits for

# What a person can do about a crawl that stands still.
NEXT_STEP = {
    "interrupted": "Run the same command again to go on where it stopped.",
    "paused": "It waits: `gossamer resume` lets it go on, `gossamer stop` ends it.",
    "stopped": "Run the same command again to crawl what was left out.",
}


class Report(Statistics, kw_only=True):
    """One object for people and programs: what `crawl --json` and `stats --json` print."""

    job: str
    state: str
    reason: str = ""
    seconds: float = 0.0
    documents: int = 0
    document_pages: int = 0  # that have at least one document
    duplicates: int = 0
    unexplained: int = 0  # URLs that neither wait nor have ended with a reason: always 0
    hosts: int = 0
    hosts_set_aside: dict[str, str] = msgspec.field(default_factory=dict)
    # Seconds until hosts are asked again, of those for which URLs wait for longer than a minute.
    hosts_waiting: dict[str, float] = msgspec.field(default_factory=dict)
    queues: dict[str, int] = msgspec.field(default_factory=dict)
    dead_letters: int = 0
    failed_seeds: dict[str, str] = msgspec.field(default_factory=dict)  # if this run got no page
    templates: list[TemplateStats] = msgspec.field(default_factory=list)


def report(home: Home, job: str, state: str | None = None, seconds: float = 0.0) -> Report:
    """The state of a job, counted from the stores."""
    record, done = home.jobs.get(job), statistics(home)
    depth, hosts, kept = home.queues.depth(), list(home.hosts.all()), home.documents.count()
    return Report(
        **msgspec.structs.asdict(done),
        job=job,
        state=state or (state_of(home, record) if record else "unknown"),
        reason=record.reason if record else "",
        seconds=round(seconds or (record.seconds if record else 0.0), 3),
        documents=kept.documents,
        document_pages=kept.pages,
        duplicates=done.by_state.get(State.DUPLICATE, 0),
        unexplained=_unexplained(home),
        hosts=home.hosts.count(),
        hosts_set_aside={h.host: explain(h.set_aside) for h in hosts if h.set_aside},
        hosts_waiting=_waiting(home, hosts),
        queues={stream: depth[stream] for stream in get_args(Stream)}
        | {"parked": home.frontier.count()},
        dead_letters=len(home.queues.dead_letters()),
        templates=template_stats(home, time.time()),
    )


def report_of_job(home: Home, job: str) -> Report:
    """Return the report of a job with the counts of its own URLs, if there are other jobs."""
    whole = report(home, job)
    if len(home.jobs.names()) < 2:
        return whole
    count, ids = job_statistics(home, job)
    parts = [len(stamp.parts) for stamp in home.documents.stamps() if stamp.page in ids]
    hosts = {host_of(url) for url in home.urls.addresses(ids).values()}
    return msgspec.structs.replace(
        whole,
        **msgspec.structs.asdict(count),
        documents=sum(parts),
        document_pages=sum(map(bool, parts)),
        duplicates=count.by_state.get(State.DUPLICATE, 0),
        hosts=len(hosts),
        hosts_set_aside={h: why for h, why in whole.hosts_set_aside.items() if h in hosts},
    )


def _waiting(home: Home, hosts: list[HostRecord]) -> dict[str, float]:
    """Return the hosts that a crawl waits for, and how many seconds it does."""
    if not (any(home.queues.depth().values()) or home.frontier.has_packs()):
        return {}
    now = time.time()
    waits = {host.host: round(host.next_slot - now, 1) for host in hosts}
    return {host: wait for host, wait in waits.items() if wait > LONG_WAIT}


def _unexplained(home: Home) -> int:
    """URLs that ended without a reason; and, when nothing waits, URLs that have not ended."""
    silent = home.urls.without_reason()
    if any(home.queues.depth().values()) or home.frontier.has_packs():
        return silent
    states, _ = home.states()
    return silent + sum(states[state] for state in set(State) - END_STATES)


def summary(report: Report) -> str:
    """The report as a page for a person."""
    lines = [
        f"{report.state.capitalize()}{f' ({explain(report.reason)})' if report.reason else ''}"
        f" after {duration(report.seconds)}: {counted(report.pages, 'page')},"
        f" {counted(report.requests, 'request')}, {size(report.bytes)},"
        f" {counted(report.hosts, 'host')}",
        f"  {counted(report.documents, 'document')} on {counted(report.document_pages, 'page')}",
        "",
        f"  {counted(report.urls, 'URL')}, each with its reason:",
    ]
    for state, count in sorted(report.by_state.items(), key=lambda item: -item[1]):
        lines.append(f"    {count:>9,}  {state}")
    lines += ["", "  why:"]
    for reason, count in sorted(report.by_reason.items(), key=lambda item: -item[1]):
        lines.append(f"    {count:>9,}  {reason:<20} {explain(reason)}")
    for host, why in list(report.hosts_set_aside.items())[:10]:
        lines.append(f"  host set aside: {host}: {why}")
    for host, wait in list(report.hosts_waiting.items())[:10]:
        lines.append(f"  waits for {host}, which is asked again in {duration(wait)}")
    lines += alarm_lines(report.templates)
    if report.dead_letters:
        lines.append(f"  {counted(report.dead_letters, 'dead letter')}")
    if report.state in NEXT_STEP:
        lines += ["", f"  {NEXT_STEP[report.state]}"]
    if report.unexplained:
        lines.append(f"  UNEXPLAINED: {report.unexplained} (please report this as a bug)")
    return "\n".join(lines)


def counted(count: int, what: str) -> str:
    """1 page, 2,000 pages."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """1 h 02 min, 3 min 20 s, 4.2 s."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def size(count: float) -> str:
    """12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
