"""Open an index and answer one query: how long that takes, and how much memory."""

import json
import sys
import time
from pathlib import Path

from gossamer import homes
from gossamer.settings import Settings
from scripts.bench.contenders.timed_queries import read_task


def main() -> None:
    """Time it. Memory is what the process has of its own: files that are mapped are shared."""
    home = homes.open_home(Settings(data=read_task()["data"]), read_only=True)
    before, began = _own_kb(), time.perf_counter()
    homes.searcher(home).search("zzzz")
    took = time.perf_counter() - began
    json.dump({"ms": 1000 * took, "mb": (_own_kb() - before) / 1024}, sys.stdout)


def _own_kb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


if __name__ == "__main__":
    main()
