"""Does a URL cost the same in the cloud, however many are known already?

LINKS gets pages whose links are new or known, over moto, while the tables grow; the frontier gets
packs of a host that has more and more of them. Calls and units are counted for each URL. What ten
million URLs would cost follows by a formula: c(K) = a + b · log10(K), fitted to what was counted.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass
from itertools import count, islice
from random import Random
from statistics import mean

import numpy as np

from gossamer import homes
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.messages import Candidate, CrawlRequest, Link, LinksFound, encode
from gossamer.ports import Ports
from scripts.bench.contenders.gossamer_on_aws import JOB, Stack, open_stack
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.scale.sample_web import SampleFetcher, SampleWeb

SIZES = (1_000, 10_000, 100_000)
WANTED = 10_000_000  # known URLs
MAX_GROWTH = 1.1  # calls of a URL at that size, relative to those at the smallest
HOSTS = 100  # half of all URLs are on the first
LINKS = 50  # of a message
BATCH = 4  # messages of an invocation
PACK = 50
PROBES = 3  # invocations that are counted at each size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="known URLs")


@dataclass(frozen=True, slots=True)
class Counted:
    """Calls, read units and write units, each for one URL."""

    calls: float
    rru: float
    wru: float


@dataclass(frozen=True, slots=True)
class Known:
    """What was counted while so many URLs were known."""

    urls: int
    new: Counted  # links to URLs that are not known
    old: Counted  # links to known URLs
    parked: Counted  # URLs of a pack that is parked, taken and forgotten


def measure(settings: argparse.Namespace) -> Report:
    sizes = sorted(settings.sizes)
    if len(sizes) < 2 or sizes[0] < BATCH * LINKS:
        raise BenchFailure(f"--sizes needs at least two, of {BATCH * LINKS} or more")
    with open_stack({}) as stack:
        growing = Growing(stack)
        found = [growing.at(size) for size in sizes]
    return Report(
        question="cloud_urls",
        rows=[_row(known) for known in found],
        claims=_claims(found),
        runs=[asdict(known) for known in found],
        summary={"calls_at_ten_million": at_size(found, "new", "calls")},
        notes=_notes(found),
    )


class Growing:
    """A stack that gets to know more and more URLs."""

    def __init__(self, stack: Stack) -> None:
        self._stack, self._addresses = stack, _addresses()
        self._urls: list[str] = []
        self._packs, self._chance, self._sources = 0, Random(1), count()
        stack.home.jobs.configure(JOB, JobConfig(contact="http://h0.test/"), time.time())

    def at(self, size: int) -> Known:
        """Grow to so many URLs, and count what the next ones cost."""
        while len(self._urls) < size:
            self._invoke(self._stack.home, self._next(min(BATCH * LINKS, size - len(self._urls))))
            self._park_one(self._stack.home)
        urls = len(self._urls)
        old = self._counted(self._known)
        new = self._counted(lambda: self._next(BATCH * LINKS))
        return Known(urls, new, old, self._parked(self._fresh_home()))

    def _fresh_home(self) -> AwsHome:
        """A home without memories of URLs, as a function that has just started."""
        before = self._stack.home
        where = before.stack, before.bucket, before.collection
        return AwsHome(*where, homes.decode_body, before.queue_urls, before.clients)

    def _next(self, count: int) -> list[str]:
        fresh = list(islice(self._addresses, count))
        self._urls += fresh
        return fresh

    def _known(self) -> list[str]:
        return self._chance.sample(self._urls, BATCH * LINKS)

    def _counted(self, links: Callable[[], list[str]]) -> Counted:
        """What a link costs in functions that have just started: none remembers a URL."""
        counts = [self._probe(links()) for _ in range(PROBES)]
        return Counted(*(mean(each) for each in zip(*counts, strict=True)))

    def _probe(self, links: list[str]) -> tuple[float, float, float]:
        home = self._fresh_home()
        home.meter.reset()
        self._invoke(home, links)
        return astuple(_per(home, len(links)))

    def _invoke(self, home: AwsHome, links: list[str]) -> None:
        """One invocation of LINKS."""
        pages = [links[n : n + LINKS] for n in range(0, len(links), LINKS)]
        bodies = [self._page(page) for page in pages]
        records = [{"messageId": str(n), "body": encode(b).decode()} for n, b in enumerate(bodies)]
        ports = Ports(home, SampleFetcher(SampleWeb(1, 1)))
        worker = Worker(ports, time.time, telemetry=self._stack.sums)
        failed = sqs_handler("links", lambda: worker)({"Records": records}, None)
        if failed["batchItemFailures"]:
            raise BenchFailure("LINKS failed")

    def _page(self, links: list[str]) -> LinksFound:
        """The links of a page that no other message is about: those would be emitted again."""
        source = f"http://h1.test/source{next(self._sources)}"
        found = [Link(url) for url in links]
        return LinksFound(job=JOB, source=source, depth=1, via="page", links=found)

    def _park_one(self, home: AwsHome) -> None:
        self._packs += 1
        urls = [Candidate(f"http://h0.test/parked/{self._packs}/{n}") for n in range(PACK)]
        home.frontier.park(CrawlRequest(job=JOB, host="h0.test", urls=urls))

    def _parked(self, home: AwsHome) -> Counted:
        home.meter.reset()
        for _ in range(PROBES):
            self._park_one(home)
            pack = home.frontier.take("h0.test", time.time())
            if pack is None:
                raise BenchFailure("a pack that was parked cannot be taken")
            home.frontier.forget("h0.test", pack.key)
        return _per(home, PROBES * PACK)


def _addresses() -> Iterator[str]:
    number = 0
    while True:
        host = 0 if number % 2 else number // 2 % HOSTS
        yield f"http://h{host}.test/p{number}.html"
        number += 1


def _per(home: AwsHome, urls: int) -> Counted:
    totals = home.meter.totals()
    return Counted(
        sum(home.meter.calls.values()) / urls, totals["rru"] / urls, totals["wru"] / urls
    )


def fitted(sizes: list[int], values: list[float]) -> tuple[float, float]:
    """The a and b of a + b · log10(K)."""
    b, a = np.polyfit(np.log10(sizes), values, 1)
    return float(a), float(b)


def at_size(known: list[Known], kind: str, unit: str, size: int = WANTED) -> float:
    """What a URL would cost at a size, by the formula."""
    values = [getattr(getattr(each, kind), unit) for each in known]
    a, b = fitted([each.urls for each in known], values)
    return float(a + b * np.log10(size))


def _claims(found: list[Known]) -> list[Claim]:
    claims = []
    for kind, name in (("new", "a new link"), ("old", "a known link"), ("parked", "a parked URL")):
        first = getattr(found[0], kind).calls
        growth = at_size(found, kind, "calls") / first if first else 1.0
        text = f"calls of {name} at ten million URLs, relative to {found[0].urls:,}"
        claims.append(at_most(text, MAX_GROWTH, growth))
    return claims


def _row(known: Known) -> Row:
    row: Row = {"known URLs": f"{known.urls}"}
    for kind, counted in (("new", known.new), ("known", known.old), ("parked", known.parked)):
        row[f"{kind}: calls, RRU, WRU"] = (
            f"{counted.calls:.3f}, {counted.rru:.3f}, {counted.wru:.3f}"
        )
    return row


def _notes(found: list[Known]) -> list[str]:
    return [
        f"{HOSTS} hosts, half of the URLs on one; {LINKS} links a message, {BATCH} a batch",
        "by a + b · log10(K), at ten million URLs: "
        + "; ".join(
            f"{kind}: {at_size(found, kind, 'calls'):.3f} calls, {at_size(found, kind, 'rru'):.3f}"
            f" RRU, {at_size(found, kind, 'wru'):.3f} WRU"
            for kind in ("new", "old", "parked")
        ),
    ]
