"""How fast do WARC files become searchable?"""

import argparse
import json
import resource
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.bench.contenders import scrapy_and_wget
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import run
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least
from scripts.bench.worlds import debian_sites, site_warcs
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.nginx import LOOPBACK, serve
from scripts.bench.worlds.site_warcs import SiteWarc

MIN_GAIN = 2.5  # times the pages/s of the version before
MIN_OVER_WGET = 1000 / 450  # times the pages/s of wget -r, which only stores them


@dataclass(frozen=True, slots=True)
class Run:
    """One program, one site, once."""

    program: str
    site: str
    pages: int
    seconds: float
    cpu_seconds: float
    peak_mb: float  # of the largest process

    @property
    def rate(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    debian_sites.add_sites(parser, ("openjdk",))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--before", type=Path, metavar="GOSSAMER", help="another version, measured in turns"
    )


def measure(settings: argparse.Namespace) -> Report:
    """Index the WARC files of every site with every program, `repeat` times in turns."""
    runs = [
        found
        for site in debian_sites.find(settings.sites, settings.cache)
        for found in _of_site(site, settings)
    ]
    medians = _medians(runs)
    return Report(
        question="warc",
        rows=[_row(found) for found in medians.values()],
        claims=[claim for site in {r.site: 0 for r in runs} for claim in _claims(medians, site)],
        runs=[asdict(found) for found in runs],
        summary={f"{program} {site}": asdict(r) for (program, site), r in medians.items()},
        notes=[
            "from the start of the process to a compacted index, parsing included; the median of"
            f" {settings.repeat}; wget -r stores the same pages from nginx and reads only links"
        ],
    )


def _of_site(site: Site, settings: argparse.Namespace) -> Iterator[Run]:
    warc = site_warcs.warc_of(site, settings)
    programs = {"this": settings.gossamer}
    if settings.before:
        programs = {"before": settings.before.absolute(), **programs}
    for _ in range(settings.repeat):
        for name, program in programs.items():
            yield _index(name, program, site, warc, settings)
        yield _wget(site, warc, settings)


def _index(
    name: str, program: Path, site: Site, warc: SiteWarc, settings: argparse.Namespace
) -> Run:
    before = _cpu_seconds()
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as data:
        arguments = ["index", "--data", data, "--json", *map(str, warc.files)]
        finished = run([program, *arguments], limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"index of {site.name}: exit {finished.code}: {finished.errors}")
    documents = json.loads(finished.output)["documents"]
    if documents < 0.99 * warc.pages:  # pages with the same bytes are one document
        raise BenchFailure(f"{site.name}: {documents} of {warc.pages} pages indexed")
    cpu = _cpu_seconds() - before
    return _told(Run(name, site.name, warc.pages, finished.seconds, cpu, finished.peak_mb))


def _wget(site: Site, warc: SiteWarc, settings: argparse.Namespace) -> Run:
    before = _cpu_seconds()
    with (
        tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder,
        serve({LOOPBACK: site.root}, port=settings.port) as server,
    ):
        done = scrapy_and_wget.wget_crawl(f"{server.origin()}/", Path(folder), limit=settings.limit)
        pages = scrapy_and_wget.stored_pages(Path(folder))
    if pages < 0.99 * warc.pages:  # `/` and `/index.html` are one file
        raise BenchFailure(f"wget stored {pages} of {warc.pages} pages of {site.name}")
    cpu = _cpu_seconds() - before
    return _told(Run("wget -r", site.name, warc.pages, done.seconds, cpu, done.peak_mb))


def _told(found: Run) -> Run:
    log(f"{found.program}, {found.site}: {found.seconds:.1f} s, {found.cpu_seconds:.1f} s CPU")
    return found


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _medians(runs: list[Run]) -> dict[tuple[str, str], Run]:
    """The median run of each program and site, by seconds."""
    keys = dict.fromkeys((found.program, found.site) for found in runs)
    grouped = {key: [r for r in runs if (r.program, r.site) == key] for key in keys}
    return {
        key: sorted(found, key=lambda run: run.seconds)[len(found) // 2]
        for key, found in grouped.items()
    }


def _claims(found: dict[tuple[str, str], Run], site: str) -> list[Claim]:
    rate = found["this", site].rate
    over_wget = rate / found["wget -r", site].rate
    claims = [at_least(f"{site}: times the pages/s of wget -r", round(MIN_OVER_WGET, 2), over_wget)]
    if before := found.get(("before", site)):
        gain = rate / before.rate
        claims.insert(0, at_least(f"{site}: times the pages/s of before", MIN_GAIN, gain))
    return claims


def _row(found: Run) -> Row:
    return {
        "program": found.program,
        "site": found.site,
        "pages": str(found.pages),
        "seconds": f"{found.seconds:.1f}",
        "pages/s": f"{found.rate:.0f}",
        "CPU s": f"{found.cpu_seconds:.1f}",
        "peak MB": f"{found.peak_mb:.0f}",
    }
