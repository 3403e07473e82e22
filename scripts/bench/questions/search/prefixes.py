"""How long does a prefix take, the first time and after?

In process, ten results with snippets. Every letter, and pairs and triples of letters with which
many words begin; each first time in a process that has read nothing of it yet.
"""

import argparse
from string import ascii_lowercase
from typing import Any

from scripts.bench.contenders import search_engines
from scripts.bench.machine.percentiles import times
from scripts.bench.report import Report, Row, at_most
from scripts.bench.worlds import indexed_corpora
from scripts.bench.worlds.indexed_corpora import Indexed
from scripts.bench.worlds.sample_queries import Query

DOCUMENTS = 100_000
MAX_FIRST, MAX_AGAIN = 150.0, 20.0  # ms
PAIRS = ("co", "in", "re", "pr", "de", "se", "st", "su", "un", "ex")
TRIPLES = ("con", "pro", "com", "int", "res", "per", "exp", "str", "tra", "sub")
KINDS = {
    "one letter": [f"{letter}*" for letter in ascii_lowercase],
    "two letters": [f"{pair}*" for pair in PAIRS],
    "three letters": [f"{triple}*" for triple in TRIPLES],
    "one letter, in titles": [f"title:{letter}*" for letter in ascii_lowercase],
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--reuse", action="store_true", help="take the index of an earlier run")


def measure(settings: argparse.Namespace) -> Report:
    """Ask for all prefixes, each several times; those of a kind in a process of their own."""
    large = indexed_corpora.of_size(settings, settings.documents)
    runs = [run for kind, queries in KINDS.items() for run in _runs(large, kind, queries)]
    return Report(
        question="prefixes",
        rows=[_row(kind, [run for run in runs if run["kind"] == kind]) for kind in KINDS],
        claims=[
            at_most(
                "any prefix for the first time", MAX_FIRST, _worst(runs, "first_ms"), unit=" ms"
            ),
            at_most("any prefix after", MAX_AGAIN, _worst(runs, "again_ms"), unit=" ms"),
        ],
        runs=runs,
        summary={"documents": settings.documents, "prefixes": len(runs)},
        notes=["in titles: both what begins so in a title and, for the score, anywhere is read"],
    )


def _runs(large: Indexed, kind: str, queries: list[str]) -> list[dict[str, Any]]:
    asked = [Query(kind, query, "", "") for query in queries]
    found = search_engines.gossamer(large, asked)
    taken = {
        "first_ms": found.cold,
        "again_ms": found.warm,
        "first_cpu_ms": found.cold_cpu,
        "again_cpu_ms": found.cpu,
    }
    return [
        {"kind": kind, "query": query} | {name: round(ms[n], 2) for name, ms in taken.items()}
        for n, query in enumerate(queries)
    ]


def _worst(runs: list[dict[str, Any]], name: str) -> float:
    return max(float(run[name]) for run in runs)


def _row(kind: str, runs: list[dict[str, Any]]) -> Row:
    row = {"prefixes": kind, "count": str(len(runs))}
    for name, title in (("first", "first"), ("again", "after")):
        median = times([run[f"{name}_ms"] for run in runs]).p50
        row |= {
            f"{title} p50 ms": f"{median:.1f}",
            f"{title} max ms": f"{_worst(runs, f'{name}_ms'):.1f}",
            f"{title} max CPU ms": f"{_worst(runs, f'{name}_cpu_ms'):.1f}",
        }
    return row
