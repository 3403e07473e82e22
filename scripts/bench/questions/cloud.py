"""What do a page and a query cost on AWS?

Crawls and indexes part of a real site with the real Lambda handlers, over moto in this process or
over an emulator at AWS_ENDPOINT_URL, and counts read and write units by AWS's published rules; and
then parts of four sites with the delay that a crawl has by default, where batches are small; and
then a generated site whose pages lead to nine new URLs each, of which one is fetched.
Lambda's time is modelled: see contenders/gossamer_on_aws.py.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import Any
from unittest.mock import patch

from gossamer import homes
from gossamer.adapters.aws.packs.joining import ENOUGH, Joiner
from gossamer.batch.compact import compact
from gossamer.core.cost.aws_units import INDEX_TABLES
from gossamer.core.cost.prices import usd
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.cli.stack.cost import Cost, cost
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud
from scripts.bench.contenders.gossamer_on_aws import (
    CPU_OF_PAGE_MS,
    Stack,
    crawl,
    hosts_of,
    open_stack,
)
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import debian_sites
from scripts.bench.worlds.linking_site import ASIDE, LinkingSite

PAGES = 500
SLOW_PAGES = 800
LINKING_PAGES = 300
INDEX_BATCH = 100
MAX_WRITES, MAX_INDEX_WRITES, MAX_READS = 30.0, 13.0, 40.0
MAX_USD, MAX_SLOW_USD = 10.0, 15.0
MAX_JOINING = 0.3
QUERIES = 60
NINE = "nine new links"
HOUR, DAY = 3600.0, 86_400.0
FOUR = ("python", "postgres", "openjdk", "cppreference")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", default="postgres", metavar="NAME[=FOLDER]", help="as crawl")
    parser.add_argument("--pages", type=int, default=PAGES, help="0 for all")
    parser.add_argument("--batch", type=int, default=INDEX_BATCH, help="documents in a segment")
    debian_sites.add_sites(parser, FOUR)
    parser.add_argument("--slow-pages", type=int, default=SLOW_PAGES, help="of the four; 0 to skip")
    parser.add_argument(
        "--linking-pages", type=int, default=LINKING_PAGES, help="with nine new links; 0 to skip"
    )


def ask(stack: Stack, words: list[str]) -> list[float]:
    """The read units of queries of two words; no word is asked twice, so nothing is cached."""
    words = Random(1).sample(words, len(words))
    meter = stack.home.meter
    searcher = homes.searcher(stack.home)
    searcher.search("warm", limit=10)  # a function opens the segments once
    found = []
    for first, second in list(zip(words[::2], words[1::2], strict=False))[:QUERIES]:
        before = meter.totals()["rru"]
        searcher.search(f"{first} {second}", limit=10)
        found.append(meter.totals()["rru"] - before)
    return found


def words_of(stack: Stack, count: int) -> list[str]:
    """Words of the corpus that three documents or more have, from frequent to rare."""
    pages = stack.home.documents.all()
    texts = [document.text for page in pages for document in page.documents.values()]
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update({word for word in text.lower().split() if word.isalpha() and len(word) > 3})
    common = [word for word, df in seen.most_common() if df >= 3]
    step = max(1, len(common) // count)
    return common[::step][:count]


Units = dict[tuple[str, str, str], float]


@dataclass(frozen=True, slots=True)
class Measured:
    """The units of a crawl, its indexing, a compaction, rankings and queries."""

    pages: int
    postings: int
    crawled: Units
    compacted: Units
    joined: Units
    modelled: Counter[str]
    invoked: Counter[str]  # functions, by stream, while crawling
    gbms: Counter[str]
    cpu: Counter[str]  # milliseconds of this processor
    reads_before: list[float]  # read units of each query, before the compaction
    reads_after: list[float]
    ranked: tuple[float, float]  # write units a page, first ranking and second

    def by_table(self, unit: str) -> dict[str, float]:
        """The units of one kind by table."""
        found: dict[str, float] = defaultdict(float)
        for units in (self.crawled, self.compacted, self.joined):
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
        """Write units a page for the tables of the index."""
        own = (n for table, n in self.by_table("wru").items() if table in INDEX_TABLES)
        return sum(own) / self.pages

    def bill(self) -> Cost:
        """The cost in dollars."""
        parts = (self.crawled, self.compacted, self.joined)
        kinds = {kind for units in parts for kind, _, _ in units}
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

    @property
    def joining(self) -> float:
        """Dollars for joining the WARC objects of a million pages, without Lambda's time."""
        totals: dict[str, float] = defaultdict(float)
        for (kind, _, _), count in self.joined.items():
            totals[kind] += count
        return usd(totals) / self.pages * 1_000_000

    def record(self) -> dict[str, Any]:
        """Every count, for the JSON report."""
        parts = {"crawl": self.crawled, "compaction": self.compacted, "joining": self.joined}
        return {
            name: {" ".join(key): count for key, count in sorted(units.items())}
            for name, units in parts.items()
        }


