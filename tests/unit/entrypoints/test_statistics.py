"""Are crawls that are paused, stopped and killed told apart?"""

from __future__ import annotations

from contextlib import closing

import pytest

from gossamer import homes
from gossamer.core.crawl.job import DEFAULT_JOB, JobConfig
from gossamer.entrypoints.statistics import collection_stats
from gossamer.ports.home import CRAWL
from gossamer.settings import Settings
from tests.commands import run_here, said


@pytest.fixture
def settings(tmp_path):
    return Settings(data=str(tmp_path / "data"))


def begin(settings, state):
    """A job in a state, as a crawl writes it."""
    home = homes.open_home(settings)
    home.lock(CRAWL)
    home.jobs.configure(DEFAULT_JOB, JobConfig(seeds=["http://a.test/"]), 1.0)
    home.jobs.set_state(DEFAULT_JOB, state, "stopped" if state == "stopped" else "")
    home.commit()
    return home


def states(settings):
    """As `stats` and the API tell it."""
    with closing(homes.open_home(settings, read_only=True)) as home:
        api = collection_stats(home, 0, 0, 2.0).crawl_state
    return said("stats", "--data", settings.data)["state"], api


@pytest.mark.parametrize("state", ["running", "paused", "stopped", "finished"])
def test_while_the_process_lives_the_state_is_its_own(settings, state):
    with closing(begin(settings, state)):
        assert states(settings) == (state, state)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("running", "interrupted"),
        ("paused", "interrupted"),
        ("stopped", "stopped"),
        ("finished", "finished"),
    ],
)
def test_without_a_process_what_was_at_work_is_interrupted(settings, state, told):
    begin(settings, state).close()  # the lock is free, as after a kill

    assert states(settings) == (told, told)


def test_another_command_in_the_collection_is_no_crawl(settings):
    begin(settings, "running").close()
    with closing(homes.open_home(settings)) as home:
        home.lock("index")

        assert states(settings) == ("interrupted", "interrupted")


@pytest.mark.parametrize(
    ("state", "advice"),
    [("running", "Run the same command again"), ("stopped", "Run the same command again")],
)
def test_a_person_reads_how_it_goes_on(settings, state, advice):
    begin(settings, state).close()

    assert advice in run_here("stats", "--data", settings.data).stdout


def test_a_paused_crawl_names_the_command_that_resumes_it(settings):
    with closing(begin(settings, "paused")):
        assert "gossamer resume" in run_here("stats", "--data", settings.data).stdout
