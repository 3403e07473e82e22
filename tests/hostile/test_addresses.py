"""Can a server, a name or a redirect lead us where we must not go?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from gossamer import homes
from gossamer.adapters.http.address_guard import Guard
from gossamer.adapters.http.fetcher import HttpFetcher
from gossamer.adapters.local.processes.parser_pool import InlineParser
from gossamer.core.crawl.job import JobConfig, ScopeConfig
from gossamer.entrypoints.local.runner import Runner
from gossamer.ports import Ports
from gossamer.settings import Settings
from tests.hostile.fetching import AGENT, answering, get, is_whole
from tests.hostile.server import HostileServer
from tests.hostile.wire import leads_to, sends

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.ports.fetcher import HttpRequest, HttpResponse
    from tests.hostile.wire import Behaviour

NOT_FETCHABLE = [
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,hello",
    "ftp://a.test/",
    "gopher://a.test/",
    "http://",
    "http://[bad/",
    "",
]
INSIDE = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "localhost",
]
METADATA = [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.16689662",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[fd00:ec2::254]",
]


async def test_a_name_that_leads_to_metadata_is_not_connected_to(server, fetcher_with):
    async with fetcher_with(AGENT, resolve=answering("169.254.169.254")) as fetcher:
        response = await fetcher.fetch(get("http://innocent.test/latest/meta-data/"))

    assert (response.fault, response.ip) == ("unsafe-address", "")


async def test_a_rebinding_name_cannot_lead_inside(fetcher_with, monkeypatch):
    """The first answer is public, all later ones loopback: only what was checked is used."""
    answers = iter([["8.8.8.8"], ["127.0.0.1"], ["127.0.0.1"]])
    opened = []

    async def rebinding(host: str) -> list[str]:
        return next(answers)

    async def write_down(fetcher: HttpFetcher, ip: str, target: object) -> None:
        opened.append(ip)
        raise ConnectionRefusedError

    monkeypatch.setattr(HttpFetcher, "_open", write_down)
    async with fetcher_with(AGENT, resolve=rebinding) as fetcher:
        for _ in range(3):
            await fetcher.fetch(get("http://rebinding.test/"))

    assert opened == ["8.8.8.8"] * 3


async def test_of_several_addresses_only_the_safe_ones_are_tried(server, fetcher_with):
    addresses = ("0.0.0.0", "224.0.0.1", "127.0.0.1")
    async with fetcher_with(AGENT, allow_private=True, resolve=answering(*addresses)) as fetcher:
        response = await fetcher.fetch(get(server.url("/page", host="a.test")))

    assert response.ip == "127.0.0.1"


async def test_when_the_first_address_is_dead_the_next_is_tried(server, fetcher_with):
    resolve = answering("127.0.0.2", "127.0.0.1")  # the server listens at .1 only
    async with fetcher_with(AGENT, allow_private=True, resolve=resolve) as fetcher:
        response = await fetcher.fetch(get(server.url("/page", host="a.test")))

    assert is_whole(response)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ],
)
async def test_no_spelling_of_loopback_gets_through(server, fetcher_with, host):
    async with fetcher_with(AGENT) as fetcher:
        response = await fetcher.fetch(get(server.url("/page", host=host)))

    assert response.fault == "unsafe-address"
    assert server.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.test/",
        "gopher://a.test/",
        "http://user:password@a.test/",
        "http://a.test:0/",
        "http://a.test:99999/",
        "http://a.test/a b",
        "http://a.test/\r\nX-Evil: 1",
        "http://a.test\\@b.test/",
        "http://bücher.test/",
        "http:///a",
        "",
    ],
)
async def test_what_is_no_plain_web_address_is_refused(fetcher, url):
    assert (await fetcher.fetch(get(url))).fault == "unsafe-address"


@pytest.mark.parametrize("host", METADATA)
async def test_no_spelling_of_metadata_gets_through_even_where_private_is_allowed(fetcher, host):
    response = await fetcher.fetch(get(f"http://{host}/latest/meta-data/"))

    assert (response.fault, response.ip) == ("unsafe-address", "")


class Watched(HttpFetcher):
    """Writes down where it would connect to, and is refused there."""

    def __init__(self, addresses: list[list[str]], *, ttl: float) -> None:
        super().__init__(AGENT)
        self.opened: list[str] = []
        self._answers = iter(addresses)
        self._guard = Guard(resolve=self._resolve, ttl=ttl)

    async def _resolve(self, host: str) -> list[str]:
        return next(self._answers)

    async def _open(self, ip: str, target: object):
        self.opened.append(ip)
        raise ConnectionRefusedError


@pytest.mark.parametrize(
    ("ttl", "faults"),
    [
        (300.0, ["connection-refused", "connection-refused"]),  # the first answer still counts
        (0.0, ["connection-refused", "unsafe-address"]),  # every answer is checked
    ],
)
async def test_a_name_that_moves_inside_is_asked_outside_or_not_at_all(ttl, faults):
    fetcher = Watched([["8.8.8.8"], ["127.0.0.1"]], ttl=ttl)

    found = [(await fetcher.fetch(get("http://rebinding.test/"))).fault for _ in range(2)]

    assert found == faults
    assert set(fetcher.opened) == {"8.8.8.8"}
    await fetcher.close()


class CarefulFetcher:
    """One server may be private; for everything else the guard is up."""

    def __init__(self, own: str, careful: HttpFetcher) -> None:
        self._own = own
        self._trusting = HttpFetcher(AGENT, allow_private=True)
        self._careful = careful

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        trusted = request.url.startswith(self._own)
        return await (self._trusting if trusted else self._careful).fetch(request)

    async def close(self) -> None:
        await self._trusting.close()
        await self._careful.close()


async def crawl(
    folder: Path, own: str, careful: HttpFetcher, retries: int = 0
) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Fates by URL, and where redirects led to."""
    settings = Settings(data=str(folder / "data"))
    home = homes.open_home(settings)
    fetcher = CarefulFetcher(own, careful)
    scope = ScopeConfig(anywhere=True)
    config = JobConfig(seeds=[own], delay=0.0, retries=retries, retry_wait=0.05, scope=scope)
    try:
        home.jobs.configure("crawl", config, time.time())
        parser = InlineParser(settings.warc_folder, homes.decode_body)
        ports = Ports(home, fetcher, parser)
        await Runner(home, ports, "crawl", time.time, parsers=1).run()
        records = list(home.urls.all())
    finally:
        await fetcher.close()
        home.close()
    fates = {record.url: (record.state.value, record.reason) for record in records}
    return fates, {record.url: record.target for record in records if record.target}


