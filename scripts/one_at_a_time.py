"""Run a command while no other process of this clone runs one under the same name.

    python -m scripts.one_at_a_time .venv make …

Two `make`s beside each other would otherwise install into the same folder at once, and both fail.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Wait until no other process is within such a block; the system ends it if one is killed."""
    of_this_clone = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    lock = Path(tempfile.gettempdir()) / f"gossamer-{of_this_clone}{name}.lock"
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(arguments: list[str]) -> int:
    """The exit code is that of the command."""
    name, *command = arguments
    with one_at_a_time(name):
        return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
