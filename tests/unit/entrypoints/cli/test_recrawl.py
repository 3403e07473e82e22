"""Do the flags of `gossamer recrawl` change how a job is kept fresh?"""

from __future__ import annotations

import argparse

import pytest

from gossamer.core.crawl.job import RecrawlConfig
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.recrawl import add_arguments, recrawl_config
from tests.unit.entrypoints.moto_stack import STACK, begin_job, home, result, run


def parsed(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(argv)


def test_a_flag_changes_its_key_and_leaves_the_others():
    config = recrawl_config(parsed("--budget", "50"), RecrawlConfig(target=0.9))

    assert config == RecrawlConfig(target=0.9, budget=50.0)


def test_what_cannot_be_a_target_is_refused():
    with pytest.raises(ConfigurationError, match="target"):
        recrawl_config(parsed("--target", "2"), RecrawlConfig())


def test_a_job_of_a_stack_that_runs_is_not_crawled_again(capsys, stack):
    begin_job()

    code, _, err = run(capsys, "--stack", STACK, "recrawl")

    assert (code, err) == (2, "gossamer: job 'crawl' is running: it has not ended yet\n")


def test_a_dry_run_leaves_a_job_of_a_stack_ended(capsys, stack):
    begin_job()
    home().jobs.set_state("crawl", "finished")

    done = result(capsys, "recrawl", "--dry-run")

    assert done["job"] == "crawl"
    assert home().jobs.unfinished() == []
