"""Who is let in, and what of a posted body is understood?"""

from __future__ import annotations

import logging

import pytest

from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.admin import (
    KEY_KEPT,
    MAX_WRONG,
    Administration,
    BadBody,
    Denied,
    Gate,
    SecretKey,
    read_seeds,
)
from gossamer.messages import Candidate, CrawlRequest
from tests.pump import VirtualClock

KEY = "correct horse battery staple"

PARKED = "http://a.test/parked"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def gate(clock) -> Gate:
    return Gate(lambda: KEY, clock)


def shown(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def status(gate: Gate, headers: dict[str, str]) -> int:
    with pytest.raises(Denied) as refused:
        gate.admit(headers)
    return refused.value.status


def test_the_key_opens(gate):
    gate.admit(shown(KEY))
    gate.admit({"authorization": f"bearer {KEY}"})


@pytest.mark.parametrize("headers", [{}, {"authorization": ""}, {"authorization": f"Basic {KEY}"}])
def test_without_a_key_one_is_asked_for_it(gate, headers):
    assert status(gate, headers) == 401


@pytest.mark.parametrize("key", ["wrong", KEY + " ", KEY[:-1], KEY.upper(), "ключ"])
def test_any_other_key_is_refused(gate, key):
    if key.strip() == KEY:
        gate.admit(shown(key))  # spaces around it are the header's, not the key's
    else:
        assert status(gate, shown(key)) == 403


def test_after_some_wrong_keys_another_wrong_one_has_to_wait_a_minute(gate, clock):
    for _ in range(MAX_WRONG):
        assert status(gate, shown("wrong")) == 403

    assert status(gate, shown("wrong")) == 429
    clock.advance(61)
    assert status(gate, shown("wrong")) == 403


def test_wrong_keys_of_a_stranger_behind_the_same_proxy_do_not_lock_the_owner_out(gate):
    for _ in range(2 * MAX_WRONG):
        status(gate, shown("wrong"))

    gate.admit(shown(KEY))


def test_wrong_keys_of_one_client_do_not_lock_out_another(gate):
    for _ in range(MAX_WRONG + 1):
        with pytest.raises(Denied):
            gate.admit(shown("wrong"), "192.0.2.66")

    gate.admit(shown(KEY), "192.0.2.1")


def test_a_key_is_never_logged(gate, caplog):
    caplog.set_level(logging.DEBUG)
    for key in ("secret-guess", KEY):
        try:
            gate.admit(shown(key), "192.0.2.1")
        except Denied:
            continue

    assert "192.0.2.1" in caplog.text
    assert "secret-guess" not in caplog.text
    assert KEY not in caplog.text


def test_seeds_are_read_with_the_configuration_of_their_job():
    job, urls, config = read_seeds('{"urls": ["a.test"], "job": "x", "config": {"delay": 2}}')

    assert (job, urls) == ("x", ["a.test"])
    assert config is not None
    assert config.delay == 2.0


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("", "truncated"),
        ("{]", "malformed"),
        ("[]", "object"),
        ('{"urls": "a.test"}', "array"),
        ('{"urls": []}', "no urls"),
        ('{"urls": ["a.test"], "jobs": "x"}', "unknown field"),
        ('{"urls": ["a.test"], "config": {"dellay": 1}}', "did you mean 'delay'"),
        ('{"urls": ["a.test"], "config": {"delay": -1}}', "delay"),
        (
            '{"urls": ["a.test"], "config": {"link_scope": "//a["}}',
            "link_scope: '//a\\[' is no XPath",
        ),
        ('{"urls": ["a.test"], "config": {"exclude": ["((a{999}){999})"]}}', "is not usable"),
    ],
)
def test_what_is_wrong_with_a_body_is_said(body, word):
    with pytest.raises(BadBody, match=word):
        read_seeds(body)


def test_a_changed_key_is_noticed_after_a_while(clock):
    keys = iter(["old", "new"])
    key = SecretKey(lambda: next(keys), clock)

    first, again = key(), key()
    clock.advance(KEY_KEPT + 1)

    assert (first, again, key()) == ("old", "old", "new")


def parked(home) -> Administration:
    """A job that runs, with a URL that is parked."""
    steered = Administration(home, "https://example.org/crawler")
    steered.seed("docs", ["http://a.test/"], None)
    home.urls.add([Discovery(url_id(PARKED), PARKED, "a.test", 0)], b"", 100.0)
    home.frontier.park(CrawlRequest(job="docs", host="a.test", urls=[Candidate(PARKED)]), 100.0)
    return steered


@pytest.mark.only("moto")
def test_who_stops_a_job_over_http_excludes_what_is_parked(any_home):
    stopped = parked(any_home).steer("docs", "stop")

    record = any_home.urls.get(url_id(PARKED))
    assert stopped is not None
    assert stopped.state == "stopped"
    assert (record.state.value, record.reason) == ("excluded", "stopped")
    assert not any_home.frontier.has_packs()


@pytest.mark.only("moto")
def test_who_resumes_a_job_over_http_wakes_what_is_parked(any_home):
    steered = parked(any_home)
    steered.steer("docs", "pause")

    resumed = steered.steer("docs", "resume")

    assert resumed is not None
    assert resumed.state == "running"
    assert any_home.queues.depth()["frontier"] == 1


def test_there_is_nothing_to_pause_in_a_job_that_has_ended(any_home):
    steered = parked(any_home)
    steered.steer("docs", "stop")

    with pytest.raises(Denied, match="nothing to pause") as refused:
        steered.steer("docs", "pause")

    assert refused.value.status == 409


def test_a_job_is_seeded_shown_and_steered(any_home):
    steered = Administration(any_home, "https://example.org/crawler")

    seeded = steered.seed("docs", ["a.test"], None)
    paused = steered.steer("docs", "pause")

    record = any_home.jobs.get("docs")
    assert seeded.new == ["https://a.test/"]
    assert paused is not None
    assert (paused.state, [view.job for view in steered.jobs()]) == ("paused", ["docs"])
    assert record.config.contact == "https://example.org/crawler"
    assert steered.steer("other", "stop") is None
