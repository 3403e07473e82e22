"""How fast is PageRank of a million pages, beside SciPy?"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.environments import ROOT, interpreter
from scripts.bench.machine.processes import run
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least, at_most

PAGES = 1_000_000
MAX_SECONDS = 8.0  # of one core, from batches of links to ranks
MAX_PEAK_MB = 1500.0
MAX_DIFFERENCE = 1e-6  # L1 distance of the two rank vectors


@dataclass(frozen=True, slots=True)
class Ranked:
    """The time and memory of one engine, and its distance to SciPy's ranks."""

    engine: str
    nodes: int
    links: int
    iterations: int
    seconds: dict[str, float]  # build, iterate
    cpu_seconds: dict[str, float]
    peak_mb: float
    difference: float | None  # to SciPy's ranks
    facts: dict[str, Any]

    @property
    def cpu(self) -> float:
        """CPU seconds of both steps."""
        return sum(self.cpu_seconds.values())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=PAGES, help="of the random web")
    parser.add_argument("--repeat", type=int, default=3, help="the median counts")
    parser.add_argument("--no-peers", action="store_true", help="only Gossamer")


def measure(settings: argparse.Namespace) -> Report:
    """Rank the same pages with each engine, `repeat` times."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        runs = _runs(settings, Path(folder))
    engines = list(dict.fromkeys(run.engine for run in runs))
    middle = [_median([run for run in runs if run.engine == engine]) for engine in engines]
    return Report(
        question="rank",
        rows=[_row(found) for found in middle],
        claims=_claims(middle),
        runs=[asdict(found) for found in runs],
        summary={found.engine: asdict(found) for found in middle},
        notes=[
            "seconds: wall-clock; claims: CPU time of one core, from batches of links to ranks,"
            " without generating them; memory includes the batches: Gossamer holds one at a time"
        ],
    )


def _runs(settings: argparse.Namespace, folder: Path) -> list[Ranked]:
    wanted = folder / "scipy.npy"
    runs = []
    for _ in range(settings.repeat):
        if not settings.no_peers:
            python = interpreter(settings.cache, "rank-peers", "scipy")
            runs.append(_ranked("scipy", python, settings, wanted, wanted))
        answer = folder / "gossamer.npy"
        runs.append(_ranked("gossamer", Path(sys.executable), settings, answer, wanted))
    return runs


def _ranked(
    engine: str, python: Path, settings: argparse.Namespace, answer: Path, wanted: Path
) -> Ranked:
    module = f"scripts.bench.contenders.rank_{engine}"
    finished = run(
        [python, "-m", module, str(settings.pages), answer], limit=settings.limit, folder=ROOT
    )
    if finished.code != 0:
        raise BenchFailure(f"{module}: exit {finished.code}\n{finished.errors[-500:]}")
    said: dict[str, Any] = json.loads(finished.output)
    taken = {step: said.pop(step) for step in ("build", "iterate")}
    found = Ranked(
        engine=engine,
        nodes=said.pop("nodes"),
        links=said.pop("links"),
        iterations=said.pop("iterations"),
        seconds={step: clock for step, (clock, _) in taken.items()},
        cpu_seconds={step: cpu for step, (_, cpu) in taken.items()},
        peak_mb=finished.peak_mb,
        difference=_difference(answer, wanted),
        facts=said,
    )
    log(f"{engine}: {found.cpu:.2f} s of CPU, {found.peak_mb:.0f} MB")
    return found


def _difference(answer: Path, wanted: Path) -> float | None:
    if answer == wanted or not wanted.exists():
        return None
    return float(np.abs(np.load(answer) - np.load(wanted)).sum())


def _median(found: list[Ranked]) -> Ranked:
    middle = median(run.cpu for run in found)
    return min(found, key=lambda run: abs(run.cpu - middle))


def _claims(found: list[Ranked]) -> list[Claim]:
    ours, peers = found[-1], found[:-1]
    size = f"{ours.nodes:,} nodes, {ours.links:,} links"
    claims = [
        at_most(size, MAX_SECONDS, ours.cpu, unit=" s"),
        at_most("memory", MAX_PEAK_MB, ours.peak_mb, ".0f", " MB"),
    ]
    for peer in peers:
        apart = ours.difference if ours.difference is not None else np.inf
        met = apart <= MAX_DIFFERENCE and ours.links == peer.links
        name = f"L1 distance to {peer.engine}"
        claims.append(Claim(name, f"<= {MAX_DIFFERENCE:g}", f"{apart:.1e}", met))
        claims.append(at_least(f"beside {peer.engine}", 1.0, peer.cpu / ours.cpu, unit=" x"))
    return claims


def _row(found: Ranked) -> Row:
    seconds, cpu = found.seconds, found.cpu_seconds
    return {
        "engine": found.engine,
        "build s": f"{seconds['build']:.2f}",
        "CPU": f"{cpu['build']:.2f}",
        "iterate s": f"{seconds['iterate']:.2f}",
        "CPU of it": f"{cpu['iterate']:.2f}",
        "iterations": str(found.iterations),
        "ms each": f"{1000 * cpu['iterate'] / found.iterations:.0f}",
        "peak MB": f"{found.peak_mb:.0f}",
    }
