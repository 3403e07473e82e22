"""Build the wheel that `pip install` takes.

    make dist                             builds dist/gossamer-VERSION-py3-none-any.whl
    python -m scripts.dist FOLDER         builds it there

It is built from a copy: setuptools puts into a wheel whatever an earlier build left behind.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "layers" / "gossamer"
LEGAL = ("LICENSE", "NOTICE")
LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
BUILD = "import sys, setuptools.build_meta as builder; print(builder.build_wheel(sys.argv[1]))"


def main(argv: list[str] | None = None) -> int:
    """Build the wheel and say where it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist")
    wheel = build_wheel(parser.parse_args(argv).folder)
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB): pip install it, then `gossamer demo`")
    return 0


def build_wheel(folder: Path) -> Path:
    """Build the wheel into a folder, without a package index."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gossamer-dist-") as temporary:
        copy = Path(temporary) / "gossamer"
        shutil.copytree(PACKAGE, copy, ignore=LEFTOVERS)
        for name in LEGAL:
            shutil.copy(ROOT / name, copy)
        done = subprocess.run(
            [sys.executable, "-c", BUILD, folder.resolve()],
            cwd=copy,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return folder / done.stdout.splitlines()[-1]


if __name__ == "__main__":
    sys.exit(main())
