"""Do hosts with a long crawl delay hold up the others?

Crawls two hosts that ask for 2 s between requests together with forty that ask for nothing, and
reads the server's log.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.machine.processes import Finished
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least
from scripts.bench.worlds import generated_sites
from scripts.bench.worlds.nginx import Request, Server, serve

SLOW_HOSTS, QUICK_HOSTS = 2, 40
SLOW_PAGES, QUICK_PAGES = 30, 100
DELAY = 2.0  # seconds between requests that the slow hosts ask for
MAX_OVERRUN = 1.1  # times the time that the slowest host takes by its delay
# The server logs a request some milliseconds after it was sent.
GAP_TOLERANCE = 0.05

# Loopback addresses of the slow and of the quick hosts.
ADDRESSES = [f"127.0.1.{number}" for number in range(1, SLOW_HOSTS + QUICK_HOSTS + 1)]
SLOW, QUICK = ADDRESSES[:SLOW_HOSTS], ADDRESSES[SLOW_HOSTS:]
SLOW_ROBOTS = f"User-agent: *\nCrawl-delay: {DELAY:g}\n"
QUICK_ROBOTS = "User-agent: *\nDisallow:\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slow-pages", type=int, default=SLOW_PAGES)
    parser.add_argument("--quick-pages", type=int, default=QUICK_PAGES)


def measure(settings: argparse.Namespace) -> Report:
    """Crawl all hosts at once and read the server's log."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        roots = _sites(Path(folder) / "sites", settings)
        gossamer = Gossamer(settings.gossamer, Path(folder) / "data", settings.limit)
        with serve(roots, port=settings.port, logged=True) as server:
            log(f"{len(roots)} hosts on port {server.port}")
            finished, said = gossamer.crawl([f"{server.origin(host)}/" for host in roots])
            audit = gossamer.audit()
            expected = SLOW_HOSTS * settings.slow_pages + QUICK_HOSTS * settings.quick_pages
            return _report(_by_host(server), finished, said, audit, expected)


def _sites(folder: Path, settings: argparse.Namespace) -> dict[str, Path]:
    """One site per address. No two share a page: it would be a duplicate."""
    kinds = (SLOW, settings.slow_pages, SLOW_ROBOTS), (QUICK, settings.quick_pages, QUICK_ROBOTS)
    return {
        address: generated_sites.write_star(folder / address, pages, robots=robots)
        for addresses, pages, robots in kinds
        for address in addresses
    }


def _by_host(server: Server) -> dict[str, list[Request]]:
    hosts: dict[str, list[Request]] = defaultdict(list)
    for request in server.requests():
        hosts[request.address].append(request)
    return hosts


def ideal_seconds(hosts: dict[str, list[Request]]) -> float:
    """The seconds that the slowest host takes if every request is sent as soon as allowed."""
    return max((len(hosts[host]) - 1) * DELAY for host in SLOW)


def smallest_gap(hosts: dict[str, list[Request]]) -> float:
    """Least seconds between two requests to one slow host, by the server's log."""
    gaps = [b.at - a.at for host in SLOW for a, b in pairwise(hosts[host])]
    return min(gaps, default=0.0)


def _report(
    hosts: dict[str, list[Request]],
    finished: Finished,
    said: dict[str, Any],
    audit: dict[str, Any],
    expected: int,
) -> Report:
    served = {(r.address, r.target) for requests in hosts.values() for r in requests}
    summary = {
        "ideal_seconds": ideal_seconds(hosts),
        "wall_seconds": round(finished.seconds, 3),
        "smallest_gap": round(smallest_gap(hosts), 4),
        "pages_served": sum(target != "/robots.txt" for _, target in served),
        "pages_expected": expected,
        "peak_mb": finished.peak_mb,
        "audit": audit,
    }
    return Report(
        question="politeness",
        rows=_rows(hosts),
        claims=_claims(summary, finished.code),
        runs=[{"gossamer": said, **summary}],
        summary=summary,
    )


def _claims(summary: dict[str, Any], code: int | None) -> list[Claim]:
    wall, most = summary["wall_seconds"], summary["ideal_seconds"] * MAX_OVERRUN
    gap = summary["smallest_gap"]
    served, expected = summary["pages_served"], summary["pages_expected"]
    violations = summary["audit"].get("violations")
    return [
        Claim("exit code of the crawl", "0", str(code), code == 0),
        Claim("pages served", str(expected), str(served), served == expected),
        Claim("whole crawl", f"<= {most:.1f} s", f"{wall:.1f} s", wall <= most),
        at_least("smallest gap, slow hosts", DELAY - GAP_TOLERANCE, gap, ".3f", " s"),
        Claim("violations by `audit`", "0", str(violations), violations in (0, [])),
    ]


def _rows(hosts: dict[str, list[Request]]) -> list[Row]:
    groups = {"slow": SLOW, "quick": QUICK}
    return [_row(name, [hosts[host] for host in group]) for name, group in groups.items()]


def _row(name: str, group: Sequence[Sequence[Request]]) -> Row:
    """Requests to the hosts of one kind, and the seconds from the first to the last."""
    times = [request.at for requests in group for request in requests]
    robots = sum(r.target == "/robots.txt" for requests in group for r in requests)
    return {
        "hosts": f"{len(group)} {name}",
        "requests": str(len(times)),
        "of robots.txt": str(robots),
        "seconds": f"{max(times) - min(times):.2f}" if times else "-",
    }
