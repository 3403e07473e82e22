"""What is the bench doing right now?"""

import sys
import time

STARTED = time.monotonic()


def tell(what: str) -> None:
    """One line to stderr, with the seconds since the start."""
    print(f"[{time.monotonic() - STARTED:6.1f}] {what}", file=sys.stderr, flush=True)
