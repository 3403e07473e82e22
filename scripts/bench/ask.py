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

    Milliseconds by pass and query. The first pass finds the engine cold.
    """
    milliseconds = []
    cpu = time.process_time()
    for number in range(task["passes"]):
        if number == 1:
            cpu = time.process_time()
        milliseconds.append([_timed(ask, query) for query in task["queries"]])
    cpu = time.process_time() - cpu
    asked = max(1, len(task["queries"]) * (task["passes"] - 1))
    results = [ask(query) for query in task["queries"]]
    told = {"ms": milliseconds, "cpu_ms": 1000 * cpu / asked, "results": results, **facts}
    json.dump(told, sys.stdout)


def _timed(ask: Ask, query: str) -> float:
    began = time.perf_counter()
    ask(query)
    return 1000 * (time.perf_counter() - began)
