"""Can a read-only folder be searched and served?"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.commands import complains, found, judged_folder, said
from tests.e2e.crawls import GOSSAMER, PATIENCE, environment
from tests.e2e.test_cli import without_privilege

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path):
    """An indexed collection that was closed, in a folder without the right to write."""
    data = tmp_path / "data and %20more"  # a name that an address must quote
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    places = [data, *(path for path in data.rglob("*") if path.is_dir())]
    for path in places:
        path.chmod(0o555)
    yield data
    for path in places:
        path.chmod(0o755)


def run_unprivileged(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*without_privilege(), GOSSAMER, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(),
    )


def contents(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize(
    "command", ["search silk", "inspect", "export --what documents", "settings"]
)
def test_it_can_be_read_and_nothing_is_made(folder, command):
    before = contents(folder)

    done = run_unprivileged(*command.split(), "--data", folder)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
    assert contents(folder) == before


def test_it_can_be_served(folder):
    with subprocess.Popen(
        [*without_privilege(), GOSSAMER, "serve", "--port", "0", "--data", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as program:
        try:
            assert program.stderr
            address = program.stderr.readline().split()[2]
            with urllib.request.urlopen(f"{address}search?q=silk", timeout=PATIENCE) as answer:
                assert json.load(answer)["total"] == 1
            with urllib.request.urlopen(f"{address}stats", timeout=PATIENCE) as answer:
                assert json.load(answer)["documents"] == 3
        finally:
            program.kill()


def test_it_cannot_be_written_and_that_is_one_line(folder):
    done = run_unprivileged("compact", "--data", folder)

    assert done.returncode != 0
    assert done.stderr.startswith("gossamer: ")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def full_disk(tmp_path):
    """An indexed collection on a disk of its own without a free byte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    mounting = [str(mount), "-t", "tmpfs", "-o", "size=3m", "none", str(disk)]
    if not (mount and unmount) or subprocess.run(mounting, check=False).returncode:
        pytest.skip("no disk of a small size can be mounted here")
    try:
        said("index", "--data", disk / "data", judged_folder(tmp_path / "judged"))
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        yield disk / "data"
    finally:
        subprocess.run([str(unmount), "-l", str(disk)], check=True)


def test_a_full_disk_can_be_searched_and_writing_says_that_it_is_full(full_disk):
    assert found(full_disk, "silk") == ["beir:d2"]

    assert "the disk is full; make room" in complains("compact", "--data", full_disk)


def test_one_that_was_not_closed_says_what_to_do(folder):
    folder.chmod(0o755)
    shutil.copy(folder / "web.db", folder / "web.db-wal")  # what a kill leaves: a log with bytes
    folder.chmod(0o555)

    done = run_unprivileged("search", "silk", "--data", folder)

    assert done.returncode == 2
    assert "was not closed" in done.stderr
    assert done.stderr.count("\n") == 1
