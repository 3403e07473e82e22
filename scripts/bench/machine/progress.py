"""Progress of a benchmark, on stderr."""

import sys
import time

STARTED = time.monotonic()


def log(what: str) -> None:
    """Print one line with the seconds since the start."""
    print(f"[{time.monotonic() - STARTED:6.1f}] {what}", file=sys.stderr, flush=True)
