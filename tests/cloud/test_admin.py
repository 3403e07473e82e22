"""Who may steer a deployed crawl over HTTP, and what do bad calls get?"""

from __future__ import annotations

import sys

import pytest

from tests.cloud import crawls
from tests.sites.generated import Site, star


@pytest.fixture(scope="module")
def key(stack) -> str:
    """The admin key, as an operator reads it."""
    secrets = stack.client("secretsmanager")
    return str(secrets.get_secret_value(SecretId=f"{stack.name}-admin-key")["SecretString"])


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("path", ["/jobs", "/jobs/web"])
def test_without_a_key_nothing_is_told(stack, path):
    reply = stack.ask(path)

    assert (reply.status, reply.json["error"]["code"]) == (401, "unauthorized")


def test_seeds_posted_with_the_key_are_crawled(stack, site, key):
    origin = site.origin("127.0.0.19")
    given = Site(origin)
    pages = star(given, origin, 3)
    site.publish(given)
    config = {"delay": 0.0, "allow_private": True}
    body = {"job": "posted", "urls": [f"{origin}/", "not a url"], "config": config}

    reply = stack.ask("/seeds", body, bearer(key))
    crawls.finish(stack, "posted")

    assert reply.json["new"] == [f"{origin}/"]
    assert [refused["url"] for refused in reply.json["refused"]] == ["not a url"]
    assert crawls.states(stack, origin) == dict.fromkeys(pages, "parsed")


def test_jobs_can_be_paused_and_resumed(stack, key):
    ended = stack.ask("/jobs/posted/pause", {}, bearer(key))
    resumed = stack.ask("/jobs/posted/resume", {}, bearer(key)).json["state"]
    paused = stack.ask("/jobs/posted/pause", {}, bearer(key)).json["state"]
    stack.ask("/jobs/posted/resume", {}, bearer(key))
    listed = {job["job"] for job in stack.ask("/jobs", headers=bearer(key)).json["jobs"]}

    assert (ended.status, ended.json["error"]["code"]) == (409, "conflict")
    assert (paused, resumed) == ("paused", "running")
    assert "posted" in listed
    assert stack.ask("/jobs/unknown/pause", {}, bearer(key)).status == 404


def test_a_wrong_key_is_refused_and_soon_the_client_too(stack):
    statuses = {stack.ask("/jobs", headers=bearer("wrong")).status for _ in range(12)}

    assert statuses <= {403, 429}
    assert 403 in statuses


def test_enqueue_says_what_is_wrong_in_one_line(stack):
    bad_url = crawls.run(stack, sys.executable, crawls.ENQUEUE, "--stack", stack.name, "nonsense")
    no_stack = crawls.run(stack, sys.executable, crawls.ENQUEUE, "--stack", "no-stack", "a.test")

    for done, word in ((bad_url, "nonsense"), (no_stack, "no-stack")):
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert word in done.stderr
