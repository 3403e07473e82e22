"""The bounds of a soak, and whether they held."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from gossamer.adapters.local.opening import MAX_LOG_BYTES
from scripts.bench.machine.percentiles import times
from scripts.bench.report import Claim, at_most
from scripts.soak.asking import Answered
from scripts.soak.ending import Ending
from scripts.soak.plan import IDLE, IDLE_AGAIN, SOAK
from scripts.soak.record import Record
from scripts.soak.sampling import Process, Sample
from scripts.soak.serving import Outage

MAX_GROWTH = 0.05  # of memory
MAX_SLOWDOWN = 3.0  # of a search's p99 while a crawl runs
MAX_MORE_HANDLES = 2  # a connection more or less is no leak
MAX_QUEUE_AGE = 10.0  # seconds, once a crawl has run as long
MAX_LOG_MB = 2 * MAX_LOG_BYTES / 1e6  # it is folded when it has grown to half of this
JUDGED_FROM = 300.0  # seconds of a soak in which growth and slowness can be told from chance
MIN_LIVES = 2  # crawls on either side of a comparison


def verdicts(record: Record, ending: Ending) -> list[Claim]:
    """All of them."""
    found = [*_growth(record), *_bounds(record), *_answers(record), *_end(record, ending)]
    if record.plan.seconds >= JUDGED_FROM:
        return found
    return [replace(one, met=None) if one.name in NEED_TIME else one for one in found]


SERVER_MEMORY, CRAWL_MEMORY = "growth of the server's memory", "growth of a crawl's memory"
SERVER_HANDLES, CRAWL_HANDLES = "more handles of the server", "more handles of a crawl"
UNLIKE_SITE = "pages of the site that are not found as they stand"
SLOWDOWN = "search p99 while crawling / idle"
NEED_TIME = {SERVER_MEMORY, CRAWL_MEMORY, SERVER_HANDLES, CRAWL_HANDLES, SLOWDOWN}


def _growth(record: Record) -> list[Claim]:
    plan = record.plan
    server = quarters(record.after_warm_up(), plan.settling)
    crawl = halves(record.after_warm_up(), plan.comparable_age)
    return [
        _grown(SERVER_MEMORY, server, "first and last quarter"),
        _grown(CRAWL_MEMORY, crawl, f"{plan.comparable_age:.0f} s after their starts"),
        _more_handles(SERVER_HANDLES, server),
        _more_handles(CRAWL_HANDLES, crawl),
    ]


Pair = tuple[Sequence[Process], Sequence[Process]]


def quarters(samples: Sequence[Sample], settling: float) -> Pair:
    """The server in the first and in the last quarter, without the time after its restarts."""
    settled = [s.server for s in samples if s.server is not None and s.server.age >= settling]
    part = max(1, len(settled) // 4)
    return settled[:part], settled[-part:]


def halves(samples: Sequence[Sample], age: float) -> Pair:
    """Each crawl when it was so old: the earlier ones, and the later ones."""
    lives: dict[int, Process] = {}
    for sample in samples:
        crawl = sample.crawl
        if crawl is not None and crawl.task == "crawl" and crawl.age >= age:
            lives.setdefault(crawl.pid, crawl)
    found = list(lives.values())
    half = len(found) // 2
    return found[:half], found[len(found) - half :]


def _middle(processes: Sequence[Process], of: Callable[[Process], float]) -> float:
    return median(of(process) for process in processes)


def _grown(name: str, pair: Pair, when: str) -> Claim:
    bound = f"<= {MAX_GROWTH:.0%}"
    if min(map(len, pair)) < MIN_LIVES:
        return Claim(name, bound, "too few to compare", None)
    before, after = (_middle(part, lambda process: process.usage.rss_mb) for part in pair)
    growth = after / before - 1
    measured = f"{growth:+.1%} ({before:.1f} to {after:.1f} MB, {when})"
    return Claim(name, bound, measured, growth <= MAX_GROWTH)


def _more_handles(name: str, pair: Pair) -> Claim:
    bound = f"<= {MAX_MORE_HANDLES}"
    if min(map(len, pair)) < MIN_LIVES:
        return Claim(name, bound, "too few to compare", None)
    before, after = (_middle(part, lambda process: process.usage.handles) for part in pair)
    more = after - before
    measured = f"{more:+g} ({before:g} to {after:g})"
    return Claim(name, bound, measured, more <= MAX_MORE_HANDLES)


def _bounds(record: Record) -> list[Claim]:
    age = max((s.oldest for s in record.samples if is_crawling(s)), default=0.0)
    log = max((s.log_mb for s in record.samples), default=0.0)
    return [
        at_most("age of a message that is due", MAX_QUEUE_AGE, age, ".1f", " s"),
        at_most("write-ahead log", MAX_LOG_MB, log, ".1f", " MB"),
    ]


def is_crawling(sample: Sample) -> bool:
    """Whether a crawl has run long enough for its queues to have caught up."""
    crawl = sample.crawl
    return crawl is not None and crawl.task == "crawl" and crawl.age >= MAX_QUEUE_AGE


def _answers(record: Record) -> list[Claim]:
    idle = record.searches(IDLE) + record.searches(IDLE_AGAIN)
    bad = [one for one in record.answers if one.code >= 500]
    lost = unexcused(record.answers, record.outages)
    return [
        _slowdown(idle, record.searches(SOAK)),
        _zero("answers 5xx", len(bad)),
        _zero("requests without an answer, server up", len(lost)),
        Claim(
            "times the server ended badly or complained",
            "0",
            f"{record.server_failures} {record.server_complaints[-300:]}".strip(),
            not record.server_failures and not record.server_complaints,
        ),
    ]


def _slowdown(idle: Sequence[Answered], crawling: Sequence[Answered]) -> Claim:
    bound = f"<= {MAX_SLOWDOWN:g} ×"
    if not idle or not crawling:
        return Claim(SLOWDOWN, bound, "nothing to compare", None)
    still, busy = times([a.ms for a in idle]), times([a.ms for a in crawling])
    ratio = busy.p99 / still.p99
    measured = (
        f"{ratio:.2f} × ({busy.p99:.1f} and {still.p99:.1f} ms of {busy.count} and {still.count})"
    )
    return Claim(SLOWDOWN, bound, measured, ratio <= MAX_SLOWDOWN)


def unexcused(answers: Sequence[Answered], outages: Sequence[Outage]) -> list[Answered]:
    """Requests without an answer that no outage explains."""
    return [
        one
        for one in answers
        if not one.code
        and not any(one.at <= out.ended_at and out.began_at <= one.ended_at for out in outages)
    ]


def _end(record: Record, ending: Ending) -> list[Claim]:
    report = ending.rounds[-1]
    states = [one["state"] for one in (ending.resumed, *ending.rounds)]
    return [
        Claim(
            "crawls that failed or complained",
            "0",
            f"{len(record.crawl_failures)} {' '.join(record.crawl_failures)[-300:]}".strip(),
            not record.crawl_failures,
        ),
        _zero("parsers left behind", record.orphans),
        Claim(
            "the crawl after the last kill, and whole rounds after it",
            "finished",
            ", ".join(states),
            set(states) == {"finished"},
        ),
        _zero("URLs that have not ended", ending.unended + report["unexplained"]),
        _zero("dead letters", report["dead_letters"]),
        Claim(
            "violations found by gossamer audit",
            "0",
            f"{ending.violations}, exit {ending.audit_code}",
            (ending.violations, ending.audit_code) == (0, 0),
        ),
        Claim(
            "live in the index, but not parsed, or the other way",
            "0",
            f"{len(ending.index_differs)} ({ending.live} live, {ending.documents} parsed)",
            not ending.index_differs and ending.live == ending.documents,
        ),
        _zero(UNLIKE_SITE, len(ending.site_differs)),
    ]


def _zero(name: str, count: int) -> Claim:
    return Claim(name, "0", str(count), not count)
