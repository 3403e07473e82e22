"""What does a page cost in the cloud, and what does a query?

Crawls and indexes part of a real site through the real handlers over moto in this process, or over
the endpoint in AWS_ENDPOINT_URL, and counts units by the published rules. The folder of the site
answers the requests: this is about units, not about time.
"""

import argparse
import asyncio
import mimetypes
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

from gossamer import retrieval, runtime
from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome, open_aws_home
from gossamer.adapters.aws.index import SETTLED
from gossamer.adapters.aws.stacks import create_stack
from gossamer.bolts.compact import compact
from gossamer.core.job import JobConfig
from gossamer.core.metering import INDEX_TABLES
from gossamer.entrypoints.batches import IndexHome, index_handler
from gossamer.entrypoints.costing import Cost, cost
from gossamer.entrypoints.ranking import Weighing, follow_cloud, rank_cloud
from gossamer.entrypoints.sqs import Home, sqs_handler
from gossamer.entrypoints.telemetry import Telemetry
from gossamer.messages import Emission, Link, LinksFound, Stream
from gossamer.ports.fetcher import HttpRequest, HttpResponse
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row
from scripts.bench.worlds import debian_sites

PAGES = 500
INDEX_BATCH = 100
JOB = "bench"
MAX_WRITES, MAX_INDEX_WRITES, MAX_USD, MAX_READS = 30.0, 13.0, 25.0, 40.0
QUERIES = 60
# Lambda's time cannot be measured on a machine that plays AWS as well. It is modelled: memory as
# in template.yaml, a call to AWS takes 6 ms, a batch of fetches waits for its slowest server, and
# CPU is what the bolts take here times 1.6, as a Lambda's processor is slower.
MEMORY_MB = {"frontier": 512, "fetch": 512, "parse": 1024, "links": 512, "index": 1769}
COMPACT_MB = 3008
CALL_MS, FETCH_MS, CPU_MS = 6.0, 1000.0, 1.6
CPU_OF_PAGE_MS = {"frontier": 1.0, "fetch": 3.0, "parse": 8.0, "links": 2.0, "index": 6.0}
ACCOUNT = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The settings of this benchmark."""
    parser.add_argument("--site", default="postgres", metavar="NAME[=FOLDER]", help="as crawl")
    parser.add_argument("--pages", type=int, default=PAGES, help="0 for all")
    parser.add_argument("--batch", type=int, default=INDEX_BATCH, help="documents in a delta")


class Folder:
    """Answers requests from a folder, as a web server would."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """The file that an address names."""
        await asyncio.sleep(0)
        file = self._root / unquote(urlsplit(request.url).path).lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        found = file.is_file() and file.resolve().is_relative_to(self._root)
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if found and request.accept_types and not _accepted(kind, request.accept_types):
            return HttpResponse(
                url=request.url, started_at=time.time(), code=200, fault="content-type"
            )
        body = file.read_bytes() if found else b"not found"
        headers = (("Content-Type", kind), ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"))
        return HttpResponse(
            url=request.url,
            started_at=time.time(),
            code=200 if found else 404,
            headers=(*headers, ("ETag", f'"{len(body):x}"')),
            raw=body,
            body=body,
        )

    async def close(self) -> None:
        """Nothing to let go of."""


def _accepted(kind: str, wanted: tuple[str, ...]) -> bool:
    return any(kind == one or (one[-1] == "*" and kind.startswith(one[:-1])) for one in wanted)


class Sums(Telemetry):
    """Keeps the sums that the handlers tell, and nothing else."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()

    def message(self, stream: Stream, case: Any) -> None:
        """A message that failed ends the benchmark."""
        if case.error is not None:
            raise BenchFailure(f"{stream}: {case.error!r}") from case.error

    def count(self, name: str, by: float = 1) -> None:
        """Add to a sum."""
        self.sums[name] += int(by)


@dataclass
class Stage:
    """A stack, the functions that work in it, and what they took so far."""

    home: AwsHome
    functions: Home
    sums: Sums
    modelled: Counter[str] = field(default_factory=Counter)

    def handlers(self) -> dict[Stream, Callable[[dict[str, Any], object], dict[str, Any]]]:
        """The function of each stream."""
        home = self.home
        opened = IndexHome(
            self.functions, home.index, lambda: retrieval.analyzer_of(home.index), retrieval.WEIGHTS
        )
        streams: tuple[Stream, ...] = ("fetch", "parse", "links", "frontier")
        return {
            **{stream: sqs_handler(stream, lambda: self.functions) for stream in streams},
            "index": index_handler(lambda: opened),
        }

    def invoke(self, stream: Stream, limit: int, handler: Callable[..., dict[str, Any]]) -> int:
        """What Lambda does: receive, call, delete. Returns how many messages there were."""
        queues, calls = self.home.queues, self._calls()
        deliveries: list[Any] = []
        while len(deliveries) < limit:
            some = queues.receive(stream, min(10, limit - len(deliveries)), time.time())
            deliveries += some
            if len(some) < 10:
                break
        if not deliveries:
            return 0
        records = [{"messageId": str(i), "body": d.body.decode()} for i, d in enumerate(deliveries)]
        failed = handler({"Records": records}, None)["batchItemFailures"]
        if failed:
            raise BenchFailure(f"{stream}: {len(failed)} messages failed")
        queues.acknowledge(deliveries)
        self.home.add_states()
        self._model(stream, len(deliveries), self._calls() - calls)
        return len(deliveries)

    def _calls(self) -> int:
        return sum(self.home.meter.calls.values())

    def _model(self, stream: Stream, messages: int, calls: int) -> None:
        wait = FETCH_MS if stream == "fetch" else 0.0
        took = wait + calls * CALL_MS + CPU_MS * messages * CPU_OF_PAGE_MS[stream]
        self.modelled["gbms"] += int(MEMORY_MB[stream] / 1024 * took)
        self.modelled["invocations"] += 1
        self.home.meter.add("wru", 1.0, "stats", "UpdateItem")  # its sums, at the end of each


