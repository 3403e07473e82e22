"""Are the results exact on a site whose answers are known?"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gossamer import homes
from gossamer.search.searcher import Searcher
from gossamer.settings import Settings
from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import require
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row
from scripts.bench.worlds.nginx import LOOPBACK, Server, free_port, serve
from tests.sites.known_answer import QUERIES, address, known_answer_site

PAGES = 10_000  # a search returns at most this many, so that all of them can be compared
SHOWN = 5  # wrong pages


@dataclass(frozen=True, slots=True)
class Answer:
    """The results of one query, compared with the right ones."""

    query: str
    right: int
    total: int
    wrong: list[str]  # pages that are missing or should not be there
    ms: float  # for the first ten

    @property
    def exact(self) -> bool:
        """Whether these are the right pages and their number is right."""
        return not self.wrong and self.total == self.right

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "query": self.query,
            "right": self.right,
            "total": self.total,
            "wrong": len(self.wrong),
            "examples": self.wrong[:SHOWN],
            "ms": round(self.ms, 3),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=PAGES)


def measure(settings: argparse.Namespace) -> Report:
    """Crawl and index the site with the command line, then run all queries."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        data = Path(folder) / "data"
        with _served(Path(folder) / "site", settings) as server:
            origin = server.origin()
            said = _crawl(origin, data, settings)
        with closing(homes.open_home(Settings(data=str(data)), read_only=True)) as home:
            searcher = homes.searcher(home)
            answers = [_ask(searcher, query, origin, settings.pages) for query in QUERIES]
    exact = sum(answer.exact for answer in answers)
    indexed = said["documents"]
    return Report(
        question="known",
        rows=[_row(answer) for answer in answers],
        claims=[
            Claim("pages indexed", str(settings.pages), str(indexed), indexed == settings.pages),
            Claim("queries", "all exact", f"{exact} of {len(answers)}", exact == len(answers)),
        ],
        runs=[answer.record() for answer in answers],
        summary={"pages": settings.pages, "index": said},
    )


@contextmanager
def _served(folder: Path, settings: argparse.Namespace) -> Iterator[Server]:
    """Serve the site. Its links contain the port, so the port is chosen first."""
    port = settings.port or free_port()
    origin = f"http://{LOOPBACK}:{port}"
    folder.mkdir()
    for url, resource in known_answer_site(origin, settings.pages).resources.items():
        (folder / (urlsplit(url).path.lstrip("/") or "index.html")).write_bytes(resource.body)
    with serve({LOOPBACK: folder}, port=port) as server:
        yield server


def _crawl(origin: str, data: Path, settings: argparse.Namespace) -> dict[str, Any]:
    """Crawl and index; returns the report of `gossamer index`."""
    finished, crawled = Gossamer(settings.gossamer, data, settings.limit).crawl([f"{origin}/"])
    if finished.code != 0:
        raise BenchFailure(f"crawl of the known site: exit {finished.code}: {crawled}")
    log(f"crawled in {finished.seconds:.1f} s")
    command = [settings.gossamer, "index", "--data", data, "--json"]
    said: dict[str, Any] = json.loads(require(command, limit=settings.limit))
    return said


def _ask(searcher: Searcher, query: str, origin: str, pages: int) -> Answer:
    right = {address(origin, number) for number in range(pages) if QUERIES[query](number)}
    began = time.perf_counter()
    searcher.search(query)
    taken = 1000 * (time.perf_counter() - began)
    found = searcher.search(query, limit=pages)
    urls = [hit.url for hit in found.hits]
    twice = len(urls) - len(set(urls))
    wrong = sorted(right.symmetric_difference(urls)) + ["found twice"] * twice
    return Answer(query, len(right), found.total, wrong, taken)


def _row(answer: Answer) -> Row:
    return {
        "query": answer.query,
        "right": str(answer.right),
        "found": str(answer.total),
        "wrong": str(len(answer.wrong)),
        "first ten ms": f"{answer.ms:.2f}",
        "exact?": "yes" if answer.exact else "NO",
    }
