"""Index a folder of large PDF files: how much memory, and how many cores, does it take?

    python -m scripts.bench.pdf_folder --files 200 --folder /tmp/pdf

makes the files (1,000 pages, 2 MB each, unless they are there), indexes them by `gossamer index`,
and prints the peak memory of each process and of all together.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from scripts.bench.worlds.hostile_files import text_pdf

PAGES = 1_000
LOOK_EVERY = 0.1  # seconds between two looks at the memory of the processes
KIBIBYTE = 1024


def main() -> None:
    """Make the files, index them and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for number in range(arguments.files):
        path = arguments.folder / f"{number:04}.pdf"
        if not path.exists():
            path.write_bytes(text_pdf(PAGES, seed=number + 1))
    with tempfile.TemporaryDirectory() as data:
        print(measure(arguments.folder, data))


def measure(folder: Path, data: str) -> str:
    """Index a folder, and return its time and memory as a line."""
    command = [str(Path(sys.executable).with_name("gossamer")), "index", str(folder)]
    began = time.monotonic()
    process = subprocess.Popen([*command, "--data", data, "--json"], stdout=subprocess.PIPE)
    peaks: dict[int, int] = defaultdict(int)
    together = 0
    while process.poll() is None:
        now = {pid: private_bytes(pid) for pid in family(process.pid)}
        together = max(together, sum(now.values()))
        for pid, size in now.items():
            peaks[pid] = max(peaks[pid], size)
        time.sleep(LOOK_EVERY)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
    largest = sorted((size // 1_000_000 for size in peaks.values()), reverse=True)[:6]
    told = process.stdout.read().decode() if process.stdout else ""
    return (
        f"{told}{seconds:.1f} s, {cpu:.1f} s of CPU, {together // 1_000_000} MB together,"
        f" MB of the largest processes: {largest}"
    )


def family(root: int) -> list[int]:
    """Return a process and all that it has started."""
    found = [root]
    for pid in found:
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            continue
        found += map(int, children)
    return found


def private_bytes(pid: int) -> int:
    """Return the memory of a process that it shares with no file; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) * KIBIBYTE


if __name__ == "__main__":
    main()
