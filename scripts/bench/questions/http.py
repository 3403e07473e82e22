"""How many searches a second does `gossamer serve` answer?"""

import argparse
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError
from urllib.parse import quote

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.environments import run_json
from scripts.bench.machine.percentiles import Times, times
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import indexed_corpora, sample_queries
from scripts.bench.worlds.indexed_corpora import Indexed
from scripts.bench.worlds.nginx import LOOPBACK, free_port, stop

DOCUMENTS = 100_000
CONNECTIONS = (1, 2, 4, 16)
JUDGED = 2  # connections: as many as there are cores
MAX_P50 = 15.0  # ms
MIN_RATE = 150.0  # requests/s
SECONDS = 10.0  # for each number of connections
START_LIMIT = 30.0  # seconds for the first answer


@dataclass(frozen=True, slots=True)
class Load:
    """The measurements with one number of connections."""

    connections: int
    seconds: float
    times: Times
    errors: int
    bytes: int
    client_cpu: float  # share of a core that the load generator used

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.times.count / self.seconds

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "connections": self.connections,
            "seconds": round(self.seconds, 3),
            "requests_per_second": round(self.rate, 1),
            **self.times.record(),
            "errors": self.errors,
            "bytes": self.bytes,
            "client_cpu": round(self.client_cpu, 3),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--reuse", action="store_true", help="take the index of an earlier run")
    parser.add_argument("--connections", type=int, nargs="+", default=list(CONNECTIONS))
    parser.add_argument("--judged", type=int, default=JUDGED, help="connections in the claims")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="per number of connections")


def measure(settings: argparse.Namespace) -> Report:
    """Serve the synthetic corpus and repeat the queries of the question `query`."""
    large = indexed_corpora.of_size(settings, settings.documents)
    asked = sample_queries.draw(large.corpus)
    targets = [f"/search?q={quote(query.gossamer)}" for query in asked]
    counts = sorted({*settings.connections, settings.judged})
    with _serving(large, settings) as port:
        _get_each(port, targets)
        found = [_load(port, targets, count, settings.seconds) for count in counts]
    return Report(
        question="http",
        rows=[_row(load) for load in found],
        claims=_claims(next(load for load in found if load.connections == settings.judged)),
        runs=[load.record() for load in found],
        summary={"documents": settings.documents, "queries": len(asked)},
        notes=[
            "kept-alive connections; each sends its next request once it has a response; the load"
            " generator is a Python process on the same cores; every query ran once before"
        ],
    )


@contextmanager
def _serving(large: Indexed, settings: argparse.Namespace) -> Iterator[int]:
    """Run `gossamer serve` during the `with` block; yields its port."""
    port = settings.port or free_port()
    command = [settings.gossamer, "serve", "--data", large.data, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _wait_until_ready(process, port)
        yield port
    finally:
        stop(process)


def _wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            return _get_each(port, ["/health"])
        except (URLError, ConnectionError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise BenchFailure(f"gossamer serve does not answer on port {port}") from None
            time.sleep(0.1)


def _get_each(port: int, targets: list[str]) -> None:
    for target in targets:
        urllib.request.urlopen(f"http://{LOOPBACK}:{port}{target}").read()


def _load(port: int, targets: list[str], connections: int, seconds: float) -> Load:
    task = {
        "host": LOOPBACK,
        "port": port,
        "targets": targets,
        "connections": connections,
        "seconds": seconds,
    }
    said = run_json([sys.executable, "-m", "scripts.bench.machine.http_load"], task)
    taken = said["seconds"]
    cpu = said["cpu_seconds"] / taken
    load = Load(connections, taken, times(said["ms"]), said["errors"], said["bytes"], cpu)
    log(f"{connections} connections: {load.rate:.0f} requests/s, p50 {load.times.p50:.1f} ms")
    return load


def _claims(load: Load) -> list[Claim]:
    where = f"{load.connections} connections"
    return [
        at_most(f"p50, {where}", MAX_P50, load.times.p50, unit=" ms"),
        at_least(f"requests/s, {where}", MIN_RATE, load.rate, ".0f"),
        Claim("responses other than 200", "none", str(load.errors), not load.errors),
    ]


def _row(load: Load) -> Row:
    return {
        "connections": str(load.connections),
        "requests/s": f"{load.rate:.0f}",
        "p50 ms": f"{load.times.p50:.2f}",
        "p99 ms": f"{load.times.p99:.2f}",
        "requests": str(load.times.count),
        "errors": str(load.errors),
        "KB/answer": f"{load.bytes / 1000 / load.times.count:.1f}",
        "client's CPU": f"{load.client_cpu:.0%}",
    }
