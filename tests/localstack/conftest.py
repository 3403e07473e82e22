"""What do the tests of the LocalStack plugins share? A function's folder and a client to run it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "localstack" / "src"
sys.path.append(str(SOURCE))  # installed only where LocalStack is

CLIENT = Path(__file__).with_name("runtime_client.py")
LOCALSTACK = ROOT / ".venv-localstack" / "bin" / "python"


@pytest.fixture
def program(tmp_path):
    """Make a program of Python source that defines `handler(event)`."""
    from localstack_host.environment import Program

    def make(source: str, timeout: float = 20.0) -> Program:
        folder = tmp_path / "code"
        folder.mkdir(exist_ok=True)
        app = folder / "app.py"
        if not app.exists() or app.read_text(encoding="utf-8") != source:
            app.write_text(source, encoding="utf-8")  # once: another may be importing it
        environment = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
        return Program([sys.executable, "-S", str(CLIENT)], folder, environment, timeout)

    return make


@pytest.fixture
def environment(program, tmp_path):
    """Make environments, and leave none behind."""
    from localstack_host.environment import Environment, kill_all

    def make(source: str, timeout: float = 20.0) -> Environment:
        made = Environment(program(source, timeout), tmp_path / "logs" / "function.log")
        made.start()
        return made

    yield make
    kill_all()
