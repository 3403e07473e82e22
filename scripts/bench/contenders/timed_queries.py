"""Time the queries of a search engine in a process of its own.

Shared by the `search_*` scripts. Some run in other environments, so this needs only the standard
library. A JSON object comes on stdin and one goes to stdout.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Search = Callable[[str], int]  # query -> number of results


def read_task() -> dict[str, Any]:
    """The JSON object on stdin."""
    task: dict[str, Any] = json.load(sys.stdin)
    return task


def answer(task: dict[str, Any], search: Search, **facts: object) -> None:
    """Run all queries `passes` times and print their times.

    Milliseconds by pass and query, wall-clock and CPU. In the first pass the engine is cold.
    """
    passes = [[_timed(search, query) for query in task["queries"]] for _ in range(task["passes"])]
    times = {
        "ms": [[clock for clock, _ in taken] for taken in passes],
        "cpu_ms": [[cpu for _, cpu in taken] for taken in passes],
        "results": [search(query) for query in task["queries"]],
    }
    json.dump(times | facts, sys.stdout)


def _timed(search: Search, query: str) -> tuple[float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    search(query)
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - cpu)
