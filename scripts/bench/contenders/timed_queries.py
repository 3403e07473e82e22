"""How long does one engine take for each of some queries, in one process?

What the scripts that ask an engine share; they run apart, some by another interpreter, so this
needs nothing but the standard library. A JSON object comes on stdin and one goes to stdout.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Ask = Callable[[str], int]  # a query; how many results it has (or were fetched)


def told() -> dict[str, Any]:
    """What is asked for."""
    task: dict[str, Any] = json.load(sys.stdin)
    return task


def answer(task: dict[str, Any], ask: Ask, **facts: object) -> None:
    """Ask everything `passes` times, the whole set in turn, and tell how long it took.

    Milliseconds by pass and query, of the clock and of the CPU. The first pass finds the engine
    cold.
    """
    passes = [[_timed(ask, query) for query in task["queries"]] for _ in range(task["passes"])]
    told = {
        "ms": [[clock for clock, _ in times] for times in passes],
        "cpu_ms": [[cpu for _, cpu in times] for times in passes],
        "results": [ask(query) for query in task["queries"]],
    }
    json.dump(told | facts, sys.stdout)


def _timed(ask: Ask, query: str) -> tuple[float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    ask(query)
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - cpu)
