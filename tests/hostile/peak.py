"""How much memory does a command take at its worst, and how much CPU, with all its processes?

    python -m tests.hostile.peak FILE COMMAND …    writes kilobytes and seconds to FILE

A process of its own, because a child begins with the peak of the process that started it, and that
of a long run of tests is larger than any crawl's.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main(file: str, command: list[str]) -> int:
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)  # the largest of the process and of all it waited for
    Path(file).write_text(f"{usage.ru_maxrss} {usage.ru_utime + usage.ru_stime:.1f}")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
