"""How many searches a second does `gossamer serve` answer?"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scripts.bench.machine.environments import run_json
from scripts.bench.machine.percentiles import Times, times
from scripts.bench.machine.progress import log
from scripts.bench.machine.usage import cpu_seconds
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import indexed_corpora, sample_queries
from scripts.bench.worlds.nginx import LOOPBACK
from scripts.bench.worlds.sample_queries import Query
from scripts.bench.worlds.serving import get_each, serving

DOCUMENTS = 100_000
CONNECTIONS = (1, 2, 4, 16)
JUDGED = 4  # connections: enough to keep two cores busy
MAX_P50 = 15.0  # ms
MIN_RATE = 150.0  # requests/s
MIN_GAIN = 3.0  # times the new queries/s of the program before
MIN_BESIDE = 0.5  # of the requests/s without an expensive query beside them
SECONDS = 10.0  # for each load
PER_KIND = 1500  # new queries
# Nearly every document matches; each page of results is computed anew.
EXPENSIVE = [f"/search?q={letter}*&page={page}" for page in range(1, 40) for letter in "scdprtiaem"]


@dataclass(frozen=True, slots=True)
class Program:
    """A version of Gossamer and a collection that it has indexed."""

    name: str
    path: Path
    data: Path


@dataclass(frozen=True, slots=True)
class Load:
    """The measurements of one load."""

    program: str
    queries: str
    connections: int
    seconds: float
    times: Times
    errors: int
    bytes: int
    client_cpu: float  # share of a core that the load generator used
    server_cpu: float  # seconds, of all its processes
    beside: int  # expensive queries that were answered meanwhile

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.times.count / self.seconds

    @property
    def cpu_ms(self) -> float:
        """The server's CPU time for one request, which other load on the machine changes less."""
        return 1000 * self.server_cpu / self.times.count

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "program": self.program,
            "queries": self.queries,
            "connections": self.connections,
            "seconds": round(self.seconds, 3),
            "requests_per_second": round(self.rate, 1),
            **self.times.record(),
            "server_cpu_ms": round(self.cpu_ms, 3),
            "errors": self.errors,
            "bytes": self.bytes,
            "client_cpu": round(self.client_cpu, 3),
            "expensive": self.beside,
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--reuse", action="store_true", help="take the index of an earlier run")
    parser.add_argument("--connections", type=int, nargs="+", default=list(CONNECTIONS))
    parser.add_argument("--judged", type=int, default=JUDGED, help="connections in the claims")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="per load")
    parser.add_argument("--rounds", type=int, default=1, help="of all loads; the best one counts")
    parser.add_argument(
        "--before", type=Path, metavar="GOSSAMER", help="another version, measured in turns"
    )
    parser.add_argument(
        "--before-data", type=Path, metavar="DIR", help="the same documents, indexed by it"
    )


def measure(settings: argparse.Namespace) -> Report:
    """Serve the synthetic corpus and load it in several ways."""
    large = indexed_corpora.of_size(settings, settings.documents)
    programs = [Program("this", settings.gossamer, large.data)]
    if settings.before:
        programs.insert(0, Program("before", settings.before.absolute(), settings.before_data))
    asked = sample_queries.draw(large.corpus)
    new = sample_queries.draw_many(large.corpus, PER_KIND)
    runs = [
        load
        for _ in range(settings.rounds)
        for program in programs
        for load in _loads(program, _targets(new), _targets(asked), settings)
    ]
    best = _best(runs)
    return Report(
        question="http",
        rows=[_row(load) for load in best.values()],
        claims=_claims(best, settings.judged),
        runs=[load.record() for load in runs],
        summary={"documents": settings.documents, "queries": len(asked), "new": len(new)},
        notes=[
            "kept-alive connections; each sends its next request once it has a response; the load"
            " generator is a Python process on the same cores; new: no query is asked twice;"
            " again: every query ran once before; beside: new queries, while one more connection"
            " asks for prefixes of one letter without a pause"
        ],
    )


def _targets(asked: Sequence[Query]) -> list[str]:
    return [f"/search?q={quote(query.gossamer)}" for query in asked]


def _loads(
    program: Program, new: list[str], asked: list[str], settings: argparse.Namespace
) -> Iterator[Load]:
    """All loads of one program, each on a server of its own."""
    for count in sorted({*settings.connections, settings.judged}):
        yield _load(program, "new", new, count, settings)
    yield _load(program, "beside", new, 1, settings)
    yield _load(program, "again", asked, settings.judged, settings)


def _load(
    program: Program, queries: str, targets: list[str], connections: int, how: argparse.Namespace
) -> Load:
    task: dict[str, Any] = {"host": LOOPBACK, "targets": targets, "connections": connections}
    task |= {"seconds": how.seconds, "once": queries != "again"}
    task |= {"beside": EXPENSIVE if queries == "beside" else []}
    with serving(program.path, program.data, how.port) as (process, port):
        get_each(port, targets if queries == "again" else targets[-50:])
        before = cpu_seconds(process.pid)
        command = [sys.executable, "-m", "scripts.bench.machine.http_load"]
        said = run_json(command, task | {"port": port})
        used = cpu_seconds(process.pid) - before
    load = Load(
        program.name, queries, connections, said["seconds"], times(said["ms"]), said["errors"],
        said["bytes"], said["cpu_seconds"] / said["seconds"], used, said["beside"],
    )  # fmt: skip
    log(f"{program.name}, {queries}, {connections}: {load.rate:.0f}/s, p50 {load.times.p50:.1f} ms")
    return load


Best = dict[tuple[str, str, int], Load]  # by program, queries and connections


def _best(runs: Sequence[Load]) -> Best:
    """The fastest of the rounds: other work on the machine only slows."""
    best: Best = {}
    for load in runs:
        key = load.program, load.queries, load.connections
        if key not in best or load.rate > best[key].rate:
            best[key] = load
    return best


def _claims(best: Best, judged: int) -> list[Claim]:
    load, where = best["this", "new", judged], f"{judged} connections"
    alone, beside = best.get(("this", "new", 1)), best["this", "beside", 1]
    errors = sum(each.errors for each in best.values())
    claims = [
        at_most(f"p50 of new queries, {where}", MAX_P50, load.times.p50, unit=" ms"),
        at_least(f"new queries/s, {where}", MIN_RATE, load.rate, ".0f"),
        Claim("responses other than 200", "none", str(errors), not errors),
    ]
    if alone:
        share = beside.rate / alone.rate
        claims.append(at_least("beside an expensive query, of requests/s", MIN_BESIDE, share))
    if before := best.get(("before", "new", judged)):
        gain = load.rate / before.rate
        claims.append(at_least(f"times the new queries/s of before, {where}", MIN_GAIN, gain))
    return claims


def _row(load: Load) -> Row:
    return {
        "program": load.program,
        "queries": load.queries,
        "connections": str(load.connections),
        "requests/s": f"{load.rate:.0f}",
        "p50 ms": f"{load.times.p50:.2f}",
        "p99 ms": f"{load.times.p99:.2f}",
        "server's CPU ms": f"{load.cpu_ms:.2f}",
        "requests": str(load.times.count),
        "errors": str(load.errors),
        "KB/answer": f"{load.bytes / 1000 / load.times.count:.1f}",
        "client's CPU": f"{load.client_cpu:.0%}",
    }
