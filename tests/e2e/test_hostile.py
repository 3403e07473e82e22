"""Does one host full of malice end the crawl, or only its own URLs?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from gossamer import homes
from gossamer.adapters.http.fetcher import FetchLimits, HttpFetcher
from gossamer.adapters.local.processes.parser_pool import ParserPool
from gossamer.core.crawl.job import JobConfig, ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.entrypoints.local.report import report
from gossamer.entrypoints.local.runner import Runner
from gossamer.ports import Ports
from gossamer.settings import Settings
from tests.e2e.crawls import audited, check_warc
from tests.hostile import server as hostile
from tests.hostile.server import HostileServer, Wire, served

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.entrypoints.local.report import Report
    from gossamer.ports.fetcher import HttpRequest, HttpResponse
    from tests.hostile.server import Behaviour

# So short that silence and dripping cost seconds, and so long that a busy machine is neither.
IMPATIENT = FetchLimits(first_byte=3.0, min_rate=1000.0, rate_window=1.0)
GOOD = [f"/good/{number}" for number in range(40)]
METADATA = "http://169.254.169.254/latest/meta-data/"
REBOUND = "http://metadata.test/"  # a name that leads to the same place

FATES = {
    "/hang": ("failed", "timeout"),
    "/drip": ("failed", "too-slow"),
    "/drip-headers": ("failed", "too-slow"),
    "/short": ("failed", "truncated-body"),
    "/short-chunked": ("failed", "truncated-body"),
    "/endless": ("excluded", "too-large"),
    "/huge": ("excluded", "too-large"),
    "/gzip-bomb": ("failed", "decompression-bomb"),
    "/zstd-bomb": ("failed", "decompression-bomb"),
    "/endless-gzip": ("failed", "decompression-bomb"),
    "/not-gzip": ("failed", "undecodable-body"),
    "/header-flood": ("failed", "header-flood"),
    "/header-line": ("failed", "header-flood"),
    "/garbage": ("failed", "malformed-response"),
    "/reset": ("failed", "connection-reset"),
    "/video": ("excluded", "content-type"),
    "/loop/a": ("redirected", "redirect"),
    "/loop/b": ("failed", "redirect-loop"),
    "/self": ("failed", "redirect-loop"),
    "/to-metadata": ("redirected", "redirect"),
    "/to-name": ("redirected", "redirect"),
    "/not-utf8": ("parsed", "document"),
    "/nested": ("parsed", "document"),
    "/many": ("parsed", "document"),
}


def sends(body: bytes, *headers: str, status: str = "200 OK") -> Behaviour:
    async def send(wire: Wire) -> None:
        await wire.page(body, *headers, status=status)

    return send


def leads_to(location: str) -> Behaviour:
    return sends(b"moved", f"Location: {location}", status="302 Found")


class Behaviours(dict[str, "Behaviour"]):
    """What the hostile server can do already, some more, and 404 for the rest."""

    def __missing__(self, path: str) -> Behaviour:
        return sends(b"not here", status="404 Not Found")


@pytest.fixture
def behaviours(monkeypatch):
    links = "".join(f'<a href="{path}">x</a>' for path in [*FATES, *GOOD])
    many = "".join(f'<a href="/m/{number}">{number}</a>' for number in range(100_000))
    pages = {path: sends(f"<title>{path}</title>good".encode()) for path in GOOD}
    added = pages | {
        "/robots.txt": sends(b"User-agent: *\nDisallow: /secret\n"),
        "/": sends(f"<title>mixed company</title>{links}".encode()),
        "/many": sends(f"<title>many</title>{many}".encode()),
        "/nested": sends(b"<title>nested</title>" + b"<div>" * 100_000 + b"deep"),
        "/not-utf8": sends(b"<title>caf\xe9 \xff\xfe\x80</title>\xc3\x28 text \xf0\x28\x8c\xbc"),
        "/loop/a": leads_to("/loop/b"),
        "/loop/b": leads_to("/loop/a"),
        "/self": leads_to("/self"),
        "/to-metadata": leads_to(METADATA),
        "/to-name": leads_to(REBOUND),
    }
    monkeypatch.setattr(hostile, "BEHAVIOURS", Behaviours(hostile.BEHAVIOURS | added))


class CarefulFetcher:
    """Our own server may be private; for everything else the guard is up."""

    def __init__(self, config: JobConfig, own: str) -> None:
        self._own = own
        agent = config.identity()
        self._trusting = HttpFetcher(agent, allow_private=True, limits=IMPATIENT)
        self._careful = HttpFetcher(agent, limits=IMPATIENT, resolve=self._resolve)

    async def _resolve(self, _name: str) -> list[str]:
        return ["169.254.169.254"]

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        trusted = request.url.startswith(self._own)
        return await (self._trusting if trusted else self._careful).fetch(request)

    async def close(self) -> None:
        await self._trusting.close()
        await self._careful.close()


async def crawl_all(data: Path, config: JobConfig, own: str, pool: ParserPool) -> Report:
    home = homes.open_home(Settings(data=str(data)))
    fetcher = CarefulFetcher(config, own)
    try:
        home.jobs.configure("crawl", config, time.time())
        ports = Ports(home, fetcher, pool)
        state = await Runner(home, ports, "crawl", time.time, parsers=pool.size).run()
        return report(home, "crawl", state)
    finally:
        await fetcher.close()
        pool.close()
        home.close()


def fates(data: Path, own: str) -> dict[str, tuple[str, str]]:
    home = homes.open_home(Settings(data=str(data)), read_only=True)
    found = {r.url.removeprefix(own): (r.state.value, r.reason) for r in home.urls.all()}
    home.close()
    return found


async def test_every_url_of_a_hostile_host_ends_in_a_named_state(data, behaviours):
    pool = ParserPool(Settings(data=str(data)).warc_folder, homes.decode_body, 1)
    server = HostileServer()

    with served(server):  # in a thread: it answers while the crawl is at work
        own = server.url("")
        config = JobConfig(
            seeds=[own],
            delay=0.0,
            retries=1,
            retry_wait=0.05,
            max_bytes=4_000_000,
            scope=ScopeConfig(anywhere=True),
            traps=TrapConfig(per_pattern=60),
        )
        result = await crawl_all(data, config, own, pool)

    found = fates(data, own)
    assert (result.state, result.unexplained) == ("finished", 0)
    assert result.hosts_set_aside.keys() == {"169.254.169.254", "metadata.test"}
    assert {path: found[path] for path in FATES} == FATES
    assert {path: found[path] for path in GOOD} == dict.fromkeys(GOOD, ("parsed", "document"))
    assert found[METADATA] == found[REBOUND] == ("failed", "unsafe-address")
    assert result.by_reason["pattern-quota"] >= 4000
    assert result.dead_letters == 0
    assert check_warc(data) > 2 * len(FATES)
    assert audited(data).violations == 0
