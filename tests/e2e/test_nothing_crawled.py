"""Does a crawl that fetches no page at all fail, and say why?"""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import pytest

from tests.commands import run_here
from tests.e2e.crawls import crawl_flags
from tests.sites.generated import Resource, Site, star

CLOSED = "http://127.0.0.1:9/"  # the port "discard": nothing listens there
NAMES = ("localhost", "127.0.0.1")  # that can be looked up


def crawl_here(seeds, data, *flags):
    return run_here(*crawl_flags(seeds, data, "--retries", 0, "--workers", 1, *flags))


@pytest.fixture(autouse=True)
def no_names(monkeypatch):
    """Only this machine has a name: the tests ask no one else's server."""
    ask = socket.getaddrinfo

    def look_up(host, *rest, **flags):
        if host not in NAMES:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ask(host, *rest, **flags)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture
def site(server):
    """A site of three pages, one address that is not there, and one that leads to it."""
    made = Site(server.origin())
    star(made, made.origin, 3)
    made.resources[f"{made.origin}/moved"] = Resource(
        code=301, headers=(("Location", "/missing"),), leads_to=f"{made.origin}/missing"
    )
    return server.publish(made)


@pytest.mark.parametrize(
    ("seed", "flags", "why"),
    [
        ("http://nowhere.test/", (), "the host's name does not exist"),
        (CLOSED, (), "so nothing may be asked: the host refused the connection"),
        ("{origin}/missing", (), "the server answered with code 404"),
        ("{origin}/moved", (), "it leads to {origin}/missing: the server answered with code 404"),
        ("{origin}/", ("--host", "other.test"), "outside the hosts, domains and prefixes"),
    ],
)
def test_a_seed_that_brings_no_page_is_exit_1_with_its_reason(site, data, seed, flags, why):
    seed = seed.format(origin=site.origin)

    done = crawl_here(seed, data, *flags)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"nothing could be crawled at {seed}: " in done.stderr
    assert why.format(origin=site.origin) in done.stderr
    assert json.loads(done.stdout)["pages"] == 0


def test_a_private_address_is_named_with_the_flag_that_allows_it(data):
    flags = ("--retries", "0", "--delay", "0", "--workers", "1", "--quiet")

    done = run_here("crawl", CLOSED, "--data", data, *flags)

    assert done.returncode == 1
    assert "--allow-private" in done.stderr


def test_one_seed_that_brings_pages_is_enough_and_so_is_one_that_did(site, data):
    first = crawl_here(f"{CLOSED} {site.seed}", data)
    again = crawl_here(f"{CLOSED} {site.seed}", data)

    assert (first.returncode, first.stderr) == (0, "")
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads(again.stdout)["failed_seeds"] == {}


def test_the_flag_that_was_missing_helps_in_the_same_folder(site, data):
    flags = crawl_flags(site.seed, data, "--retries", 0, "--workers", 1)
    without = run_here(*(flag for flag in flags if flag != "--allow-private"))

    again = run_here(*flags)

    assert (without.returncode, again.returncode) == (1, 0), again.stderr
    assert json.loads(again.stdout)["pages"] == 3


def test_a_name_that_exists_by_now_is_looked_up_again(site, data, monkeypatch):
    with monkeypatch.context() as unnamed:
        unnamed.setitem(globals(), "NAMES", ())
        unknown = crawl_here(site.seed, data)

    again = crawl_here(site.seed, data)

    assert "the host's name does not exist" in unknown.stderr
    assert (unknown.returncode, again.returncode) == (1, 0), again.stderr


@pytest.mark.parametrize("path", ["/robots.txt", "/"])
@pytest.mark.parametrize("code", [500, 404])
def test_the_same_command_asks_for_a_seed_again_that_could_not_be_had(site, data, path, code):
    url = f"{site.origin}{path}"
    then = site.resources.get(url, Resource(code=404))
    site.resources[url] = replace(then, before=(Resource(code=code),))
    first = crawl_here(site.seed, data)

    again = crawl_here(site.seed, data)

    assert first.returncode == (0 if (path, code) == ("/robots.txt", 404) else 1)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["pages"] == 3


def test_a_host_that_asked_for_a_pause_gets_it_whoever_asks_again(site, server, data):
    busy = Resource(code=503, headers=(("Retry-After", "3600"),))
    site.resources[f"{site.origin}/robots.txt"] = busy
    first = crawl_here(site.seed, data)
    server.forget()

    again = crawl_here(site.seed, data)

    assert (first.returncode, again.returncode) == (1, 1)
    assert server.asked() == []
