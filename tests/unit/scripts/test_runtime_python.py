"""Is an interpreter of Lambda's version found wherever it is, and its absence not passed over?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from scripts import runtime_python

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch) -> Path:
    """A machine without any Python but ours."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.delenv("WITHOUT_BYTECODE", raising=False)
    return tmp_path


def program(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def test_a_signpost_on_the_path_is_passed_by_for_the_version_of_pyenv(empty, capsys):
    program(empty / "bin" / "python3.13", "exit 127")
    real = program(empty / "pyenv" / "versions" / "3.13.0" / "bin" / "python", "echo 3.13")

    assert runtime_python.main(["3.13", "--stage", "prod"]) == 0

    assert capsys.readouterr().out.strip() == str(real)


def test_an_interpreter_of_uv_is_found(empty):
    real = program(empty / "uv" / "python", "echo 3.13")
    program(empty / "bin" / "uv", f"echo {real}")

    assert runtime_python.find("3.13") == str(real)


def test_one_of_another_version_is_none(empty):
    program(empty / "bin" / "python3.13", f"echo {sys.version_info.major}.1")

    assert runtime_python.find("3.13") == ""


@pytest.mark.parametrize(
    ("stage", "told", "code"), [("dev", "", 0), ("prod", "", 1), ("prod", "1", 0)]
)
def test_without_one_it_says_what_that_costs_and_refuses_for_prod(
    empty, monkeypatch, capsys, stage, told, code
):
    monkeypatch.setenv("WITHOUT_BYTECODE", told)

    assert runtime_python.main(["3.13", "--stage", stage]) == code

    assert "1,155 ms" in capsys.readouterr().err
