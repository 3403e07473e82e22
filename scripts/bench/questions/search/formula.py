"""How long does a formula take over all matches of a query?

The columns are in memory, as after the first query: what is measured is gathering the values of the
documents that match, computing, and rounding to units of a score. CPU time, median of several runs.
"""

import argparse
import time
from statistics import median
from types import SimpleNamespace
from typing import Any

import numpy as np

from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.search.formula.compiling import NameKind, compile_formula
from gossamer.search.tuning.boosts import Boosts
from scripts.bench.report import Report, Row, at_most

DOCUMENTS = 200_000  # of the segment
MATCHES = 100_000
MAX_MS = 5.0
RUNS = 21
COLUMNS: dict[str, NameKind] = {"votes": "number", "price": "number", "released": "date"}
FORMULAS = {
    "one column": "2 * saturation(votes, 20)",
    "a logarithm": "log1p(votes)",
    "a condition": "price < 50 ? 1 : 0",
    "an age": "saturation(365, age_days(released))",
    "three columns": (
        "2 * saturation(votes, 20) + (has(price) and price < 50 ? 0.5 : 0)"
        " - saturation(age_days(released), 365) + 0.1 * text * rank"
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--matches", type=int, default=MATCHES, help="documents that match")


def measure(settings: argparse.Namespace) -> Report:
    """Compute each formula for so many documents."""
    taken = {name: _taken(text, settings.matches) for name, text in FORMULAS.items()}
    return Report(
        question="formula",
        rows=[_row(name, FORMULAS[name], ms) for name, ms in taken.items()],
        claims=[
            at_most(f"a formula over {settings.matches:,} matches: {name}", MAX_MS, ms, unit=" ms")
            for name, ms in taken.items()
        ],
        runs=[{"formula": FORMULAS[name], "cpu_ms": round(ms, 3)} for name, ms in taken.items()],
        summary={"documents": DOCUMENTS, "matches": settings.matches},
        notes=["CPU time of one process; the lists of the query are read besides"],
    )


def _row(name: str, text: str, ms: float) -> Row:
    return {"formula": f"{name}: `{text}`", "CPU ms": f"{ms:.2f}"}


def _taken(text: str, matches: int) -> float:
    boosts = Boosts(compile_formula(text, COLUMNS), today=20_000)
    random = np.random.default_rng(15)
    documents = np.sort(random.choice(DOCUMENTS, matches, replace=False))
    words = random.integers(0, 1 << 43, matches)
    units = boosts.of((), 0, _part(random)).units
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        units(documents, words)
        times.append(1000 * (time.process_time() - began))
    return median(times)


def _part(random: np.random.Generator) -> Any:
    """A part of an index with its columns, one value in five missing."""
    columns = {
        "votes": _floats(random.lognormal(2, 1.5, DOCUMENTS), random),
        "price": _floats(random.uniform(1, 200, DOCUMENTS), random),
        "released": NumberColumn(random.integers(15_000, 20_000, DOCUMENTS)),
    }
    levels = random.integers(0, 256, DOCUMENTS).astype(np.uint8)
    return SimpleNamespace(view=SimpleNamespace(column=columns.get), levels=levels)


def _floats(values: Any, random: np.random.Generator) -> NumberColumn:
    values[random.random(DOCUMENTS) < 0.2] = np.nan
    return NumberColumn(values)
