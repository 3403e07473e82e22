"""Virtual environments for the libraries compared with, and scripts that run in them.

Each library is installed into its own environment on first use. A script takes a JSON object on
stdin and prints one.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import require
from scripts.bench.machine.progress import log
from scripts.bench.machine.running import Command

ROOT = Path(__file__).parents[3]  # any interpreter finds `scripts.bench` from here
INSTALL_LIMIT = 900.0  # seconds
ANSWER_LIMIT = 1800.0  # seconds for one script


def interpreter(cache: Path, name: str, package: str) -> Path:
    """The Python of the environment `name`, with `package` installed."""
    environment = cache / name
    program = environment / "bin" / "python"
    if not any(environment.glob(f"lib/python*/site-packages/{package}")):
        log(f"installing {package} into {environment}")
        require([sys.executable, "-m", "venv", environment], limit=INSTALL_LIMIT)
        require([program, "-m", "pip", "install", "-q", package], limit=INSTALL_LIMIT)
    return program


def run_json(command: Command, task: dict[str, Any]) -> dict[str, Any]:
    """Run a script with a JSON object on stdin; returns the one it prints."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=json.dumps(task),
        capture_output=True,
        text=True,
        timeout=ANSWER_LIMIT,
        check=False,
    )
    if done.returncode != 0:
        raise BenchFailure(f"{command[-1]}: exit {done.returncode}\n{done.stderr[-500:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said
