"""The machine that a benchmark ran on."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path


def describe() -> dict[str, object]:
    """Cores, processor, memory, load, Python and date."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": _field(Path("/proc/cpuinfo"), "model name"),
        "memory": _field(Path("/proc/meminfo"), "MemTotal"),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": platform.platform(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _field(file: Path, name: str) -> str:
    """The value of the first `name : value` line."""
    for line in file.read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"
