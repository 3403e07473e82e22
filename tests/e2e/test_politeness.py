"""Is no host ever asked sooner than it wishes, by our records and by its own?"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import time
from random import Random
from typing import TYPE_CHECKING, get_args

from gossamer import homes
from gossamer.adapters.local.processes.parser_pool import InlineParser
from gossamer.bolts.schedule import sweep
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.politeness import GracePolicy
from gossamer.core.crawl.url_state import END_STATES
from gossamer.entrypoints.audit.records import WarcReading
from gossamer.entrypoints.dispatch import deal_with
from gossamer.messages import Emission, Link, LinksFound, Stream, decode
from gossamer.ports import Ports
from gossamer.settings import Settings
from tests.e2e.crawls import (
    audited,
    await_requests,
    crawl,
    crawling,
    exported,
    run,
    warc_files,
)
from tests.local_home import open_local
from tests.pump import send
from tests.sites.generated import Maker, Resource, Rules, Site, star

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.adapters.local.home import LocalHome
    from gossamer.ports.fetcher import Fetcher, HttpRequest, HttpResponse
    from gossamer.ports.queues import Delivery
    from tests.sites.generated import Server

NOISE = 0.02  # seconds; what clock readings may be off
STREAMS: tuple[Stream, ...] = get_args(Stream)


def gaps(server: Server, origin: str, data: Path) -> list[float]:
    """From the moment at which a request was sent to that at which the host saw the next one.

    A busy host sees requests late. If it sees one later than the next, they look closer than they
    were sent; but no request is seen before it was sent. Where our records do not have all that the
    host saw, because a process was killed, both moments are the host's.
    """
    host = origin.removeprefix("http://")
    seen = sorted(entry.at for entry in server.log if entry.host == host)
    records = [request for path in warc_files(data) for request in WarcReading(path)]
    sent = sorted(r.started_at for r in records if r.host == host and r.was_sent)
    before = sent if len(sent) == len(seen) else seen
    return [later - earlier for earlier, later in zip(before, seen[1:], strict=False)]


def hosts_of(server: Server, *numbers: int) -> list[str]:
    return [server.origin(f"127.0.0.{number}") for number in numbers]


def flags_for(*origins: str) -> list[str]:
    return [flag for origin in origins for flag in ("--host", origin.removeprefix("http://"))]


def test_hosts_are_asked_at_the_pace_of_their_robots_txt_or_ours(server, data):
    slow, quick, silent = origins = hosts_of(server, 2, 3, 4)
    site = Site(slow)
    urls = star(site, slow, 5, Rules(crawl_delay=0.4))
    urls += star(site, quick, 8, Rules(("/5",), crawl_delay=0.15))
    urls += star(site, silent, 10)
    maker = Maker(site, Random(1))
    maker.redirect(f"{slow}/to-quick", f"{quick}/1.html")  # a hop is a request to the other host
    maker.redirect(f"{quick}/to-slow", f"{slow}/1.html")
    maker.page(f"{slow}/1.html", [f"{slow}/to-quick", quick + "/"])
    maker.page(f"{quick}/1.html", [f"{quick}/to-slow", silent + "/"])
    server.publish(site)

    crawl(slow, data, "--delay", 0.1, "--workers", 8, "--concurrency", 8, *flags_for(*origins))

    certificate = json.loads(run("audit", "--data", data, "--json").stdout)
    assert (certificate["violations"], certificate["hosts"]) == (0, 3)
    assert certificate["requests"] == len(server.log)
    assert certificate["min_gap_over_delay"] >= 0.999
    assert min(gaps(server, slow, data)) >= 0.4 - NOISE
    assert min(gaps(server, quick, data)) >= 0.15 - NOISE
    assert min(gaps(server, silent, data)) >= 0.1 - NOISE
    assert set(urls) - {f"{quick}/5.html"} <= set(server.asked())
    assert f"{quick}/5.html" not in server.asked()


def test_a_host_that_says_wait_is_left_alone_as_long_as_it_says(server, data):
    limited, ill = hosts_of(server, 5, 6)
    site = Site(limited)
    urls = star(site, limited, 4) + star(site, ill, 3)
    refusals = {f"{limited}/2.html": (429, "1"), f"{ill}/1.html": (503, "1")}
    for url, (code, seconds) in refusals.items():
        no = Resource(code=code, body=b"later", headers=(("Retry-After", seconds),))
        site.resources[url] = dataclasses.replace(site.resources[url], before=(no,))
    server.publish(site)

    report = crawl(f"{limited} {ill}", data, "--delay", 0.05, "--concurrency", 8)

    assert report["pages"] == len(urls)
    assert audited(data).violations == 0
    for url in refusals:
        assert pause_after(server, url) >= 1.0 - NOISE


def pause_after(server: Server, url: str) -> float:
    """How long a host was left alone after it had refused a URL.

    The client knew at some moment between the refusal's first byte and its end: what came then
    says nothing, and from the first byte on the pause may count.
    """
    refusal = next(entry for entry in server.log if entry.url == url and entry.code != 200)
    later = [e.at for e in server.log if e.host == refusal.host and e.at > refusal.ended_at]
    return min(later) - refusal.answered_at


def test_kills_do_not_make_a_crawl_impolite(server, data):
    """What was in flight at a kill stands in no WARC: only the host knows of it."""
    (host,) = hosts_of(server, 7)
    site = Site(host)
    urls = star(site, host, 7, Rules(crawl_delay=0.25))
    server.publish(site)
    server.latency = 0.05
    for number in range(5):
        with crawling(host, data, "--workers", 1) as process:
            await_requests(server, 2 * number + 1, process)
            process.kill()
            process.wait()

    crawl(host, data)

    assert min(gaps(server, host, data)) >= 0.25 - NOISE
    assert audited(data).violations == 0
    assert {r["url"] for r in exported(data, "urls") if r["state"] == "parsed"} == set(urls)


# A busy machine is always late by more than the milliseconds that one process needs.
GRACE = GracePolicy(floor=0.4, share=0.0, cap=0.4)


class Lateness:
    """Mostly little, sometimes longer than the grace."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    async def happen(self) -> None:
        longest = self._chance.choices((0.002, 0.1, 2.0), (25, 5, 1))[0]
        await asyncio.sleep(self._chance.uniform(0, longest))

    def is_repeated(self) -> bool:
        return self._chance.random() < 0.1


