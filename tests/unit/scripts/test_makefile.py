"""Does `make` find a Python that Gossamer runs on, and say what to do where there is none?"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from scripts.dist import ROOT

if TYPE_CHECKING:
    from pathlib import Path

MAKE = shutil.which("make")
TOOLS = ("sh", "expr", "getconf")  # that the Makefile calls before any Python

pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not installed")


def make_setup(folder: Path, pythons: list[str], *more: str) -> subprocess.CompletedProcess[str]:
    """Run `make setup` where only some Pythons are on the path; each only says its name."""
    tools = folder / "bin"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(str(shutil.which(name)))
    for name in pythons:
        (tools / name).write_text('#!/bin/sh\necho "called: ${0##*/}"\n')
        (tools / name).chmod(0o755)
    command = [str(MAKE), "--no-print-directory", "setup", f"VENV={folder / 'venv'}", *more]
    environment = {"PATH": str(tools)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("pythons", "called"),
    [
        (["python3.11"], "python3.11"),
        (["python3.14", "python3.12", "python3"], "python3.12"),
        (["python3.13", "python3.14"], "python3.13"),
        (["python3.9", "python3.14"], "python3.14"),
    ],
)
def test_the_first_python_that_exists_is_taken(tmp_path, pythons, called):
    done = make_setup(tmp_path, pythons)

    assert (done.returncode, done.stdout) == (0, f"called: {called}\n")


@pytest.mark.parametrize("pythons", [[], ["python3"], ["python3", "python3.10"]])
def test_without_a_python_it_says_what_to_do(tmp_path, pythons):
    done = make_setup(tmp_path, pythons)

    assert (done.returncode, done.stdout) == (2, "")
    assert "Python 3.11 to 3.14 was not found" in done.stderr
    assert "make PYTHON=/path/to/python3.12" in done.stderr


def test_a_python_that_is_named_is_taken(tmp_path):
    done = make_setup(tmp_path, ["python3.11", "python3.10"], "PYTHON=python3.10")

    assert (done.returncode, done.stdout) == (0, "called: python3.10\n")
