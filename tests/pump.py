"""A crawl in virtual time: scripted servers, a clock that jumps, and a pump for all streams."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gossamer import topology
from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.processes.parser_pool import InlineParser
from gossamer.bolts.schedule import has_budget, sweep
from gossamer.core.crawl.job import JobConfig, normalised_seeds
from gossamer.core.crawl.politeness import Starts
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.dispatch import deal_with, forget_packs
from gossamer.homes import decode_body
from gossamer.messages import AnyMessage, Emission, Link, LinksFound, Stream, decode
from gossamer.ports import Ports
from gossamer.ports.fetcher import LATE, HttpRequest, HttpResponse

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.crawl.url_state import State

JOB = "web"
START = 100.0
TICK = 1e-6  # what dealing with one message takes
SWEEP_EVERY = 0.05
HORIZON = 50_000.0  # a crawl that is not quiet by then never will be
STREAMS: tuple[Stream, ...] = (
    "fetch",
    *(stream for stream in topology.STREAMS if stream != "fetch"),
)

Answer = HttpResponse | Callable[[HttpRequest], HttpResponse] | Sequence[HttpResponse]
Observer = Callable[[Stream, AnyMessage, list[Emission]], None]


class Crash(Exception):
    """The process died here."""


class VirtualClock:
    """A clock that stands still until it is moved, and never goes back."""

    def __init__(self, at: float = START) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += seconds

    def advance_to(self, moment: float) -> None:
        self.at = max(self.at, moment)


def answer(
    code: int = 200,
    body: bytes | str = b"",
    *,
    headers: Iterable[tuple[str, str]] = (),
    fault: str = "",
    seconds: float = 0.0,
) -> HttpResponse:
    raw = body.encode() if isinstance(body, str) else body
    return HttpResponse(
        url="",
        started_at=0.0,
        seconds=seconds,
        code=code,
        phrase="Whatever",
        headers=tuple(headers),
        raw=raw,
        body=raw,
        fault=fault,
    )


def page(*links: str, title: str = "", head: str = "", **headers: str) -> HttpResponse:
    """An HTML page; a link that begins with "!" is marked nofollow."""
    anchors = "".join(
        f'<a href="{link.lstrip("!")}"{" rel=nofollow" if link[0] == "!" else ""}>{link}</a> '
        for link in links
    )
    html = f"<html><head><title>{title}</title>{head}</head><body><p>{anchors}</p></body></html>"
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return answer(200, html, headers=[("Content-Type", "text/html; charset=utf-8"), *fields])


def redirect(location: str, code: int = 301) -> HttpResponse:
    return answer(code, headers=[("Location", location)])


def robots(text: str) -> HttpResponse:
    return answer(200, text, headers=[("Content-Type", "text/plain")])


def broken(fault: str) -> HttpResponse:
    """No status line came."""
    return answer(0, fault=fault)


@dataclasses.dataclass(frozen=True)
class Asked:
    """A request that reached a server, and when."""

    at: float
    request: HttpRequest

    @property
    def url(self) -> str:
        return self.request.url


class ScriptedFetcher:
    """Servers that answer by script: one answer for ever, one after another, or a function.

    What no script mentions is answered with 404.
    """

    def __init__(self, clock: VirtualClock, answers: dict[str, Answer] | None = None) -> None:
        self.answers = answers if answers is not None else {}
        self.asked: list[Asked] = []
        self._clock = clock
        self._times: dict[str, int] = defaultdict(int)
        self._starts = Starts(began=-math.inf)

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        host, now = host_of(request.url), self._clock()
        free_at = self._starts.free_at(host, request.gap)
        if max(now, free_at) > request.start_by:
            return HttpResponse(url=request.url, started_at=now, fault=LATE)
        self._clock.advance_to(free_at)
        now = self._clock()
        self._starts.note(host, now, request.gap)
        self.asked.append(Asked(now, request))
        response = self._answer(request)
        return dataclasses.replace(response, url=request.url, started_at=now)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        script = self.answers.get(request.url, answer(404))
        if isinstance(script, HttpResponse):
            return script
        if callable(script):
            return script(request)
        time = self._times[request.url]
        self._times[request.url] += 1
        return script[min(time, len(script) - 1)]

    async def close(self) -> None:
        pass

    def urls(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.url for asked in self.asked]

    def times(self, host: str) -> list[float]:
        """When a host was asked."""
        return [asked.at for asked in self.asked if f"://{host}/" in asked.url]


async def drain(
    home: LocalHome,
    ports: Ports,
    clock: VirtualClock,
    *,
    deliveries: Callable[[], int] = lambda: 1,
    lateness: Callable[[], float] = lambda: 0.0,
    is_lost: Callable[[], bool] = lambda: False,
    observe: Observer = lambda _stream, _message, _emissions: None,
) -> None:
    """Pump every stream through its bolt, jumping to the next due time, until all is quiet.

    `deliveries` says how often a message comes at once; `is_lost` whether its bolt dies when all is
    done and nothing sent, so that it comes again when it is no longer hidden. A port may raise
    `Crash` at any other point.
    """
    end, next_sweep = clock() + HORIZON, clock()
    while clock() < end:
        if await _pump_all(home, ports, clock, deliveries, is_lost, observe):
            continue
        if clock() >= next_sweep:
            with suppress(Crash):
                swept = sweep(JOB, ports, clock())
                _perhaps_crash(is_lost)
                send(home, swept, clock())
            next_sweep = clock() + SWEEP_EVERY
        upcoming = _next_moment(home, next_sweep)
        if upcoming is None:
            if home.free_waiting(JOB, clock()):
                continue
            return
        if upcoming > clock():
            clock.advance_to(upcoming)
            clock.advance(lateness())
    raise AssertionError(f"not quiet after {HORIZON} s: {home.queues.depth()}")


def _perhaps_crash(is_lost: Callable[[], bool]) -> None:
    if is_lost():
        raise Crash


def send(home: LocalHome, emissions: list[Emission], now: float) -> None:
    """As the embedded runner sends: what is to be indexed needs no message."""
    sent = [emission for emission in emissions if emission.stream != "index"]
    home.queues.send(sent, now)
    forget_packs(sent, home.frontier)


async def _pump_all(
    home: LocalHome,
    ports: Ports,
    clock: VirtualClock,
    deliveries: Callable[[], int],
    is_lost: Callable[[], bool],
    observe: Observer,
) -> bool:
    moved = False
    for stream in STREAMS:
        for delivery in home.queues.receive(stream, 10, clock()):
            message = decode(delivery.body)
            try:
                for _ in range(deliveries()):
                    emissions = await deal_with(stream, message, ports, clock())
                    observe(stream, message, emissions)
                    _perhaps_crash(is_lost)
                    home.commit()  # before anything is sent
                    send(home, emissions, clock())
                    clock.advance(TICK)
            except Crash:
                home.queues.retry(delivery, clock() + topology.STREAMS[stream].visibility)
            else:
                home.queues.acknowledge([delivery])
            moved = True
    return moved


def _next_moment(home: LocalHome, next_sweep: float) -> float | None:
    moments = [home.queues.due_at(stream) for stream in STREAMS if home.queues.depth()[stream]]
    parked = home.frontier.next_at()
    record = home.jobs.get(JOB)
    if parked is not None and record is not None and has_budget(record):
        moments.append(max(parked, next_sweep))
    return min(moments, default=None)


@dataclasses.dataclass(frozen=True)
class World:
    """A job in an embedded home of its own, with scripted servers around it."""

    home: LocalHome
    ports: Ports
    clock: VirtualClock
    fetcher: ScriptedFetcher
    warc_folder: Path

    def configure(self, config: JobConfig) -> None:
        self.home.jobs.configure(JOB, config, self.clock())

    def send(self, *emissions: Emission) -> None:
        self.home.queues.send(emissions, self.clock())

    async def crawl(self, *seeds: str, **how: object) -> None:
        """Crawl from seeds (those of the job if none are given) until all is quiet."""
        self.send(Emission("links", self.seeding(*seeds)))
        await self.drain(**how)

    def seeding(self, *seeds: str) -> LinksFound:
        record = self.home.jobs.get(JOB)
        urls = seeds or tuple(normalised_seeds(record.config) if record else ())
        links = [Link(url) for url in urls]
        return LinksFound(job=JOB, source="", depth=0, via="seed", links=links)

    async def drain(self, **how: object) -> None:
        await drain(self.home, self.ports, self.clock, **how)  # type: ignore[arg-type]

    async def deal_with(self, stream: Stream, message: AnyMessage) -> list[Emission]:
        """Run one bolt once; what it emits goes nowhere."""
        return await deal_with(stream, message, self.ports, self.clock())

    def record(self, url: str) -> UrlRecord:
        record = self.home.urls.get(url_id(url))
        assert record is not None, f"{url} was never met"
        return record

    def end_of(self, url: str) -> tuple[State, str]:
        record = self.record(url)
        return record.state, record.reason

    def ends(self) -> dict[str, tuple[str, str]]:
        """State and reason of every URL."""
        return {r.url: (r.state.value, r.reason) for r in self.home.urls.all()}

    def budget(self) -> tuple[int | None, int | None]:
        """Pages and documents that the job may still take."""
        record = self.home.jobs.get(JOB)
        assert record is not None
        return record.pages_left, record.documents_left


def make_world(
    folder: Path,
    clock: VirtualClock,
    answers: dict[str, Answer] | None = None,
    database: Path | None = None,
    **config: Any,
) -> World:
    """A world whose job has these settings; by default it starts at http://a.test/."""
    home = LocalHome(database, folder, decode_body)
    fetcher = ScriptedFetcher(clock, answers)
    ports = Ports(home, fetcher, InlineParser(folder, decode_body))
    world = World(home, ports, clock, fetcher, folder)
    world.configure(JobConfig(**{"seeds": ["http://a.test/"], **config}))
    return world