class LateFetcher:
    """A fetcher that something holds up on its way; every fourth request for longer than it may."""

    def __init__(self, inner: Fetcher, lateness: Lateness) -> None:
        self._inner = inner
        self._lateness = lateness
        self._count = 0
        self.late = 0

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        self._count += 1
        if self._count % 4 == 2:
            await asyncio.sleep(request.start_by - time.time() + NOISE)
        await self._lateness.happen()
        response = await self._inner.fetch(request)
        self.late += response.fault == "late"
        return response

    async def close(self) -> None:
        await self._inner.close()


@dataclasses.dataclass
class LateWorld:
    """A home whose messages eight consumers take late, and some of them twice."""

    home: LocalHome
    ports: Ports
    lateness: Lateness
    busy: int = 0
    repeated: int = 0

    async def run(self, seeds: list[str]) -> None:
        links = [Link(seed) for seed in seeds]
        found = LinksFound(job="crawl", source="", depth=0, via="seed", links=links)
        self.home.queues.send([Emission("links", found)], time.time())
        async with asyncio.timeout(300), asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(self._consume())

    def _is_over(self) -> bool:
        """Every URL has ended; a repeated message may wait for a lease that no longer matters."""
        states, depth = self.home.urls.by_state, self.home.queues.depth()
        ended = all(state in END_STATES for state, count in states.items() if count)
        return ended and not (self.busy or depth["links"] or depth["parse"] or depth["frontier"])

    async def _consume(self) -> None:
        while not self._is_over():
            now = time.time()
            send(self.home, sweep("crawl", self.ports, now), now)
            for stream in STREAMS:
                for delivery in self.home.queues.receive(stream, 1, now):
                    await self._deliver(stream, delivery)
            await asyncio.sleep(0.005)

    async def _deliver(self, stream: Stream, delivery: Delivery) -> None:
        self.busy += 1
        deliveries = [self._deal_with(stream, delivery)]
        if self.lateness.is_repeated():
            self.repeated += 1
            deliveries.append(self._deal_with(stream, delivery))
        await asyncio.gather(*deliveries)
        self.busy -= 1

    async def _deal_with(self, stream: Stream, delivery: Delivery) -> None:
        await self.lateness.happen()
        emissions = await deal_with(stream, decode(delivery.body), self.ports, time.time())
        await self.lateness.happen()
        send(self.home, emissions, time.time())
        self.home.queues.acknowledge([delivery])


@contextlib.asynccontextmanager
async def late_world(data: Path, config: JobConfig, seed: int):
    settings, lateness = Settings(data=str(data)), Lateness(seed)
    home = open_local(settings)
    home.grace = GRACE
    home.jobs.configure("crawl", config, time.time())
    fetcher = LateFetcher(homes.http_fetcher(config), lateness)
    parser = InlineParser(settings.warc_folder, homes.decode_body)
    world = LateWorld(home, Ports(home, fetcher, parser), lateness)
    try:
        yield world
    finally:
        await fetcher.close()
        home.close()


async def test_late_and_repeated_messages_never_bring_two_requests_too_close(server, data):
    slow, quick = hosts_of(server, 8, 9)
    site = Site(slow)
    urls = star(site, slow, 4, Rules(crawl_delay=0.2)) + star(site, quick, 8)
    server.publish(site)
    config = JobConfig(seeds=[slow, quick], delay=0.1, concurrency=8, allow_private=True)

    async with late_world(data, config, seed=4) as world:
        await world.run([f"{slow}/", f"{quick}/"])
        late, repeated = world.ports.fetcher.late, world.repeated

    certificate = audited(data)
    assert (late > 0, repeated > 0) == (True, True)
    assert (certificate.violations, certificate.requests) == (0, len(server.log))
    assert min(gaps(server, slow, data)) >= 0.2 - NOISE
    assert min(gaps(server, quick, data)) >= 0.1 - NOISE
    assert {r["url"] for r in exported(data, "urls") if r["state"] == "parsed"} == set(urls)
    assert sorted(server.pages()) == sorted(urls)