def crawl(stage: Stage, pages: int, batch: int) -> None:
    """Run until all queues are empty; INDEX waits for full batches until nothing else moves."""
    home, handlers = stage.home, stage.handlers()
    config = JobConfig(
        seeds=["http://docs.test/"],
        delay=0.0,
        max_pages=pages or None,
        contact="http://docs.test/",
    )
    home.jobs.configure(JOB, config, time.time())
    seeds = [Link("http://docs.test/")]
    seeding = LinksFound(job=JOB, source="", depth=0, via="seed", links=seeds)
    home.queues.send([Emission("links", seeding)], time.time())
    waiting = 0
    while True:
        moved = Counter[str]()
        for stream in ("links", "frontier", "fetch", "parse"):
            moved[stream] = stage.invoke(stream, 10, handlers[stream])
        waiting += moved["parse"]
        if waiting >= batch or not any(moved.values()):
            waiting = 0
            if not stage.invoke("index", batch, handlers["index"]) and not any(moved.values()):
                return


@contextmanager
def opened(root: Path) -> Iterator[Stage]:
    """A stack of its own: in moto, or where AWS_ENDPOINT_URL points."""
    with ExitStack() as stack:
        given = {name: os.environ.get(name, value) for name, value in ACCOUNT.items()}
        stack.enter_context(patch.dict(os.environ, given))
        if not os.environ.get("AWS_ENDPOINT_URL"):
            from moto import mock_aws

            stack.enter_context(mock_aws())
        clients = Clients(region=os.environ.get("AWS_DEFAULT_REGION", "us-east-1"))
        name = f"bench-{os.getpid()}"
        urls = create_stack(clients, name)
        home = open_aws_home(name, name, "web", urls, decode=runtime.decode_body, clients=clients)
        ports = runtime.aws_ports(home, Folder(root))
        sums = Sums()
        task = _task(home)
        functions = Home(ports, home.queues, time.time, home.settle, task=task, telemetry=sums)
        home.meter.reset()
        yield Stage(home, functions, sums)


def _task(home: AwsHome) -> Callable[[], Any]:
    @contextmanager
    def task() -> Iterator[None]:
        home.pages.begin()
        try:
            yield
        finally:
            home.pages.end()

    return task


def ask(stage: Stage, words: list[str]) -> list[float]:
    """The read units of queries of two words, each by words that no query had before."""
    time.sleep(SETTLED + 1)  # who asks just after a publication pays twice
    words = Random(1).sample(words, len(words))
    meter = stage.home.meter
    searcher = retrieval.searcher(stage.home)
    searcher.search("warm", limit=10)  # a function loads what is live once, not with each query
    found = []
    for first, second in list(zip(words[::2], words[1::2], strict=False))[:QUERIES]:
        before = meter.totals()["rru"]
        searcher.search(f"{first} {second}", limit=10)
        found.append(meter.totals()["rru"] - before)
    return found


