"""How long does each Lambda function take to import?

Builds the layers for this machine with `sam build`, compiled as for Lambda, and imports each
handler in a new interpreter without any other packages. CPU time, the best of seven; and the size.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from scripts import layer_sizes
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Report, Row, at_most
from scripts.venvs import venv

ROOT = Path(__file__).resolve().parents[3]
BUDGET_MS, BUDGET_MB = 350.0, 200.0
TIMES = 7
IMPORT = (
    "import sys, time; sys.path[:0] = sys.argv[1:]; began = time.process_time(); import app; "
    "print(1000 * (time.process_time() - began))"
)


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """This benchmark has no settings."""


def measure(_settings: argparse.Namespace) -> Report:
    """Build, then import every function."""
    with tempfile.TemporaryDirectory() as name:
        build = Path(name) / "build"
        _build(build)
        template = yaml.load((ROOT / "template.yaml").read_text(), layer_sizes.Loader)  # noqa: S506 a SafeLoader
        sizes = layer_sizes.sizes(template, build)
        rows = [_row(function, parts, build) for function, parts in sizes.items()]
    slowest = max(float(str(row["import ms"])) for row in rows)
    largest = max(float(str(row["MB"])) for row in rows)
    claims = [
        at_most("the slowest import, ms CPU", BUDGET_MS, slowest, ".0f"),
        at_most("the largest function, MB", BUDGET_MB, largest, ".0f"),
    ]
    return Report("imports", rows, claims, [], {"import_ms": slowest, "megabytes": largest})


def _build(folder: Path) -> None:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    variables = {"PYTHON_VERSION": python, "PLATFORM": "manylinux_2_28_x86_64"}
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    done = subprocess.run(
        [venv("sam") / "sam", "build", "--build-dir", folder],
        cwd=ROOT,
        env={"PATH": path, "HOME": str(Path.home()), "SAM_CLI_TELEMETRY": "0", **variables},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BenchFailure(f"sam build failed: {done.stderr[-1000:]}")


def _row(function: str, parts: dict[str, int], build: Path) -> Row:
    layers = [str(build / name / "python") for name in parts if name != "code"]
    paths = [str(ROOT / "functions" / function), *layers]
    times = [_import(paths) for _ in range(TIMES)]
    megabytes = sum(parts.values()) / layer_sizes.MEGABYTE
    return {"function": function, "import ms": f"{min(times):.0f}", "MB": f"{megabytes:.1f}"}


def _import(paths: list[str]) -> float:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", IMPORT, *paths], capture_output=True, text=True
    )
    if done.returncode:
        raise BenchFailure(f"{paths[0]} cannot be imported: {done.stderr[-500:]}")
    return float(done.stdout)
