"""Where do the libraries live that we are compared with, and how are they asked?

Each in an environment of its own, made on first use; a script there takes and gives JSON.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import Command, require
from scripts.bench.machine.progress import tell

ROOT = Path(__file__).parents[3]  # where `python -m scripts.bench` works for any interpreter
INSTALL_LIMIT = 900.0  # seconds
ANSWER_LIMIT = 1800.0  # seconds to answer


def interpreter(cache: Path, name: str, package: str) -> Path:
    """A Python that has a package, in the environment of that name."""
    environment = cache / name
    program = environment / "bin" / "python"
    if not any(environment.glob(f"lib/python*/site-packages/{package}")):
        tell(f"installing {package} into {environment}")
        require([sys.executable, "-m", "venv", environment], limit=INSTALL_LIMIT)
        require([program, "-m", "pip", "install", "-q", package], limit=INSTALL_LIMIT)
    return program


def ask(command: Command, task: dict[str, Any]) -> dict[str, Any]:
    """Run a script that takes and gives JSON."""
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
