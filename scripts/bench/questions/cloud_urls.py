"""Does a URL cost the same in the cloud, however many are known already?

LINKS gets pages whose links are new or known, over moto, while the tables grow to ten million URLs;
the frontier gets packs of a host that has more and more of them. Calls and units are counted for
each URL. The tables are filled in bulk (worlds/filled_tables.py): of a URL that no link leads to
there is only its id, and a pack has the same URLs as all others.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from itertools import count
from random import Random
from statistics import mean

from gossamer import homes
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.messages import Candidate, CrawlRequest, Link, LinksFound, encode
from gossamer.ports import Ports
from scripts.bench.contenders.gossamer_on_aws import JOB, Stack, open_stack
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds.filled_tables import KnownUrls, ParkedPacks
from scripts.scale.sample_web import SampleFetcher, SampleWeb

SIZES = (1_000, 100_000, 10_000_000)
MAX_GROWTH = 1.1  # calls of a URL at the largest size, relative to those at the smallest
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
    if os.environ.get("AWS_ENDPOINT_URL"):
        raise BenchFailure("only moto's tables can be filled in bulk: unset AWS_ENDPOINT_URL")
    with open_stack({}) as stack:
        growing = Growing(stack)
        found = [growing.at(size) for size in sizes]
    return Report(
        question="cloud_urls",
        rows=[_row(known) for known in found],
        claims=_claims(found),
        runs=[asdict(known) for known in found],
        summary={"calls_of_a_new_link": found[-1].new.calls, "urls": found[-1].urls},
        notes=_notes(),
    )


class Growing:
    """A stack that gets to know more and more URLs."""

    def __init__(self, stack: Stack) -> None:
        self._stack, self._chance, self._sources = stack, Random(1), count()
        self._known_urls = KnownUrls(stack.home, address, JOB)
        self._packs = ParkedPacks(stack.home, _pack(0))
        self._urls = self._parked_urls = self._parks = 0
        stack.home.jobs.configure(JOB, JobConfig(contact="http://h0.test/"), time.time())

    def at(self, size: int) -> Known:
        """Grow to so many URLs, and count what the next ones cost."""
        self._known_urls.know(size)
        self._fill(size)
        self._urls = size
        old = self._counted(self._known)
        new = self._counted(self._next)
        return Known(size, new, old, self._parked(self._fresh_home()))

    def _fill(self, size: int) -> None:
        """All URLs are parked as well, half of them at one host."""
        more = (size - self._parked_urls) // PACK
        self._parked_urls = size
        self._packs.park("h0.test", more // 2)
        for host in range(1, HOSTS):
            self._packs.park(f"h{host}.test", more // 2 // (HOSTS - 1))

    def _fresh_home(self) -> AwsHome:
        """A home without memories of URLs, as a function that has just started."""
        before = self._stack.home
        where = before.stack, before.bucket, before.collection
        return AwsHome(*where, homes.decode_body, before.queue_urls, before.clients)

    def _next(self) -> list[str]:
        fresh = range(self._urls, self._urls + BATCH * LINKS)
        self._urls = fresh.stop
        return [address(number) for number in fresh]

    def _known(self) -> list[str]:
        return [address(n) for n in self._chance.sample(range(self._urls), BATCH * LINKS)]

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

    def _parked(self, home: AwsHome) -> Counted:
        home.meter.reset()
        for _ in range(PROBES):
            self._parks += 1
            home.frontier.park(_pack(self._parks))
            pack = home.frontier.take("h0.test", time.time())
            if pack is None:
                raise BenchFailure("a pack that was parked cannot be taken")
            home.frontier.forget("h0.test", pack.key)
        return _per(home, PROBES * PACK)


def address(number: int) -> str:
    """The URL of a number; half of all are on the first host."""
    host = 0 if number % 2 else number // 2 % HOSTS
    return f"http://h{host}.test/p{number}.html"


def _pack(number: int) -> CrawlRequest:
    urls = [Candidate(f"http://h0.test/parked/{number}/{n}") for n in range(PACK)]
    return CrawlRequest(job=JOB, host="h0.test", urls=urls)


def _per(home: AwsHome, urls: int) -> Counted:
    totals = home.meter.totals()
    return Counted(
        sum(home.meter.calls.values()) / urls, totals["rru"] / urls, totals["wru"] / urls
    )


def _claims(found: list[Known]) -> list[Claim]:
    claims = []
    for kind, name in (("new", "a new link"), ("old", "a known link"), ("parked", "a parked URL")):
        first = getattr(found[0], kind).calls
        growth = max(getattr(known, kind).calls for known in found) / first
        text = f"calls of {name} at any size, relative to {found[0].urls:,} URLs"
        claims.append(at_most(text, MAX_GROWTH, growth))
    return claims


def _row(known: Known) -> Row:
    row: Row = {"known URLs": f"{known.urls}"}
    for kind, counted in (("new", known.new), ("known", known.old), ("parked", known.parked)):
        row[f"{kind}: calls, RRU, WRU"] = (
            f"{counted.calls:.3f}, {counted.rru:.3f}, {counted.wru:.3f}"
        )
    return row


def _notes() -> list[str]:
    return [
        f"{HOSTS} hosts, half of the URLs on one; {LINKS} links a message, {BATCH} a batch",
        "tables filled in bulk; functions that have just started",
    ]
