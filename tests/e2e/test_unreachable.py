"""Is the cause shown if a host cannot be reached, and http tried for a seed without a scheme?"""

from __future__ import annotations

import json
import socket

import pytest

from tests.commands import run_here, said
from tests.e2e.crawls import crawl_flags
from tests.sites.generated import Resource, Site, star

CLOSED = "http://127.0.0.1:9/"  # the port "discard": nothing listens there
REFUSED = "the host refused the connection"
QUICK = ("--allow-private", "--delay", "0", "--workers", "1")


@pytest.fixture
def site(server):
    made = Site(server.origin())
    star(made, made.origin, 3)
    return server.publish(made)


def test_the_cause_is_shown_at_once_and_with_every_try(data):
    flags = ("--retries", "1", "--retry-wait", "0.3")

    done = run_here("crawl", CLOSED, "--data", data, *QUICK, *flags)

    first, second, *_ = done.stderr.splitlines()
    assert first == f"127.0.0.1:9: {REFUSED} (try 1 of 2)"
    assert second == f"127.0.0.1:9: {REFUSED} (try 2 of 2)"
    assert done.stderr.splitlines()[-1].endswith(f"so nothing may be asked: {REFUSED}")


def test_explain_url_names_the_cause_and_blames_no_robots_txt(data):
    run_here("crawl", CLOSED, "--data", data, *QUICK, "--retries", "0", "--quiet")

    life = said("explain-url", CLOSED, "--data", data)
    text = run_here("explain-url", CLOSED, "--data", data).stdout

    assert (life["reason"], life["robots_fault"]) == ("robots-unreachable", REFUSED)
    assert "robots_allow" not in life
    assert f"failed: robots.txt could not be read, so nothing may be asked: {REFUSED}" in text
    assert "forbids" not in text


def test_explain_url_says_nothing_of_a_robots_txt_that_was_never_read(data):
    refused = run_here("crawl", CLOSED, "--data", data, "--workers", "1", "--quiet")

    text = run_here("explain-url", CLOSED, "--data", data).stdout

    assert refused.returncode == 1
    assert "failed: the host leads to a private" in text
    assert "robots.txt" not in text


def test_a_robots_txt_that_fails_is_named_with_its_code(server, data):
    made = Site(server.origin())
    made.resources[f"{made.origin}/robots.txt"] = Resource(code=500)
    server.publish(made)

    run_here("crawl", made.seed, "--data", data, *QUICK, "--retries", "0", "--quiet")

    life = said("explain-url", made.seed, "--data", data)
    assert life["robots_fault"] == "the server answered with code 500"


def test_a_seed_without_a_scheme_is_crawled_by_http_if_https_fails(server, site, data):
    typed = f"localhost:{server.port}"

    first = run_here("crawl", typed, "--data", data, *QUICK)
    again = run_here("crawl", typed, "--data", data, *QUICK)

    assert (first.returncode, again.returncode) == (0, 0)
    told = first.stderr.splitlines()[0]
    assert told.startswith(f"https://{typed}/ cannot be reached (")
    assert told.endswith(f"): crawling http://{typed}/ instead.")
    assert "cannot be reached" not in again.stderr
    assert said("stats", "--data", data)["pages"] == 3
    assert len(server.asked()) == len(set(server.asked()))


def test_nothing_is_requested_to_find_the_scheme(server, site, data):
    run_here(*crawl_flags(f"localhost:{server.port}", data, "--workers", 1))

    assert server.asked()[0].endswith("/robots.txt")


def test_a_seed_that_neither_scheme_reaches_stays_https(data):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        typed = f"localhost:{closed.getsockname()[1]}"

    done = run_here(*crawl_flags(typed, data, "--retries", 0, "--workers", 1))

    assert done.returncode == 1
    assert [*json.loads(done.stdout)["failed_seeds"]] == [f"https://{typed}/"]
    assert REFUSED in done.stderr


def test_a_scheme_that_was_typed_is_kept(server, site, data):
    seed = f"https://localhost:{server.port}/"

    done = run_here(*crawl_flags(seed, data, "--retries", 0, "--workers", 1))

    assert done.returncode == 1
    assert f"nothing could be crawled at {seed}: " in done.stderr
    assert server.asked() == []
