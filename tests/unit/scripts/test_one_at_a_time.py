"""Do two commands under one name wait for each other?"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from scripts.one_at_a_time import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BUSY = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
(folder / "inside").mkdir()  # fails if another one is inside
time.sleep(0.3)
(folder / "inside").rmdir()
"""


def started(name: str, folder: Path, code: str = BUSY) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scripts.one_at_a_time", name]
    return subprocess.Popen([*command, sys.executable, "-c", code, folder], cwd=ROOT)


def test_commands_of_one_name_run_one_after_the_other(tmp_path: Path):
    running = [started(tmp_path.name, tmp_path) for _ in range(3)]

    assert [each.wait(60) for each in running] == [0, 0, 0]


def test_the_exit_code_is_that_of_the_command(tmp_path: Path):
    assert started(tmp_path.name, tmp_path, "raise SystemExit(7)").wait(60) == 7
