"""Is the limit on open files raised as far as it may be, or the lack of it told in a sentence?"""

from __future__ import annotations

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import homes
from gossamer.adapters.process_limits import allow_open_files
from gossamer.core.crawl.job import JobConfig
from gossamer.core.errors import ConfigurationError
from tests.commands import run_here

LIMITS = st.one_of(st.integers(0, 2_000), st.just(resource.RLIM_INFINITY))


class System:
    """The limits of a system, with a bound of its own that the hard limit does not tell."""

    def __init__(self, soft: int, hard: int, bound: int = 1 << 20) -> None:
        self.limits, self.bound = (soft, hard), bound

    def getrlimit(self, _kind: int) -> tuple[int, int]:
        return self.limits

    def setrlimit(self, _kind: int, limits: tuple[int, int]) -> None:
        if limits[0] > self.bound:
            raise ValueError("not allowed to raise maximum limit")
        self.limits = limits


@pytest.fixture
def system(monkeypatch):
    def make(*limits: int) -> System:
        made = System(*limits)
        monkeypatch.setattr(resource, "getrlimit", made.getrlimit)
        monkeypatch.setattr(resource, "setrlimit", made.setrlimit)
        return made

    return make


@given(LIMITS, LIMITS, st.integers(1, 2_000), st.integers(0, 500))
def test_the_limit_is_raised_to_what_is_wanted_and_never_lowered(soft, hard, least, spare):
    infinite = resource.RLIM_INFINITY
    if soft == infinite or (hard != infinite and soft > hard):
        soft = hard
    made, wanted = System(soft, hard), least + spare
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resource, "getrlimit", made.getrlimit)
        patch.setattr(resource, "setrlimit", made.setrlimit)
        try:
            allowed = allow_open_files(wanted, least, "a crawl")
        except ConfigurationError:
            assert hard != infinite
            assert hard < least
            return

    assert allowed >= least
    assert allowed >= wanted or allowed == hard
    assert made.limits[1] == hard
    assert made.limits[0] == infinite or made.limits[0] >= soft


def test_a_bound_that_the_system_does_not_tell_is_told_in_a_sentence(system):
    system(256, resource.RLIM_INFINITY, 256)

    with pytest.raises(ConfigurationError) as refused:
        allow_open_files(1_000, 500, "`gossamer serve`")

    assert str(refused.value) == (
        "`gossamer serve` needs up to 500 open files and connections, and the system allows 256;"
        " raise the limit, for example with `ulimit -n 1000`"
    )


def test_a_crawl_that_can_have_its_connections_keeps_fewer_for_later(system):
    system(100, 120)

    fetcher = homes.http_fetcher(JobConfig(concurrency=32))

    assert fetcher._limits.idle_connections == 120 - homes.OWN_FILES - 32


def test_a_crawl_that_cannot_have_its_connections_is_refused(system):
    system(64, 90)

    with pytest.raises(ConfigurationError, match="a crawl with a concurrency of 32 needs up to 96"):
        homes.http_fetcher(JobConfig(concurrency=32))


@pytest.mark.parametrize(
    "command",
    [["crawl", "http://a.test/", "--quiet"], ["serve", "--port", "0"]],
    ids=lambda c: c[0],
)
def test_a_command_with_few_files_ends_with_one_sentence(command, system, tmp_path):
    system(40, 40)

    done = run_here(*command, "--data", tmp_path)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the system allows 40" in done.stderr