def measure(settings: argparse.Namespace) -> Report:
    """Crawl, index, ask, compact, and ask again: at once, with delays, and with more links."""
    fast = _crawled([settings.site], settings, settings.pages, delay=0.0)
    found = {"delay 0": fast}
    if settings.slow_pages:
        delay = JobConfig().delay
        found["four hosts"] = _crawled(settings.sites, settings, settings.slow_pages, delay)
    if settings.linking_pages:
        found[NINE] = _linking(settings.linking_pages, settings.batch)
    bills = {name: measured.bill() for name, measured in found.items()}
    return Report(
        question="cloud",
        rows=_rows(found),
        claims=_claims(found, bills),
        runs=[measured.record() for measured in found.values()],
        summary=_summary(fast, bills),
        notes=[note for name in found for note in _notes(name, found[name], bills[name])]
        + ["Lambda's time is modelled: see scripts/bench/contenders/gossamer_on_aws.py"],
    )


def _crawled(
    sites: Sequence[str], settings: argparse.Namespace, pages: int, delay: float
) -> Measured:
    hosts = hosts_of(debian_sites.find(sites, settings.cache), pages)
    with open_stack(hosts) as stack:
        crawl(stack, [f"http://{host}/" for host in hosts], settings.batch, delay)
        return _measured(stack)


def _linking(pages: int, batch: int) -> Measured:
    host = "linking.test"
    with open_stack({host: LinkingSite(host, pages)}) as stack:
        crawl(stack, [f"http://{host}/"], batch, 0.0, exclude=[ASIDE])
        return _measured(stack)


def _measured(stack: Stack) -> Measured:
    home, meter = stack.home, stack.home.meter
    crawled, invoked = dict(meter.units), Counter(stack.invoked)
    gbms, cpu = Counter(stack.gbms), Counter(stack.cpu)
    words = words_of(stack, 2 * QUERIES)
    reads_before = ask(stack, words)
    meter.reset()
    if not compact(homes.index_writer(home, stack.clock), whole=True):
        raise BenchFailure("nothing to compact")
    compacted, pages = dict(meter.units), home.documents.count().pages
    stack.model_compaction(pages)
    joined = _join(stack)
    reads_after = ask(stack, words)
    postings = stack.sums.sums["Postings"]
    counts = (
        Counter(stack.modelled),
        invoked,
        gbms,
        cpu,
    )  # before the rankings, which are told apart
    ranked = _rank(stack) / pages, _rank(stack) / pages
    return Measured(
        pages, postings, crawled, compacted, joined, *counts, reads_before, reads_after, ranked
    )


def _join(stack: Stack) -> Units:
    """Join all WARC objects into one pack, smaller than others are, and delete them."""
    home, now = stack.home, time.time() + HOUR
    size = sum(size for _, size in home.pages.archived())
    home.meter.reset()
    with patch.object(Joiner, "enough", min(size, ENOUGH)):
        home.pages.join_small(now, lambda: True)
        home.pages.join_small(now + 2 * DAY, lambda: True)
    stack.model_joining()
    return dict(home.meter.units)


