"""How long do facets, sorting and filters take when every document matches?

100,000 short documents with six declared columns (20,000 sellers, 2,000 brands, up to three of
seven tags, prices in two currencies, dates of 27 years, a truth) on 12,000 hosts, in one segment or
few. In process, ten results with snippets; CPU time, the first time and the median of the others.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from gossamer import homes
from gossamer.core.collection import CollectionSettings
from gossamer.core.index.declared import Column
from gossamer.core.page.document import Document
from gossamer.core.page.values import Date, Money
from gossamer.core.search.result import How
from gossamer.core.urls import url_id
from gossamer.search.searcher import Searcher
from gossamer.settings import Settings
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import run
from scripts.bench.report import Report, Row, at_most

DOCUMENTS = 100_000
TIMES = 15
MAX_FACETS, MAX_URL = 15.0, 20.0  # ms
COLUMNS = {
    "seller": Column(type="keyword", facet=True),
    "brand": Column(type="keyword", facet=True, sort=True),
    "tags": Column(type="keywords", facet=True),
    "price": Column(type="money", facet=True, sort=True),
    "made": Column(type="date", facet=True, sort=True),
    "new": Column(type="bool", facet=True),
}
TAGS = ("silk", "wool", "linen", "cotton", "hemp", "jute", "felt")
FIVE = ("brand", "tags", "price_currency", "made", "new")
ASKED: dict[str, tuple[str, How]] = {
    "exact total, nothing counted": ("cloth", {"exact_total": True}),
    "five facets": ("cloth", {"facets": FIVE}),
    "five facets, of many values": (
        *("cloth",),
        {"facets": ("seller", "site", "domain", "lang", "made")},
    ),
    "sorted by price": ("cloth", {"sort": "-price"}),
    "sorted by brand": ("cloth", {"sort": "brand"}),
    "price:10..500, five facets": ("cloth price:10..500", {"facets": FIVE}),
    "url: substring, 1 in 100": ("url:/77/", {}),
    "cloth and url: substring": ("cloth url:/77/", {}),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the collection")


def measure(settings: argparse.Namespace) -> Report:
    """Make and index the collection, then ask each query several times."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        _index(settings, Path(folder) / "data")
        opened = Settings(data=str(Path(folder) / "data"))
        with closing(homes.open_home(opened, read_only=True)) as home:
            searcher = homes.searcher(home)
            runs = [_timed(searcher, name, *asked) for name, asked in ASKED.items()]
    facets = max(run["ms"] for run in runs if "facets" in run["query"])
    urls = max(run["ms"] for run in runs if "url:" in run["query"])
    return Report(
        question="columns",
        rows=[_row(run) for run in runs],
        claims=[
            at_most("facets over five columns", MAX_FACETS, facets, unit=" ms"),
            at_most("a substring of addresses", MAX_URL, urls, unit=" ms"),
        ],
        runs=runs,
        summary={"documents": settings.documents, "times": TIMES},
        notes=["CPU time of a whole query with ten results"],
    )


def _index(settings: argparse.Namespace, data: Path) -> None:
    with closing(homes.open_home(Settings(data=str(data)))) as home:
        home.settings.put(CollectionSettings(version=1, columns=COLUMNS))
        for document in _documents(settings.documents):
            home.documents.put(url_id(document.url), [document], 1.0)
        home.commit()
    finished = run([settings.gossamer, "index", "--data", data, "--json"], limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"index: exit {finished.code}: {finished.errors[-500:]}")


def _documents(count: int) -> Iterator[Document]:
    chance = Random(1)
    for number in range(count):
        host = f"shop{number % 12_000}.example{number % 300}.test"
        price, euros = round(chance.lognormvariate(4.0, 1.5), 2), chance.random() < 0.6
        year, month = chance.randrange(1998, 2025), chance.randrange(1, 13)
        yield Document(
            url=f"http://{host}/{number % 100}/{number}",
            title=f"Cloth {number}",
            text=f"Cloth number {number} of lot {number // 7}. It is sold by the yard.",
            language=chance.choice(("en", "de", "fr")),
            values={
                "seller": f"seller {chance.randrange(20_000)}",
                "brand": f"brand {chance.randrange(2_000)}",
                "tags": chance.sample(TAGS, chance.randrange(1, 4)),
                "price": Money(price, "EUR" if euros else "USD"),
                "made": Date(f"{year}-{month:02}-01"),
                "new": chance.random() < 0.5,
            },
        )


def _timed(searcher: Searcher, name: str, query: str, how: How) -> dict[str, Any]:
    taken = []
    for _ in range(TIMES + 1):
        began = time.process_time()
        total = searcher.search(query, **how).total
        taken.append(1000 * (time.process_time() - began))
    return {"query": name, "ms": median(taken[1:]), "first_ms": taken[0], "total": total}


def _row(run: dict[str, Any]) -> Row:
    return {
        "query": run["query"],
        "CPU ms": f"{run['ms']:.2f}",
        "first time": f"{run['first_ms']:.1f}",
        "match": f"{run['total']:,}",
    }
