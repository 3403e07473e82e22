"""Does the wheel work in an empty venv, with what its description asks for? `make test-dist`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from gossamer import __version__
from scripts.dist import build_wheel

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    "GOSSAMER_DIST" not in os.environ, reason="installs from a package index: make test-dist"
)
SECONDS = 300.0  # for an answer that takes milliseconds, however busy the machine is
SMALL = "xxhash"  # a package that the wheel needs anyway


def environment() -> dict[str, str]:
    """The person's own, without what leads to this repository."""
    ours = ("GOSSAMER_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [str(part) for part in command]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=environment())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, as `pip install` leaves it in an empty venv."""
    folder = tmp_path_factory.mktemp("installed")
    wheel, python = build_wheel(folder), folder / "venv" / "bin" / "python"
    assert run(sys.executable, "-m", "venv", folder / "venv", cwd=folder).returncode == 0
    done = run(python, "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    if done.returncode:
        probe = run(python, "-m", "pip", "download", "--no-deps", "-d", folder, SMALL, cwd=folder)
        if probe.returncode:
            pytest.skip("no package index can be reached, so nothing was installed or checked")
    assert done.returncode == 0, done.stderr
    return python.with_name("gossamer")


@pytest.fixture(scope="module")
def demo(installed: Path) -> Path:
    """The data of `gossamer demo`."""
    folder = installed.parents[2]
    done = run(installed, "demo", "--no-serve", "--site-port", 0, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "data" / "demo"


def test_it_says_its_version(installed, tmp_path):
    assert run(installed, "--version", cwd=tmp_path).stdout == f"gossamer {__version__}\n"


def test_the_demo_was_crawled_and_is_found(installed, demo, tmp_path):
    found = run(installed, "search", "silk", "--data", demo, "--json", cwd=tmp_path)

    assert json.loads(found.stdout)["hits"]


def test_the_page_is_served_with_its_files(installed, demo):
    command = [installed, "serve", "--port", "0", "--data", demo]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            assert server.stderr
            address = server.stderr.readline().split()[2]
            for path in ("", "static/app.js", "search?q=silk"):
                with urllib.request.urlopen(f"{address}{path}", timeout=SECONDS) as answer:
                    assert answer.status == 200
        finally:
            server.terminate()


def test_a_stack_says_what_to_install(installed, tmp_path):
    done = run(installed, "--stack", "any", "stats", cwd=tmp_path)

    assert done.returncode == 2
    assert "pip install 'gossamer[aws]'" in done.stderr
