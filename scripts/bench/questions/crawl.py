"""How fast is a crawl of real sites, beside Scrapy (plain and tuned) and wget?

Every tool crawls every site. Gossamer's pages and links are compared with those on disk.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.bench.contenders import crawl_runs, scrapy_and_wget
from scripts.bench.contenders.crawl_runs import Run
from scripts.bench.contenders.crawlers import CONTENDERS, SCRAPY_MAX_PAGES, Task
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row
from scripts.bench.worlds import debian_sites
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.nginx import LOOPBACK, serve
from scripts.bench.worlds.reachable_pages import Reachable, walk

# Times Scrapy's pages per second. Pages of many links cost Scrapy most: python has most.
TARGETS = {"python": 5.0, "postgres": 3.0, "openjdk": 3.0}
OTHER_TARGET = 3.0
TUNED = "scrapy-tuned"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    debian_sites.add_sites(parser)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tools", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))


def measure(settings: argparse.Namespace) -> Report:
    """Crawl every site with every tool, `repeat` times."""
    found: list[Run] = []
    notes: list[str] = []
    chosen = debian_sites.find(settings.sites, settings.cache)
    for site in chosen:
        log(f"{site.name}: {debian_sites.warm(site) / 1e6:.1f} MB read; listing its pages")
        wanted = walk(site.root)
        notes.append(_inventory(site, wanted))
        found += _crawl(site, wanted, settings)
    return Report(
        question="crawl",
        rows=[_row(found, tool, site.name) for site in chosen for tool in settings.tools],
        claims=[claim for site in chosen for claim in _claims(found, site.name)],
        runs=[run.record() for run in found],
        summary=_summary(found, settings),
        notes=[*notes, *_limits(found), *_differences(found)],
    )


def _crawl(site: Site, wanted: Reachable, settings: argparse.Namespace) -> list[Run]:
    """All tools in turn; each repetition starts with another tool."""
    tools: list[str] = settings.tools
    found = []
    with serve({LOOPBACK: site.root}, port=settings.port) as server:
        task = Task(
            site=site.name,
            origin=server.origin(),
            wanted=wanted,
            gossamer=settings.gossamer,
            cache=settings.cache,
            limit=settings.limit,
        )
        for number in range(settings.repeat):
            shift = number % len(tools)
            found += [_once(tool, task, settings) for tool in tools[shift:] + tools[:shift]]
    return found


def _once(tool: str, task: Task, settings: argparse.Namespace) -> Run:
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        run = CONTENDERS[tool](task, Path(folder))
    log(f"{task.site} by {tool}: {run.pages} pages, {run.seconds:.1f} s, {run.rate:.1f} pages/s")
    return run


def _target(site: str) -> float:
    return TARGETS.get(site, OTHER_TARGET)


def _claims(found: Sequence[Run], site: str) -> list[Claim]:
    """The claims of one site."""
    faults = crawl_runs.faults([run for run in found if run.site == site])
    claims = [Claim(f"{site}: faults", "none", "; ".join(faults) or "none", not faults)]
    ours = crawl_runs.of(found, "gossamer", site)
    if ours:
        wrong = sum(bool(run.detail["differences"]) for run in ours)
        name = f"{site}: pages and edges as on disk"
        claims.append(Claim(name, "equal", f"{wrong} of {len(ours)} runs differ", not wrong))
    if ours and crawl_runs.of(found, "scrapy", site):
        ratio = _ratio(found, "gossamer", site)
        got = f"{ratio:.2f} x" if ratio else "no runs without faults"
        name = f"{site}: Gossamer beside Scrapy"
        claims.append(Claim(name, f">= {_target(site):g} x", got, ratio >= _target(site)))
    return claims


def _ratio(found: Sequence[Run], tool: str, site: str, peer: str = "scrapy") -> float:
    """Median pages/s over Scrapy's; 0 if one of the two has no runs or a fault."""
    own, scrapy = crawl_runs.of(found, tool, site), crawl_runs.of(found, peer, site)
    if not own or not scrapy or crawl_runs.faults([*own, *scrapy]):
        return 0.0
    return crawl_runs.median_rate(own) / crawl_runs.median_rate(scrapy)


def _row(found: Sequence[Run], tool: str, site: str) -> Row:
    repeated = crawl_runs.of(found, tool, site)
    ratio = _ratio(found, tool, site)
    tuned_ratio = _ratio(found, tool, site, TUNED)
    judged = tool == "gossamer" and bool(crawl_runs.of(found, "scrapy", site))
    return {
        "tool": tool,
        "site": site,
        "pages": str(min(run.pages for run in repeated)),
        "seconds": f"{crawl_runs.median_seconds(repeated):.2f}",
        "pages/s": f"{crawl_runs.median_rate(repeated):.1f}",
        "x Scrapy": f"{ratio:.2f}" if ratio else "-",
        "x tuned": f"{tuned_ratio:.2f}" if tuned_ratio else "-",
        "target": f">= {_target(site):g}" if judged else "-",
        "met?": ("yes" if ratio >= _target(site) else "NO") if judged else "-",
        "peak MB": f"{max(run.peak_mb for run in repeated):.0f}",
    }


def _summary(found: Sequence[Run], settings: argparse.Namespace) -> dict[str, Any]:
    """Medians and ratios by site and tool, with the tools' settings and versions."""
    measured = {
        f"{site}/{tool}": {
            "pages_per_second": round(crawl_runs.median_rate(crawl_runs.of(found, tool, site)), 2),
            "seconds": round(crawl_runs.median_seconds(crawl_runs.of(found, tool, site)), 3),
            "ratio_to_scrapy": round(_ratio(found, tool, site), 3),
            "ratio_to_tuned_scrapy": round(_ratio(found, tool, site, TUNED), 3),
        }
        for site, tool in dict.fromkeys((run.site, run.tool) for run in found)
    }
    return {
        "medians": measured,
        "repeat": settings.repeat,
        "scrapy_settings": scrapy_and_wget.SCRAPY_SETTINGS,
        "scrapy_max_pages": SCRAPY_MAX_PAGES,
        "wget_options": scrapy_and_wget.WGET_OPTIONS,
        "versions": scrapy_and_wget.versions(settings.tools, settings.cache),
    }


def _inventory(site: Site, wanted: Reachable) -> str:
    same = len(wanted.pages) - wanted.distinct
    return (
        f"{site.name}: {len(wanted.pages)} pages on disk ({same} with the body of another)"
        f" and {len(wanted.edges)} edges;"
        f" {len(wanted.others)} more link targets are broken or not HTML"
    )


def _limits(found: Sequence[Run]) -> list[str]:
    """Sites that a tool crawled only in part."""
    limited = {run.site: run.detail["max_pages"] for run in found if run.detail.get("max_pages")}
    return [f"{site}: Scrapy stops after {most} pages" for site, most in limited.items()]


def _differences(found: Sequence[Run]) -> list[str]:
    lines = (
        f"{run.site}: DIFFERS: {line}"
        for run in found
        for line in run.detail.get("differences", [])
    )
    return list(dict.fromkeys(lines))
