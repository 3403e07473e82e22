"""How long do others wait while the eight worst queries are asked at once?

Eight connections ask the worst queries without a pause, each another one; meanwhile one connection
asks ordinary queries and one asks whether the server is alive. No query is asked twice. The same
without the worst ones says what the machine can do.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scripts.bench.machine.environments import run_json
from scripts.bench.machine.percentiles import times
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_most
from scripts.bench.worlds import indexed_corpora, sample_queries
from scripts.bench.worlds.nginx import LOOPBACK
from scripts.bench.worlds.serving import get_each, serving
from scripts.bench.worlds.worst_queries import worst

DOCUMENTS = 100_000
SECONDS = 30.0
PER_KIND = 1500  # ordinary queries
MANY = 1000  # times that each of the worst queries may be asked
PAUSE = 0.02  # seconds between two ordinary requests of a person, so that they do not queue up
MAX_HELD_UP = 300.0  # ms
ORDINARY, HEALTH = "ordinary queries", "/health"


@dataclass(frozen=True, slots=True)
class Group:
    """What some connections measured."""

    beside: str
    name: str
    milliseconds: list[float]
    errors: int
    partial: int

    @property
    def worst(self) -> float:
        """The longest."""
        return max(self.milliseconds, default=0.0)

    def row(self) -> Row:
        """A line of the table."""
        found = times(self.milliseconds or [0.0])
        return {
            "beside": self.beside,
            "requests": self.name,
            "count": str(len(self.milliseconds)),
            "p50 ms": f"{found.p50:.1f}",
            "p99 ms": f"{found.p99:.1f}",
            "max ms": f"{self.worst:.1f}",
            "partial": str(self.partial),
            "not 200": str(self.errors),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--reuse", action="store_true", help="take the index of an earlier run")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="per load")


def measure(settings: argparse.Namespace) -> Report:
    """Load the server without the worst queries, with them, and with each of them alone."""
    large = indexed_corpora.of_size(settings, settings.documents)
    drawn = sample_queries.draw_many(large.corpus, PER_KIND)
    ordinary = [f"/search?q={quote(query.gossamer)}" for query in drawn]
    with serving(settings.gossamer, large.data, settings.port) as (_, port):
        get_each(port, ordinary[-50:])
        task = {"host": LOOPBACK, "port": port, "seconds": settings.seconds}
        half = len(ordinary) // 2
        idle = _load(task, "nothing", _others(ordinary[:half]))
        loaded = _load(task, "the eight worst", _others(ordinary[half:-50]) | _worst_groups())
        alone = _alone(task)
    groups = [*idle, *loaded, *alone]
    return Report(
        question="beside",
        rows=[group.row() for group in groups],
        claims=_claims({group.name: group for group in loaded}),
        runs=[{"beside": g.beside, "name": g.name, "ms": g.milliseconds} for g in groups],
        summary={"documents": settings.documents, "seconds": settings.seconds},
        notes=[
            "kept-alive connections; the load generator runs on the same cores; ordinary queries"
            f" {PAUSE * 1000:.0f} ms apart; of the worst, times include the wait for a process"
        ],
    )


def _others(ordinary: list[str]) -> dict[str, Any]:
    return {
        ORDINARY: {"targets": ordinary, "connections": 1, "pause": PAUSE},
        HEALTH: {"targets": ["/health"], "connections": 1, "pause": PAUSE, "repeat": True},
    }


def _worst_groups() -> dict[str, Any]:
    rounds = [worst(number) for number in range(MANY)]
    return {
        name: {"targets": [each[name] for each in rounds], "connections": 1} for name in rounds[0]
    }


def _alone(task: dict[str, Any]) -> list[Group]:
    """Each of the worst once more, with nothing beside it."""
    asked = worst(MANY)
    return [
        group
        for name, target in asked.items()
        for group in _load(task, "alone", {name: {"targets": [target], "connections": 1}})
    ]


def _load(task: dict[str, Any], beside: str, groups: dict[str, Any]) -> list[Group]:
    command = [sys.executable, "-m", "scripts.bench.machine.http_groups"]
    said = run_json(command, task | {"groups": groups})
    log(f"beside {beside}: {sum(len(each['ms']) for each in said.values())} requests")
    return [
        Group(beside, name, each["ms"], each["errors"], each["partial"])
        for name, each in said.items()
    ]


def _claims(loaded: dict[str, Group]) -> list[Claim]:
    errors = sum(group.errors for group in loaded.values())
    return [
        at_most("ordinary queries, the longest", MAX_HELD_UP, loaded[ORDINARY].worst, unit=" ms"),
        at_most("/health, the longest", MAX_HELD_UP, loaded[HEALTH].worst, unit=" ms"),
        Claim("responses other than 200", "none", str(errors), not errors),
    ]
