"""Measure what the real functions ask of AWS, over moto, and fit a profile to it.

Batches have random sizes, so that what an invocation costs can be told from what its messages
cost. The last step of the fit leaves out coefficients that would be negative: nothing that is added
makes a function cheaper.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.messages import (
    Candidate,
    CrawlRequest,
    Emission,
    Link,
    LinksFound,
    decode,
)
from gossamer.ports import Ports
from scripts.bench.contenders.gossamer_on_aws import JOB, Stack, open_stack
from scripts.scale.profile import STREAMS, Given, Profile, Shape, Step
from scripts.scale.sample_web import SampleFetcher, SampleWeb

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.messages import Stream

    Handler = Callable[..., dict[str, Any]]
    Units = dict[str, float]

SAMPLE = SampleWeb(hosts=8, pages=20)
# A small limit is lent in blocks of two or three units, which is three times as many writes.
LIMIT = 1_000_000
LIMITED = SampleWeb(hosts=4, pages=10)  # small: moto copies all tables for each transaction
BATCH, INDEX_BATCH = 10, 100
REMEMBERED = 1e6  # seconds: reading a job again is counted by the model's clock, not by moto's time
PACK = 50  # URLs, as in a full pack of the frontier


@dataclass(frozen=True, slots=True)
class Sample:
    """One invocation: what it was handed, and what it asked of AWS."""

    stream: str
    given: Given
    units: Units
    calls: float


@dataclass
class Run:
    """A crawl by the real functions, invocation by invocation."""

    stack: Stack
    batch: Callable[[str], int]  # how many messages the next invocation takes
    samples: list[Sample] = field(default_factory=list)
    pages: int = 0
    _fresh: int = 0

    def watch(self) -> None:
        """Count the URLs that the store did not know."""
        urls: Any = self.stack.home.urls
        add = urls.add

        def counted(*given: Any, **named: Any) -> Any:
            admission = add(*given, **named)
            self._fresh += len(admission.fresh)
            return admission

        urls.add = counted

    def invoke(self, stream: Stream, handler: Handler) -> int:
        """One invocation, with its counts."""
        meter, seen = self.stack.home.meter, Counter[str]()
        before, calls = _units(meter), sum(meter.calls.values())
        fresh, self._fresh = self._fresh, 0

        def counting(event: dict[str, Any], context: object) -> dict[str, Any]:
            seen.update(_contents(event))
            return handler(event, context)

        moved = self._call(stream, self.batch(stream), counting)
        found, self._fresh = self._fresh, fresh
        if moved:
            given = Given(1.0, moved, seen["urls"], found)
            units = {name: n - before.get(name, 0.0) for name, n in _units(meter).items()}
            made = sum(meter.calls.values()) - calls
            self.samples.append(Sample(stream, given, units, made))
        return moved

    def _call(self, stream: Stream, limit: int, handler: Handler) -> int:
        """Receive, call the handler and delete, as Lambda does; returns how many messages."""
        home, deliveries = self.stack.home, list[Any]()
        while len(deliveries) < limit:
            some = home.queues.receive(stream, min(BATCH, limit - len(deliveries)), time.time())
            deliveries += some
            if len(some) < BATCH:
                break
        if not deliveries:
            return 0
        records = [{"messageId": str(i), "body": d.body.decode()} for i, d in enumerate(deliveries)]
        if handler({"Records": records}, None)["batchItemFailures"]:
            raise RuntimeError(f"{stream}: messages failed")
        home.queues.acknowledge(deliveries)
        home.add_states()
        home.meter.add("wru", 1.0, "stats", "UpdateItem")  # each invocation writes its counts
        return len(deliveries)

    def totals(self) -> dict[str, Given]:
        """What all invocations of each function were handed."""
        sums: dict[str, Any] = defaultdict(lambda: np.zeros(4))
        for sample in self.samples:
            sums[sample.stream] += sample.given.numbers()
        return {stream: Given(*map(float, numbers)) for stream, numbers in sums.items()}

    def units(self) -> Units:
        """All units by kind and resource."""
        found: Units = defaultdict(float)
        for sample in self.samples:
            for name, count in sample.units.items():
                found[name] += count
        return dict(found)


def _units(meter: Any) -> Units:
    """Units by kind and resource, whatever the operation."""
    found: Units = defaultdict(float)
    for (kind, resource, _), count in meter.units.items():
        found[f"{kind} {resource}"] += count
    return found


def _contents(event: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for record in event["Records"]:
        match decode(record["body"]):
            case CrawlRequest(urls=urls):
                found["urls"] += len(urls)
            case LinksFound(links=links):
                found["urls"] += len(links)
            case _:
                pass  # one URL each: messages count them
    return found


def random_batches(seed: int) -> Callable[[str], int]:
    """Batches of random sizes, up to those of the template."""
    chance = Random(seed)
    return lambda stream: chance.randint(1, INDEX_BATCH if stream == "index" else BATCH)


def full_batches(stream: str) -> int:
    """Batches as large as they may be."""
    return INDEX_BATCH if stream == "index" else BATCH


def run(
    web: SampleWeb, batch: Callable[[str], int] = full_batches, *, limited: bool = False
) -> Run:
    """Crawl a whole generated web with the real functions."""
    with open_stack({}, memory=REMEMBERED) as stack:
        del stack.home.__dict__["queues"]  # those of the home, where messages come at once
        ports = Ports(stack.home, SampleFetcher(web))
        stack.functions = Worker(ports, time.time, telemetry=stack.sums)
        found = Run(stack, batch)
        found.watch()
        _seed(stack, web, limited=limited)
        _pump(found)
        found.pages = stack.home.documents.count().pages
        return found


def _seed(stack: Stack, web: SampleWeb, *, limited: bool) -> None:
    most = LIMIT if limited else None
    config = JobConfig(seeds=web.seeds(), delay=0.0, max_pages=most, contact="http://h0.test/")
    stack.home.jobs.configure(JOB, config, time.time())
    links = [Link(url) for url in web.seeds()]
    seeding = LinksFound(job=JOB, source="", depth=0, via="seed", links=links)
    stack.home.queues.send([Emission("links", seeding)], time.time())
    stack.home.meter.reset()


def _pump(found: Run) -> None:
    """Until nothing moves; INDEX waits for a full batch while other queues move."""
    handlers, waiting = found.stack.handlers(), 0
    crawl: tuple[Stream, ...] = ("links", "frontier", "fetch", "parse")
    while True:
        moved = {stream: found.invoke(stream, handlers[stream]) for stream in crawl}
        waiting += moved["parse"]
        if waiting >= INDEX_BATCH or not any(moved.values()):
            waiting = 0
            if not found.invoke("index", handlers["index"]) and not any(moved.values()):
                return


def parking(web: SampleWeb = SAMPLE) -> Units:
    """The units of one full pack that is parked, taken and forgotten."""
    with open_stack({}) as stack:
        urls = [Candidate(f"http://h0.test/{n}") for n in range(PACK)]
        pack = CrawlRequest(job=JOB, host="h0.test", urls=urls)
        frontier = stack.home.frontier
        stack.home.meter.reset()
        frontier.park(pack)
        taken = frontier.take("h0.test", time.time())
        if taken is None:
            raise RuntimeError("a pack that was parked cannot be taken")
        frontier.forget("h0.test", taken.key)
        return dict(_units(stack.home.meter))


def measure(web: SampleWeb = SAMPLE) -> Profile:
    """The profile of the present code."""
    first = run(web, random_batches(1))
    plain, limited = (run(LIMITED, random_batches(1), limited=limit) for limit in (False, True))
    given = first.totals()
    shape = Shape(
        pages=first.pages,
        hosts=web.hosts,
        links=given["links"].urls / given["links"].messages,
        fresh=given["links"].fresh / first.pages,
        packs=(given["frontier"].messages - web.hosts) / given["links"].fresh,
        batches={name: what.messages / what.invocations for name, what in given.items()},
    )
    steps = {
        stream: _fitted([s for s in first.samples if s.stream == stream]) for stream in STREAMS
    }
    return Profile(shape, steps, parking(web), _more(plain, limited))


def _more(plain: Run, limited: Run) -> Units:
    """What a page costs more in a job with a limit."""
    before, after = plain.units(), limited.units()
    more = {
        name: after[name] / limited.pages - before.get(name, 0.0) / plain.pages for name in after
    }
    return {name: units for name, units in more.items() if units > 0.05}


def _fitted(samples: list[Sample]) -> Step:
    given = np.array([sample.given.numbers() for sample in samples])
    names = sorted({name for sample in samples for name in sample.units})
    units = {
        name: _fit(given, np.array([sample.units.get(name, 0.0) for sample in samples]))
        for name in names
    }
    calls = _fit(given, np.array([sample.calls for sample in samples]))
    return Step({name: by for name, by in units.items() if any(by)}, calls)


def _fit(given: Any, wanted: Any) -> tuple[float, float, float, float]:
    """Least squares with coefficients that are not negative."""
    found = np.zeros(4)
    chosen = [column for column in range(4) if given[:, column].any()]
    while chosen:
        some, *_ = np.linalg.lstsq(given[:, chosen], wanted, rcond=None)
        if (some >= -1e-9).all():
            found[chosen] = np.maximum(some, 0.0)
            break
        chosen.pop(int(some.argmin()))
    a, b, c, d = (round(float(each), 4) for each in found)
    return a, b, c, d
