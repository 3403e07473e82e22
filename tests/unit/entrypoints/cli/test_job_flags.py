"""Do a job file and flags describe one job together?"""

from __future__ import annotations

import argparse

import pytest

from gossamer.core.crawl.job import DEFAULT_JOB, JobConfig, ScopeConfig
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags


def parsed(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    job_flags.add_crawl_flags(parser)
    return parser.parse_args(argv)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text(
        'seeds = ["http://a.test/"]\nmax_pages = 5\ndelay = 2.0\n[scope]\nhosts = ["a.test"]\n'
    )
    return str(path)


def test_flags_override_a_file_key_by_key(file):
    config = job_flags.job_config(parsed("--config", file, "--max-pages", "9"))

    assert (config.max_pages, config.delay) == (9, 2.0)


def test_seeds_of_the_command_line_come_after_those_of_the_file(file):
    config = job_flags.job_config(parsed("b.test", "--config", file))

    assert config.seeds == ["http://a.test/", "b.test"]


def test_a_scope_flag_changes_only_its_own_part_of_the_scope(file):
    config = job_flags.job_config(parsed("--config", file, "--include", "/docs/"))

    assert config.scope == ScopeConfig(hosts=["a.test"], include=["/docs/"])


def test_flags_change_a_job_that_is_there_and_leave_the_rest():
    before = JobConfig(max_pages=5, delay=2.0, scope=ScopeConfig(domains=["a.test"]))

    config = job_flags.described(parsed("--delay", "3", "--no-follow"), before)

    assert config == JobConfig(max_pages=5, delay=3.0, follow=False, scope=before.scope)


def test_a_job_without_seeds_is_refused():
    with pytest.raises(ConfigurationError, match="nothing to crawl"):
        job_flags.job_config(parsed("--max-pages", "5"))


@pytest.mark.parametrize(
    ("argv", "describes"),
    [
        (["http://a.test/"], False),
        (["--quiet", "--job", "x"], False),
        (["--no-sitemaps"], True),
        (["--anywhere"], True),
        (["--host", "a.test"], True),
    ],
)
def test_only_a_file_or_a_flag_of_a_job_describes_one(argv, describes):
    assert job_flags.describes_job(parsed(*argv)) == describes


def test_a_job_that_is_not_named_has_the_default_name():
    assert job_flags.job_name(parsed()) == DEFAULT_JOB
    assert job_flags.job_name(parsed("--job", "docs")) == "docs"