def _rank(stack: Stack) -> float:
    """The write units of a ranking and of indexing the anchor names it found."""
    stack.home.meter.reset()
    if rank_cloud(stack.home, Weighing(), stack.clock) is None:
        raise BenchFailure("another process holds the ranking lease")
    stack.run(INDEX_BATCH)
    return float(stack.home.meter.totals()["wru"])


def _rows(found: dict[str, Measured]) -> list[Row]:
    writes = {name: measured.by_table("wru") for name, measured in found.items()}
    reads = {name: measured.by_table("rru") for name, measured in found.items()}
    (first, *_) = found
    tables = sorted(writes[first], key=lambda table: -writes[first][table])
    return [
        {
            "table": table,
            **{
                f"{unit} a page, {name}": f"{units[name].get(table, 0) / found[name].pages:.2f}"
                for name in found
                for unit, units in (("WRU", writes), ("RRU", reads))
            },
        }
        for table in tables
    ]


def _claims(found: dict[str, Measured], bills: dict[str, Cost]) -> list[Claim]:
    fast, *slow = found
    measured = found[fast]
    worst = max(*measured.reads_before, *measured.reads_after)
    return [
        at_most("write units a page", MAX_WRITES, measured.writes),
        at_most("of these for the index", MAX_INDEX_WRITES, measured.index_writes),
        at_most("$ a million pages", MAX_USD, bills[fast].usd_per_million),
        *(
            at_most(f"$ a million pages, {name}", MAX_SLOW_USD, bills[name].usd_per_million)
            for name in slow
            if name != NINE  # of which no price was promised
        ),
        at_most("$ a million pages for joining WARC objects", MAX_JOINING, measured.joining),
        at_most("read units of a query of two words, at most", MAX_READS, worst),
    ]


def _notes(name: str, found: Measured, bill: Cost) -> list[str]:
    other, pages = bill.per_posting, found.pages
    return [
        f"{name}: {pages} pages; one compaction; {mean(found.reads_before):.1f} RRU a query before"
        f" it, {mean(found.reads_after):.1f} after",
        f"with one item per posting ({found.postings / pages:.0f} a page): "
        + (f"{other.wru_per_page:.0f} WRU a page, {other.usd_per_million:.0f} $" if other else "?"),
        *(f"{line.name}: {line.usd_per_million:.2f} $ a million pages" for line in bill.lines),
        "pages in a call: "
        + ", ".join(f"{stream} {pages / count:.1f}" for stream, count in found.invoked.items()),
        "GB-s for a thousand pages: "
        + ", ".join(f"{stream} {count / pages:.0f}" for stream, count in found.gbms.items()),
        "our CPU time of a page, ms (assumed): "
        + ", ".join(
            f"{stream} {count / pages:.1f} ({CPU_OF_PAGE_MS[stream]:g})"
            for stream, count in found.cpu.items()
        ),
        f"joining WARC objects: {found.joining:.3f} $ a million pages, without Lambda's time",
        f"first ranking: {found.ranked[0]:.1f} WRU a page, with indexing the pages it names;"
        f" a second one, when nothing has changed: {found.ranked[1]:.2f}",
    ]


def _summary(found: Measured, bills: dict[str, Cost]) -> dict[str, Any]:
    bill = next(iter(bills.values()))
    return {
        "pages": found.pages,
        "wru_per_page": found.writes,
        "index_wru_per_page": found.index_writes,
        "usd_per_million_pages": {name: b.usd_per_million for name, b in bills.items()},
        "per_posting_usd_per_million": bill.per_posting.usd_per_million if bill.per_posting else 0,
        "rru_per_query": [mean(found.reads_before), mean(found.reads_after)],
        "max_rru_per_query": max(*found.reads_before, *found.reads_after),
        "ranking_wru_per_page": list(found.ranked),
    }
