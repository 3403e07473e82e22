"""What do a page and a query cost on AWS?

Crawls and indexes part of a real site with the real Lambda handlers, over moto in this process or
over an emulator at AWS_ENDPOINT_URL, and counts read and write units by AWS's published rules.
Lambda's time is modelled: see contenders/gossamer_on_aws.py.
"""

import argparse
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import Any

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.core.cost.aws_units import INDEX_TABLES
from gossamer.entrypoints.cli.stack.cost import Cost, cost
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud
from scripts.bench.contenders.gossamer_on_aws import Stack, crawl, open_stack
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import debian_sites

PAGES = 500
INDEX_BATCH = 100
MAX_WRITES, MAX_INDEX_WRITES, MAX_USD, MAX_READS = 30.0, 13.0, 25.0, 40.0
QUERIES = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", default="postgres", metavar="NAME[=FOLDER]", help="as crawl")
    parser.add_argument("--pages", type=int, default=PAGES, help="0 for all")
    parser.add_argument("--batch", type=int, default=INDEX_BATCH, help="documents in a segment")


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
    modelled: Counter[str]
    reads_before: list[float]  # read units of each query, before the compaction
    reads_after: list[float]
    ranked: tuple[float, float]  # write units a page, first ranking and second

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
        """Write units a page for the tables of the index."""
        own = (n for table, n in self.by_table("wru").items() if table in INDEX_TABLES)
        return sum(own) / self.pages

    def bill(self) -> Cost:
        """The cost in dollars."""
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
        """Every count, for the JSON report."""
        parts = {"crawl": self.crawled, "compaction": self.compacted}
        return {
            name: {" ".join(key): count for key, count in sorted(units.items())}
            for name, units in parts.items()
        }


def measure(settings: argparse.Namespace) -> Report:
    """Crawl, index, ask, compact, and ask again."""
    (site,) = debian_sites.find([settings.site], settings.cache)
    with open_stack(site.root) as stack:
        crawl(stack, settings.pages, settings.batch)
        found = _measured(stack)
    bill = found.bill()
    return Report(
        question="cloud",
        rows=_rows(found),
        claims=_claims(found, bill),
        runs=[found.record()],
        summary=_summary(found, bill),
        notes=_notes(found, bill, settings),
    )


def _measured(stack: Stack) -> Measured:
    home, meter = stack.home, stack.home.meter
    crawled = dict(meter.units)
    words = words_of(stack, 2 * QUERIES)
    reads_before = ask(stack, words)
    meter.reset()
    if not compact(homes.index_writer(home), whole=True):
        raise BenchFailure("nothing to compact")
    compacted, pages = dict(meter.units), home.documents.count().pages
    stack.model_compaction(pages)
    reads_after = ask(stack, words)
    postings = stack.sums.sums["Postings"]
    ranked = _rank(stack) / pages, _rank(stack) / pages
    return Measured(
        pages, postings, crawled, compacted, stack.modelled, reads_before, reads_after, ranked
    )


def _rank(stack: Stack) -> float:
    """The write units of a ranking and of indexing the anchor names it found."""
    stack.home.meter.reset()
    if rank_cloud(stack.home, Weighing(), time.time) is None:
        raise BenchFailure("another process holds the ranking lease")
    handler = stack.handlers()["index"]
    while stack.invoke("index", INDEX_BATCH, handler):
        pass
    return float(stack.home.meter.totals()["wru"])


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
    worst = max(*found.reads_before, *found.reads_after)
    return [
        at_most("write units a page", MAX_WRITES, found.writes),
        at_most("of these for the index", MAX_INDEX_WRITES, found.index_writes),
        at_most("$ a million pages", MAX_USD, bill.usd_per_million),
        at_most("read units of a query of two words, at most", MAX_READS, worst),
    ]


def _notes(found: Measured, bill: Cost, settings: argparse.Namespace) -> list[str]:
    other = bill.per_posting
    return [
        f"{found.pages} pages of {settings.site}, batches of {settings.batch}; index: its own"
        " tables; one compaction",
        f"queries: {mean(found.reads_before):.1f} RRU on average before it,"
        f" {mean(found.reads_after):.1f} after",
        f"with one item per posting ({found.postings / found.pages:.0f} a page): "
        + (f"{other.wru_per_page:.0f} WRU a page, {other.usd_per_million:.0f} $" if other else "?"),
        *(f"{line.name}: {line.usd_per_million:.2f} $ a million pages" for line in bill.lines),
        f"first ranking: {found.ranked[0]:.1f} WRU a page, with indexing the pages it names;"
        f" a second one, when nothing has changed: {found.ranked[1]:.2f}",
        "Lambda's time is modelled: see scripts/bench/contenders/gossamer_on_aws.py",
    ]


def _summary(found: Measured, bill: Cost) -> dict[str, Any]:
    return {
        "pages": found.pages,
        "wru_per_page": found.writes,
        "index_wru_per_page": found.index_writes,
        "usd_per_million_pages": bill.usd_per_million,
        "per_posting_usd_per_million": bill.per_posting.usd_per_million if bill.per_posting else 0,
        "rru_per_query": [mean(found.reads_before), mean(found.reads_after)],
        "max_rru_per_query": max(*found.reads_before, *found.reads_after),
        "ranking_wru_per_page": list(found.ranked),
    }
