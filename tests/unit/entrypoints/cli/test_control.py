"""Do pause, resume and stop say what they did when no crawl is running?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.core.crawl.job import JobConfig
from gossamer.settings import Settings
from tests.commands import complains, run_here, said


@pytest.fixture
def settings(tmp_path):
    """A collection with a job that was interrupted."""
    settings = Settings(data=str(tmp_path / "data"))
    home = homes.open_home(settings)
    home.jobs.configure("crawl", JobConfig(seeds=["http://a.test/"]), 1.0)
    home.close()
    return settings


def state(settings: Settings) -> str:
    home = homes.open_home(settings, read_only=True)
    record = home.jobs.get("crawl")
    assert record is not None
    return record.state


def test_stop_ends_a_job_that_was_interrupted(settings):
    done = said("stop", "--data", settings.data)

    assert done == {"job": "crawl", "command": "stop", "running": False}
    assert state(settings) == "stopped"


@pytest.mark.parametrize("command", ["pause", "resume"])
def test_what_does_not_run_is_neither_paused_nor_resumed(settings, command):
    done = run_here(command, "--data", settings.data)

    assert done.stdout.startswith(f"{command}: no crawl is running")
    assert state(settings) == "running"


def test_an_unknown_job_is_named_with_those_there_are(settings):
    complaint = complains("stop", "--data", settings.data, "--job", "other")

    assert "'other'" in complaint
    assert "crawl" in complaint