def words_of(stage: Stage, count: int) -> list[str]:
    """Words of the corpus, as people would ask for: of all lengths and frequencies."""
    texts = [document.text for document, _ in stage.home.documents.all()]
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update({word for word in text.lower().split() if word.isalpha() and len(word) > 3})
    common = [word for word, df in seen.most_common() if df >= 3]
    step = max(1, len(common) // count)
    return common[::step][:count]


Units = dict[tuple[str, str, str], float]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a crawl, its index and some queries took."""

    pages: int
    postings: int
    crawled: Units
    compacted: Units
    modelled: Counter[str]
    young: list[float]  # read units of queries before the compaction
    old: list[float]  # and after it
    ranked: tuple[float, float]  # write units a page of a first ranking, and of one after it

    def by_table(self, unit: str) -> dict[str, float]:
        """The units of one kind by table."""
        found: dict[str, float] = defaultdict(float)
        for units in (self.crawled, self.compacted):
            for (kind, table, _), count in units.items():
                if kind == unit:
                    found[table] += count
        return found

    @property
    def writes(self) -> float:
        """Write units a page."""
        return sum(self.by_table("wru").values()) / self.pages

    @property
    def index_writes(self) -> float:
        """Of these for the index: its own tables, and a page's ordinal and pointer."""
        own = (n for table, n in self.by_table("wru").items() if table in INDEX_TABLES)
        return sum(own) / self.pages + 2

    def bill(self) -> Cost:
        """All of it in dollars."""
        kinds = {kind for units in (self.crawled, self.compacted) for kind, _, _ in units}
        return cost(
            {
                **{kind: sum(self.by_table(kind).values()) for kind in kinds},
                **self.modelled,
                "pages": self.pages,
                "postings": self.postings,
                "wru_index": self.index_writes * self.pages,
            },
            predict=1_000_000,
        )

    def record(self) -> dict[str, Any]:
        """Every count, for programs."""
        parts = {"crawl": self.crawled, "compaction": self.compacted}
        return {
            name: {" ".join(key): count for key, count in sorted(units.items())}
            for name, units in parts.items()
        }


def measure(settings: argparse.Namespace) -> Report:
    """Crawl, index, ask, compact, and ask again."""
    (site,) = debian_sites.find([settings.site], settings.cache)
    with opened(site.root) as stage:
        crawl(stage, settings.pages, settings.batch)
        found = _measured(stage)
    bill = found.bill()
    return Report(
        question="cloud",
        rows=_rows(found),
        claims=_claims(found, bill),
        runs=[found.record()],
        summary=_summary(found, bill),
        notes=_notes(found, bill, settings),
    )


def _measured(stage: Stage) -> Measured:
    home, meter = stage.home, stage.home.meter
    crawled = dict(meter.units)
    words = words_of(stage, 2 * QUERIES)
    young = ask(stage, words)
    meter.reset()
    if not compact(home.index):
        raise BenchFailure("there was nothing to compact")
    compacted, pages = dict(meter.units), home.documents.count()
    took = sum(meter.calls.values()) * CALL_MS + pages * CPU_MS * CPU_OF_PAGE_MS["index"]
    stage.modelled.update({"gbms": int(COMPACT_MB / 1024 * took), "invocations": 1})
    old = ask(stage, words)
    postings = stage.sums.sums["Postings"]
    ranked = _rank(stage) / pages, _rank(stage) / pages
    return Measured(pages, postings, crawled, compacted, stage.modelled, young, old, ranked)


def _rank(stage: Stage) -> float:
    """The write units of a ranking, and of indexing what pages are called."""
    stage.home.meter.reset()
    if rank_cloud(stage.home, Weighing(), time.time) is None:
        raise BenchFailure("somebody else ranks")
    handler = stage.handlers()["index"]
    while stage.invoke("index", INDEX_BATCH, handler):
        pass
    follow_cloud(stage.home, time.time)
    return float(stage.home.meter.totals()["wru"])


def _rows(found: Measured) -> list[Row]:
    reads = found.by_table("rru")
    return [
        {
            "table": table,
            "WRU a page": f"{count / found.pages:.2f}",
            "RRU a page": f"{reads.get(table, 0) / found.pages:.2f}",
        }
        for table, count in sorted(found.by_table("wru").items(), key=lambda item: -item[1])
    ]


def _claims(found: Measured, bill: Cost) -> list[Claim]:
    worst = max(*found.young, *found.old)
    return [
        _at_most("write units a page", MAX_WRITES, found.writes),
        _at_most("of these for the index", MAX_INDEX_WRITES, found.index_writes),
        _at_most("$ a million pages", MAX_USD, bill.usd_per_million),
        _at_most("read units of a query of two words, at most", MAX_READS, worst),
    ]


def _at_most(name: str, most: float, got: float) -> Claim:
    return Claim(name, f"<= {most:g}", f"{got:.2f}", got <= most)


def _notes(found: Measured, bill: Cost, settings: argparse.Namespace) -> list[str]:
    other = bill.per_posting
    return [
        f"{found.pages} pages of {settings.site}, batches of {settings.batch}; index: its own"
        " tables, and a unit each for the ordinal and for the pointer of a page; one compaction",
        f"queries: {mean(found.young):.1f} RRU on average before it, {mean(found.old):.1f} after",
        f"with one item per posting ({found.postings / found.pages:.0f} a page): "
        + (f"{other.wru_per_page:.0f} WRU a page, {other.usd_per_million:.0f} $" if other else "?"),
        *(f"{line.name}: {line.usd_per_million:.2f} $ a million pages" for line in bill.lines),
        f"a first ranking: {found.ranked[0]:.1f} WRU a page, and what it names is indexed again;"
        f" one after it, when nothing has changed: {found.ranked[1]:.2f}",
        "Lambda's time is modelled, see the top of scripts/bench/questions/cloud.py",
    ]


def _summary(found: Measured, bill: Cost) -> dict[str, Any]:
    return {
        "pages": found.pages,
        "wru_per_page": found.writes,
        "index_wru_per_page": found.index_writes,
        "usd_per_million_pages": bill.usd_per_million,
        "per_posting_usd_per_million": bill.per_posting.usd_per_million if bill.per_posting else 0,
        "rru_per_query": [mean(found.young), mean(found.old)],
        "max_rru_per_query": max(*found.young, *found.old),
        "ranking_wru_per_page": list(found.ranked),
    }