def site(locations: list[str]) -> dict[str, Behaviour]:
    """A page that links to one redirect per location, and to a page behind them all."""
    paths = [f"/to/{number}" for number in range(len(locations))]
    links = "".join(f"<a href={path}>x</a>" for path in [*paths, "/after"])
    redirects = {path: leads_to(to) for path, to in zip(paths, locations, strict=True)}
    return redirects | {
        "/robots.txt": sends(b"User-agent: *\nDisallow:\n"),
        "/": sends(links.encode()),
        "/after": sends(b"<title>after</title>"),
    }


async def test_a_redirect_to_what_is_no_web_page_fails_without_a_request(tmp_path):
    pages = site(NOT_FETCHABLE)

    async with HostileServer(behaviours=pages) as outer:
        own = outer.url("")
        fates, _ = await crawl(tmp_path, own, Watched([], ttl=300.0))

    redirects = {url: fate for url, fate in fates.items() if "/to/" in url}
    assert redirects == dict.fromkeys(redirects, ("failed", "bad-redirect"))
    assert len(redirects) == len(NOT_FETCHABLE)
    assert fates[f"{own}/after"] == ("parsed", "document")
    assert len(fates) == len(NOT_FETCHABLE) + 2


async def test_a_redirect_inside_is_named_and_never_connected_to(tmp_path):
    async with HostileServer() as inner:
        locations = [
            f"http://{host}:{inner.port}/{number}" for number, host in enumerate(INSIDE + METADATA)
        ]
        async with HostileServer(behaviours=site(locations)) as outer:
            own = outer.url("")
            fates, targets = await crawl(tmp_path, own, HttpFetcher(AGENT))

        assert inner.connections == 0
    reached = {url: targets[url] for url in fates if "/to/" in url}
    assert len(reached) == len(set(reached.values())) == len(locations)
    assert {fates[url] for url in reached} == {("redirected", "redirect")}
    assert {target: fates[target] for target in reached.values()} == dict.fromkeys(
        reached.values(), ("failed", "unsafe-address")
    )
    assert fates[f"{own}/after"] == ("parsed", "document")


async def test_a_redirect_to_a_rebinding_name_connects_only_to_what_was_checked(tmp_path):
    """robots.txt is asked for at the public address; when asked again, the name leads inside."""
    careful = Watched([["8.8.8.8"], ["127.0.0.1"]], ttl=0.0)

    async with HostileServer(behaviours=site(["http://rebinding.test/"])) as outer:
        fates, _ = await crawl(tmp_path, outer.url(""), careful, retries=1)

    assert careful.opened == ["8.8.8.8"]
    assert fates["http://rebinding.test/"] == ("failed", "unsafe-address")
    assert fates[outer.url("/after")] == ("parsed", "document")
