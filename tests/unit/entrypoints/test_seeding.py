"""Seeding: what happens to URLs that a person gives to a home."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import url_id
from gossamer.entrypoints.seeding import seed


class Outbox:
    """Queues that keep what is sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def send(self, emissions, now):
        self.messages += [emission.message for emission in emissions]


@pytest.fixture
def outbox() -> Outbox:
    return Outbox()


@pytest.fixture
def give(any_home, outbox):
    """Gives URLs to a home: `give("a.test", config=…)`."""

    def given(*urls, job="web", config=None):
        home = SimpleNamespace(
            jobs=any_home.jobs, urls=any_home.urls, queues=outbox, sums=any_home.sums
        )
        return seed(job, urls, config, home=home, now=100.0)

    return given


def test_new_urls_go_to_links_as_seeds(give, outbox):
    report = give("https://a.test/", "b.test/x", config=JobConfig())

    assert report.new == ["https://a.test/", "https://b.test/x"]
    (message,) = outbox.messages
    assert (message.via, [link.url for link in message.links]) == ("seed", report.new)


def test_known_ones_are_told_and_not_sent_again(any_home, give, outbox):
    url = "https://a.test/"
    any_home.urls.add([Discovery(url_id(url), url, "a.test", 0, job="web")], b"", 1.0)

    report = give(url, config=JobConfig())

    assert (report.new, report.known) == ([], [url])
    assert outbox.messages == []


def test_what_is_no_address_is_refused_and_the_rest_goes_on(give):
    report = give("ftp://a.test/", "nonsense", "https://b.test/", config=JobConfig())

    assert report.new == ["https://b.test/"]
    assert [refused.url for refused in report.refused] == ["ftp://a.test/", "nonsense"]


def test_the_hosts_of_seeds_join_the_scope_call_after_call(any_home, give):
    give("https://a.test/", config=JobConfig(delay=3.0))
    give("https://b.test/")

    config = any_home.jobs.get("web").config

    assert {"a.test", "b.test"} <= set(config.scope.hosts)
    assert config.delay == 3.0
    assert config.seeds == []


def test_a_job_that_says_where_it_may_go_refuses_what_lies_elsewhere(give):
    config = JobConfig(exclude=["/private/"])

    report = give("https://a.test/private/x", config=config)

    assert report.new == []
    assert "exclude pattern" in report.refused[0].reason


def test_a_finished_job_runs_again_for_new_seeds(any_home, give):
    give("https://a.test/", config=JobConfig())
    any_home.jobs.set_state("web", "finished")

    give("https://a.test/more")

    assert any_home.jobs.get("web").state == "running"


def test_a_paused_job_stays_paused(any_home, give):
    give("https://a.test/", config=JobConfig())
    any_home.jobs.set_state("web", "paused")

    give("https://a.test/more")

    assert any_home.jobs.get("web").state == "paused"
