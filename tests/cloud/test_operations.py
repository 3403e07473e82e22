"""Does every command of docs/operations.md work as it stands there?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.cloud import crawls
from tests.cloud.building import build_command
from tests.cloud.harness import Stack
from tests.cloud.queues import wait_for

PAGE = crawls.ROOT / "docs" / "operations.md"
SITE = "http://127.0.0.1:8800/"
# Needs what a test already has (tools, an emulator), builds for Lambda's own machine, or needs EMR
# or a collection in data/ (tests/contract/test_transfer.py copies one).
ELSEWHERE = ("make setup", "make deploy", "make emulator", "aws s3 cp", "gossamer push")


def blocks() -> list[str]:
    """The commands of the page, block by block, in order."""
    found = re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in found if not block.startswith(ELSEWHERE)]


@pytest.fixture(scope="module")
def demo_site():
    """The site that the page crawls."""
    command = [sys.executable, "-m", "gossamer.entrypoints.demo.site", "--port", "8800"]
    with subprocess.Popen(command, cwd=crawls.ROOT, stdout=subprocess.DEVNULL) as server:
        wait_for(_answers, 20, "the demo site does not answer")
        yield
        server.terminate()


def _answers() -> bool:
    try:
        with urllib.request.urlopen(SITE, timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture
def shell(stack, tmp_path):
    """Runs a block as a reader of the page would; what it writes goes elsewhere."""
    bins = [crawls.ROOT / ".venv" / "bin", crawls.ROOT / ".venv-sam" / "bin"]
    path = os.pathsep.join([*map(str, bins), os.environ["PATH"]])

    def run(block: str) -> subprocess.CompletedProcess[str]:
        moved = re.sub(r"--output (\S+)", rf"--output {tmp_path}/\1", block)
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", moved],
            cwd=crawls.ROOT,
            env=stack.environment | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def test_every_command_works_in_the_order_of_the_page(stack, emulator, shell, demo_site):
    if emulator.kind != "ministack":
        # moto copies all tables for each transaction. With those of two stacks, a message takes
        # longer there than its slot waits for it, and is sent back for another, and another.
        pytest.skip("too slow for slots of 0.1 s; the commands are the same on every endpoint")
    dev = Stack(emulator, "gossamer-dev", Path("unused"))
    given = blocks()
    deploy = next(n for n, block in enumerate(given) if "sam deploy --config-env" in block)
    given.insert(0, given.pop(deploy))  # the page lists outputs of an earlier deployment first

    assert f"{build_command()}\n" in given[0]  # as the fixture `building` has done

    for block in given:
        done = shell(block.replace(f"{build_command()}\n", ""))
        assert done.returncode == 0, f"{block}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        if "--max-pages 8" in block:  # the next one goes on while the rest of the page is read
            _let_it_crawl(dev)


def _let_it_crawl(stack: Stack) -> None:
    time.sleep(1.0)
    crawls.finish(stack)
