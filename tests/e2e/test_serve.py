"""Does `gossamer serve` answer with several processes, and leave none behind?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.commands import judged_folder, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is
COMMAND = [sys.executable, "-c", "import sys; from gossamer.entrypoints.cli.main import main;"
           "sys.exit(main())", "serve", "--port", "0", "--processes", "2", "--data"]  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    said("index", "--data", tmp_path / "data", judged_folder(tmp_path / "judged"))
    return tmp_path / "data"


@contextmanager
def serving(data: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`gossamer serve`, and its address."""
    command = [*COMMAND, str(data), *more]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stderr
            yield program, program.stderr.readline().split()[2]
        finally:
            program.kill()


def children(pid: int) -> set[int]:
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return set(map(int, listed.stdout.split()))


def total(address: str, query: str) -> int:
    with urllib.request.urlopen(f"{address}search?q={query}", timeout=SECONDS) as answer:
        return int(json.load(answer)["total"])


def wait_until_gone(pids: set[int]) -> None:
    deadline = time.monotonic() + SECONDS
    while any(map(_is_alive, pids)):
        assert time.monotonic() < deadline, "a process was left behind"
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_process_is_replaced_and_every_request_answered(data):
    with serving(data) as (program, address):
        before = children(program.pid)
        assert len(before) == 2

        os.kill(min(before), signal.SIGKILL)

        deadline = time.monotonic() + SECONDS
        while len(now := children(program.pid) - {min(before)}) < 2:
            assert total(address, "steel") == 2
            assert time.monotonic() < deadline, "it was not replaced"
        assert total(address, "steel") == 2
        assert len(now & before) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes(data, number):
    with serving(data) as (program, address):
        ended = children(program.pid)
        assert total(address, "silk") == 1

        program.send_signal(number)

        assert program.wait(SECONDS) == 0
        wait_until_gone(ended)


def test_no_process_outlives_a_parent_that_is_killed(data):
    with serving(data) as (program, _):
        ended = children(program.pid)

        program.kill()

        wait_until_gone(ended)


def test_synonyms_that_were_put_with_the_key_hold_in_every_process(data, tmp_path):
    key = tmp_path / "key"
    key.write_text("a key of this test")
    key.chmod(0o600)
    with serving(data, "--admin-key", str(key)) as (_, address):
        assert [total(address, f"pupa&page={page}") for page in (1, 2, 3)] == [0, 0, 0]

        headers = {"Authorization": f"Bearer {key.read_text()}", "Content-Type": "text/plain"}
        put = urllib.request.Request(
            f"{address}synonyms", b"pupa, steel", {**headers, "If-Match": "*"}, method="PUT"
        )
        with urllib.request.urlopen(put, timeout=SECONDS) as answer:
            assert json.load(answer) == {"version": 1, "rules": 1}

        # Other addresses go to other processes.
        assert {total(address, f"pupa&limit={limit}") for limit in range(1, 9)} == {2}
