"""The crawlers that are compared, and how each one crawls a site."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.contenders import scrapy_and_wget
from scripts.bench.contenders.crawl_runs import Run
from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.machine.processes import Finished
from scripts.bench.worlds.crawl_difference import compare
from scripts.bench.worlds.reachable_pages import Reachable

SCRAPY_MAX_PAGES = {"openjdk": 3000}  # all 10,137 would take it minutes per repetition
WGET_BROKEN_LINK = 8  # its exit code after a broken link


@dataclass(frozen=True, slots=True)
class Task:
    """One site to crawl, the pages it has, and where the programs are."""

    site: str
    origin: str
    wanted: Reachable
    gossamer: Path
    cache: Path
    limit: float

    @property
    def seed(self) -> str:
        """Where every crawl starts."""
        return f"{self.origin}/"


def by_gossamer(task: Task, folder: Path) -> Run:
    """Crawl with Gossamer and compare the exported pages and edges with the site's."""
    gossamer = Gossamer(task.gossamer, folder / "data", task.limit)
    finished, said = gossamer.crawl([task.seed])
    detail: dict[str, object] = {
        "gossamer": said,
        "differences": [f"no crawl to compare: exit {finished.code}"],
    }
    held = 0
    if finished.code == 0:
        pages = gossamer.pages(task.origin)
        detail["differences"] = compare(task.wanted, pages, gossamer.edges(task.origin)).lines()
        held = len(pages & task.wanted.pages.keys())
    return _run("gossamer", task, held, finished, detail)


def by_scrapy(task: Task, folder: Path) -> Run:
    """Crawl with Scrapy as a beginner writes it; of the largest site only a part."""
    return _by_scrapy("scrapy", task, folder)


def by_tuned_scrapy(task: Task, folder: Path) -> Run:
    """Crawl with Scrapy without repeated links; of the largest site only a part."""
    return _by_scrapy("scrapy-tuned", task, folder)


def _by_scrapy(tool: str, task: Task, folder: Path) -> Run:
    most = SCRAPY_MAX_PAGES.get(task.site, 0)
    program = scrapy_and_wget.scrapy_program(task.cache)
    finished = scrapy_and_wget.scrapy_crawl(
        program,
        task.seed,
        folder,
        limit=task.limit,
        max_pages=most,
        is_tuned=tool == "scrapy-tuned",
    )
    return _run(tool, task, scrapy_and_wget.stored_pages(folder), finished, {"max_pages": most})


def by_wget(task: Task, folder: Path) -> Run:
    """Crawl with wget."""
    finished = scrapy_and_wget.wget_crawl(task.seed, folder, limit=task.limit)
    return _run("wget", task, scrapy_and_wget.stored_pages(folder), finished, {})


CONTENDERS: dict[str, Callable[[Task, Path], Run]] = {
    "gossamer": by_gossamer,
    "scrapy": by_scrapy,
    "scrapy-tuned": by_tuned_scrapy,
    "wget": by_wget,
}


def _run(tool: str, task: Task, pages: int, finished: Finished, detail: dict[str, object]) -> Run:
    return Run(
        tool=tool,
        site=task.site,
        pages=pages,
        seconds=finished.seconds,
        peak_mb=finished.peak_mb,
        fault=_fault(tool, task, pages, finished),
        detail=detail,
    )


def _fault(tool: str, task: Task, pages: int, finished: Finished) -> str:
    """Why the rate of this run means nothing: the tool failed or stopped early."""
    if finished.code is None:
        return "ran into the time limit"
    if finished.code not in ({0, WGET_BROKEN_LINK} if tool == "wget" else {0}):
        return f"ended with exit code {finished.code}"
    least = _least(tool, task)
    return f"stored {pages} pages, not {least} or more" if pages < least else ""


def _least(tool: str, task: Task) -> int:
    """How many pages a complete crawl stores. wget stores `/` and `/index.html` once."""
    most = SCRAPY_MAX_PAGES.get(task.site, 0) if tool.startswith("scrapy") else 0
    if not most:
        return task.wanted.distinct
    # Scrapy's limit also counts robots.txt and responses that are not pages.
    return min(task.wanted.distinct, most - len(task.wanted.others) - 1)
