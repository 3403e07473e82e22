"""How soon after its fetch is a page found, and what does that cost the crawl?

A site is crawled at a steady pace while the index is watched; then at full speed, indexed beside
the crawl, and in turns crawled first and indexed after.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from gossamer import homes
from gossamer.core.errors import GossamerError
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.ports.home import Home
from gossamer.settings import Settings
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import run
from scripts.bench.machine.progress import log
from scripts.bench.machine.running import Running
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import debian_sites
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.nginx import LOOPBACK, serve

MOST_SECONDS = 5.0  # from a fetch until the page is found, at the slowest
MOST_COST = 1.0  # times as long as one after the other
LOOK_EVERY = 0.05  # seconds


@dataclass(frozen=True, slots=True)
class Watched:
    """A crawl at a steady pace."""

    site: str
    pages: int
    rate: float  # pages a second
    seconds: list[float]  # from fetch to findable, ascending

    def share(self, part: float) -> float:
        """How long it took at most for such a part of the pages."""
        return self.seconds[min(len(self.seconds) - 1, int(part * len(self.seconds)))]


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl at full speed, until all is findable."""

    how: str
    site: str
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    debian_sites.add_sites(parser, ("openjdk",))
    parser.add_argument("--pace", type=float, default=200.0, help="pages a second (200)")
    parser.add_argument("--repeat", type=int, default=3)


def measure(settings: argparse.Namespace) -> Report:
    """Watch one crawl of every site, then time some."""
    watched: list[Watched] = []
    runs: list[Run] = []
    for site in debian_sites.find(settings.sites, settings.cache):
        with serve({LOOPBACK: site.root}, port=settings.port) as server:
            seed = f"{server.origin()}/"
            watched.append(_watch(site, seed, settings))
            for _ in range(settings.repeat):
                runs += _timed(site, seed, settings)
    return Report(
        question="live",
        rows=[*map(_watched_row, watched), *_run_rows(runs)],
        claims=[*map(_claim, watched), *_cost_claims(runs)],
        runs=[asdict(each) for each in runs],
        summary={w.site: {f"p{n}": w.share(n / 100) for n in (50, 99, 100)} for w in watched},
        notes=["from the moment of the fetch to a published manifest that has the page"],
    )


def _crawl(seed: str, data: str, settings: argparse.Namespace, *flags: str) -> list[str | Path]:
    where = ["--data", data, "--allow-private", "--json", "--quiet"]
    return [settings.gossamer, "crawl", seed, *where, *flags]


def _watch(site: Site, seed: str, settings: argparse.Namespace) -> Watched:
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as data:
        began = time.time()
        running = Running(_crawl(seed, data, settings, "--delay", str(1 / settings.pace)))
        found: dict[bytes, float] = {}
        while running.is_alive():
            _look(data, found)
            time.sleep(LOOK_EVERY)
        took = time.time() - began
        _look(data, found)
        if running.end() != 0 or not found:
            raise BenchFailure(f"the crawl of {site.name} failed: {running.said()}")
    log(f"{site.name}: {len(found)} pages in {took:.1f} s")
    return Watched(site.name, len(found), len(found) / took, sorted(found.values()))


def _look(data: str, found: dict[bytes, float]) -> None:
    """Note how old the pages are that were not found before."""
    try:
        home = homes.open_home(Settings(data=data), read_only=True)
    except GossamerError:  # the crawl has not made it yet
        return
    try:
        for id, fetched_at in _documents(home):
            if id not in found:
                found[id] = time.time() - fetched_at
    finally:
        home.close()


def _documents(home: Home) -> Iterator[tuple[bytes, float]]:
    opened = OpenSegments(home.index.read)
    for info in home.index.manifest().segments:
        known = opened.segment(info).identities
        yield from zip(known.ids.tolist(), known.versions.tolist(), strict=True)


def _timed(site: Site, seed: str, settings: argparse.Namespace) -> Iterator[Run]:
    for how, flags in (("beside", ()), ("after", ("--no-index",))):
        with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as data:
            began = time.perf_counter()
            _must(_crawl(seed, data, settings, "--delay", "0", *flags), settings)
            if flags:
                _must([settings.gossamer, "index", "--data", data, "--json"], settings)
            seconds = time.perf_counter() - began
        log(f"{site.name}, indexed {how}: {seconds:.1f} s")
        yield Run(how, site.name, seconds)


def _must(command: Sequence[str | Path], settings: argparse.Namespace) -> None:
    finished = run(command, limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"{command[1]}: exit {finished.code}: {finished.errors[-500:]}")


def _watched_row(watched: Watched) -> Row:
    shown = {f"p{n}": f"{watched.share(n / 100):.2f} s" for n in (50, 99, 100)}
    return {"site": watched.site, "what": f"{watched.rate:.0f} pages/s, until found", **shown}


def _medians(runs: Sequence[Run]) -> dict[tuple[str, str], float]:
    keys = dict.fromkeys((each.site, each.how) for each in runs)
    return {key: median([r.seconds for r in runs if (r.site, r.how) == key]) for key in keys}


def _run_rows(runs: Sequence[Run]) -> list[Row]:
    return [
        {
            "site": site,
            "what": f"full speed, indexed {how} the crawl",
            "p50": f"{seconds:.1f} s",
            "p99": "",
            "p100": "",
        }
        for (site, how), seconds in _medians(runs).items()
    ]


def _claim(watched: Watched) -> Claim:
    name = f"{watched.site}: p99 from fetch to findable"
    return at_most(name, MOST_SECONDS, watched.share(0.99), unit=" s")


def _cost_claims(runs: Sequence[Run]) -> Iterator[Claim]:
    found = _medians(runs)
    for site in dict.fromkeys(each.site for each in runs):
        ratio = found[site, "beside"] / found[site, "after"]
        yield at_most(f"{site}: beside the crawl, to one after the other", MOST_COST, ratio)
