"""Does a crawl of 100,000 pages stay as fast and as small?"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.bench.contenders import crawl_runs
from scripts.bench.contenders.crawl_runs import Run
from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import generated_sites
from scripts.bench.worlds.debian_sites import Site, warm
from scripts.bench.worlds.nginx import LOOPBACK, Request, serve

# With 1,000 pages the start of the process would be a good part of the time.
SMALL, LARGE = 3_000, 100_000
MIN_RATIO = 0.8  # throughput of the large crawl over that of the small one
MAX_PEAK_MB = 300.0  # of any one process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", type=int, default=SMALL, help="pages of the small site")
    parser.add_argument("--large", type=int, default=LARGE, help="pages of the large site")
    parser.add_argument("--repeat", type=int, default=1)


def measure(settings: argparse.Namespace) -> Report:
    """Crawl small, large and small again, to show whether the machine became slower."""
    sizes = {"small": settings.small, "large": settings.large}
    generated = {name: _site(settings.cache, pages) for name, pages in sizes.items()}
    order = ["small", "large", "small"] * settings.repeat
    found = [_crawl(name, generated[name], settings) for name in order]
    ratio = _rate(found, "large") / _rate(found, "small")
    return Report(
        question="growth",
        rows=[_row(run) for run in found],
        claims=_claims(found, ratio, sizes),
        runs=[run.record() for run in found],
        summary={
            "sizes": sizes,
            "pages_per_second": {name: round(_rate(found, name), 2) for name in sizes},
            "ratio": round(ratio, 3),
            "peak_mb": max(run.peak_mb for run in found),
        },
        notes=[
            "pages/s by Gossamer's own seconds, fastest runs compared; last tenth: by nginx's log"
        ],
    )


def _site(cache: Path, pages: int) -> Site:
    folder = cache / "generated" / f"linked-{pages}"
    log(f"site of {pages} pages in {folder}")
    return Site(f"{pages} pages", generated_sites.write_linked(folder, pages))


def _crawl(name: str, site: Site, settings: argparse.Namespace) -> Run:
    """Crawl one generated site into an empty folder."""
    warm(site)
    with (
        tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder,
        serve({LOOPBACK: site.root}, port=settings.port, logged=True) as server,
    ):
        gossamer = Gossamer(settings.gossamer, Path(folder) / "data", settings.limit)
        finished, said = gossamer.crawl([f"{server.origin()}/"])
        if finished.code != 0:
            raise BenchFailure(f"crawl of {site.name}: exit {finished.code}: {said}")
        run = Run(
            tool="gossamer",
            site=name,
            pages=len(gossamer.pages(server.origin())),
            seconds=float(said["seconds"]),
            peak_mb=finished.peak_mb,
            detail={
                "wall_seconds": round(finished.seconds, 3),
                "peaks_mb": finished.peaks_mb,
                "last_tenth_rate": round(last_tenth_rate(server.requests()), 2),
                "gossamer": said,
            },
        )
    log(f"{site.name}: {run.seconds:.1f} s, {run.rate:.1f} pages/s, {run.peak_mb:.0f} MB")
    return run


def last_tenth_rate(requests: Sequence[Request]) -> float:
    """Requests per second over the last tenth, when most URLs are known."""
    last = requests[-max(2, len(requests) // 10) :]
    elapsed = last[-1].at - last[0].at if last else 0.0
    return (len(last) - 1) / elapsed if elapsed else 0.0


def _rate(found: Sequence[Run], name: str) -> float:
    """Pages/s of the fastest run: a disturbed small crawl would make the large one look good."""
    return max(run.rate for run in crawl_runs.of(found, "gossamer", name))


def _claims(found: Sequence[Run], ratio: float, sizes: dict[str, int]) -> list[Claim]:
    peak = max(run.peak_mb for run in found)
    complete = all(run.pages == sizes[run.site] for run in found)
    pages = ", ".join(str(run.pages) for run in found)
    name = f"pages/s at {sizes['large']:,} beside {sizes['small']:,} URLs"
    return [
        Claim("every page found", "all", pages, complete),
        at_least(name, MIN_RATIO, ratio, unit=" x"),
        at_most("largest process", MAX_PEAK_MB, peak, ".0f", " MB"),
    ]


def _row(run: Run) -> Row:
    return {
        "site": run.site,
        "pages": str(run.pages),
        "seconds": f"{run.seconds:.2f}",
        "pages/s": f"{run.rate:.1f}",
        "last tenth/s": f"{run.detail['last_tenth_rate']:.1f}",
        "wall seconds": f"{run.detail['wall_seconds']:.2f}",
        "peak MB": f"{run.peak_mb:.0f}",
        "processes": str(len(run.detail["peaks_mb"])),
    }
