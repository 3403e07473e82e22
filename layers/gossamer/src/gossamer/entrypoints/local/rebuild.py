"""Make the database of a collection anew: every response in its WARC files is applied once more.

The bolts decide as they did in the crawl, in the order of the WARC files: pages are parsed in
processes of their own, and links are followed in the ledger only. Nothing is requested. At the end
the URLs that no response was found for wait in the frontier.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import msgspec

from gossamer.bolts.fetch.replay import is_expected, replay
from gossamer.bolts.links import links
from gossamer.bolts.packs import packs
from gossamer.bolts.parse import parse
from gossamer.core.collection import LISTS
from gossamer.core.crawl.host_pace import robots_of
from gossamer.core.crawl.job import JobConfig, normalised_seeds
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import LIMIT_REASONS, Event, State
from gossamer.entrypoints.local.warc_requests import stored_requests
from gossamer.messages import Candidate, FetchRequest, Link, LinksFound, PageFetched
from gossamer.ports import Ports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.core.crawl.url_record import Purpose, UrlRecord
    from gossamer.entrypoints.local.warc_requests import StoredRequest
    from gossamer.messages import Emission
    from gossamer.ports.admin.rebuilding import Rebuilding
    from gossamer.ports.fetcher import HttpRequest, HttpResponse
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord
    from gossamer.ports.parser import ParserPool

PARSE_AHEAD = 3  # pages per parser process, so that none waits for the loop
COMMIT_EVERY = 500  # requests


@dataclass(slots=True)
class Replayed:
    """What was found in the WARC files."""

    requests: int = 0
    damaged: int = 0  # places that could not be read
    ended_at: float = 0.0  # when the last response came
    lost_jobs: list[str] = field(default_factory=list)  # whose configuration could not be read
    lost_settings: bool = False
    lost_lists: list[str] = field(default_factory=list)  # templates, synonyms


class NoFetcher:
    """In place of a fetcher: what lies in WARC files is not asked for."""

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Raise, because nothing may be requested."""
        raise RuntimeError(f"{request.url} must not be requested")

    async def close(self) -> None:
        """Nothing is open."""


async def rebuild(made: Rebuilding, pool: ParserPool, tell: Callable[[int, int], None]) -> Replayed:
    """Fill a new collection from its WARC files; all but its index and its ranks.

    `tell` hears how many bytes were read and how many requests were in them.
    """
    work = _Replay(made, pool)
    _take_settings(made, work.done)
    try:
        await _read_all(made, work, tell)
    finally:
        pool.close()
    finish(made.home, work.jobs, work.done.ended_at)
    made.add_sums(work.sums)
    made.keep_ends(work.ends)
    made.home.commit()
    return work.done


def _take_settings(made: Rebuilding, done: Replayed) -> None:
    """Give the new collection the settings of the old one, with its templates and synonyms."""
    settings = made.old.settings()
    if settings is None:
        done.lost_settings = True
    elif settings.version:
        texts = {kind: made.old.read_list(getattr(settings, kind)) for kind in LISTS}
        done.lost_lists = [kind for kind in LISTS if getattr(settings, kind) and not texts[kind]]
        names = {kind: made.home.settings.put_list(text) for kind, text in texts.items()}
        made.home.settings.put(msgspec.structs.replace(settings, version=1, **names))


async def _read_all(made: Rebuilding, work: _Replay, tell: Callable[[int, int], None]) -> None:
    read = 0
    for path in made.files:
        for stored in stored_requests(path, work.count_damaged):
            await work.apply(stored)
            work.ends[path.name] = stored.end
            tell(read + stored.end, work.done.requests)
        read += path.stat().st_size
    await work.parsed()


class _Replay:
    """Requests of WARC files on their way through the bolts."""

    def __init__(self, made: Rebuilding, pool: ParserPool) -> None:
        self.home, self._old = made.home, made.old
        self._ports = Ports(made.home, NoFetcher(), pool)
        self._ahead = pool.size * PARSE_AHEAD
        self._parsing: set[asyncio.Task[None]] = set()
        self.jobs: dict[str, JobRecord | None] = {}  # as they were; None if that is not known
        self.done = Replayed()
        self.sums: Counter[str] = Counter()
        self.ends: dict[str, int] = {}

    def count_damaged(self) -> None:
        """A place in a file could not be read."""
        self.done.damaged += 1

    async def apply(self, stored: StoredRequest) -> None:
        """Do what a response meant."""
        response, facts = stored.response, stored.facts
        self._take_up(facts.job, response.started_at)
        request = _request(stored)
        if not is_expected(request, self._ports):
            await self.parsed()  # a page that is being parsed may lead to it
            self._name(request, response.started_at)
        now = response.started_at + response.seconds
        self._send(await replay(request, response, stored.page, self._ports), now)
        self._count(stored, now)
        await self._wait_for(self._ahead)
        if self.done.requests % COMMIT_EVERY == 0:
            await self._commit()

    def _take_up(self, job: str, now: float) -> None:
        """Begin a job as it was. Limits ended it where they did: they count at the end."""
        if job in self.jobs:
            return
        old = self.jobs[job] = self._old.job(job)
        if old is None:
            self.done.lost_jobs.append(job)
        config = old.config if old else JobConfig()
        self.home.jobs.configure(job, _unlimited(config), old.started_at if old else now)
        self._seed(job, normalised_seeds(config), now)

    def _name(self, request: FetchRequest, now: float) -> None:
        """What no link leads to, and lies at the beginning, was a seed."""
        url, job = request.candidate.url, self.home.jobs.get(request.job)
        if is_expected(request, self._ports) or request.candidate.depth or job is None:
            return
        if request.purpose == "page":
            if self.jobs[request.job] is None:  # the scope is that of its seeds
                wider = msgspec.structs.replace(job.config, seeds=[*job.config.seeds, url])
                self.home.jobs.configure(request.job, wider, now)
            self._seed(request.job, [url], now)

    def _seed(self, job: str, urls: list[str], now: float) -> None:
        if urls:
            seeds = [Link(url) for url in urls]
            found = LinksFound(job=job, source="", depth=0, via="seed", links=seeds)
            self._send(links(found, self._ports, now), now)

    def _send(self, emissions: Iterable[Emission], now: float) -> None:
        """Pages and links go on at once; what waits is found in the ledger at the end."""
        for emission in emissions:
            match emission.message:
                case LinksFound():
                    self._send(links(emission.message, self._ports, now), now)
                case PageFetched():
                    task = asyncio.create_task(self._parse(emission.message, now))
                    self._parsing.add(task)
                case _:
                    pass

    async def _parse(self, page: PageFetched, now: float) -> None:
        self._send(await parse(page, self._ports, now), now)

    async def parsed(self) -> None:
        """Wait until nothing is being parsed."""
        await self._wait_for(0)

    async def _wait_for(self, most: int) -> None:
        while len(self._parsing) > most:
            done, _ = await asyncio.wait(self._parsing, return_when=asyncio.FIRST_COMPLETED)
            self._parsing -= done
            for task in done:
                task.result()  # a store that failed is heard here

    def _count(self, stored: StoredRequest, now: float) -> None:
        code = stored.response.code
        self.sums.update({"requests": 1, "bytes": len(stored.response.raw)})
        self.sums[f"code:{code}" if code else "code:none"] += 1
        self.done.requests += 1
        self.done.ended_at = max(self.done.ended_at, now)

    async def _commit(self) -> None:
        self.home.commit()
        if self.home.needs_checkpoint():
            await self.home.checkpoint()


def _request(stored: StoredRequest) -> FetchRequest:
    facts = stored.facts
    return FetchRequest(
        job=facts.job,
        host=facts.host,
        candidate=Candidate(
            *(stored.response.url, facts.depth, facts.hops, facts.tries),
            after=facts.after,
            cookies=facts.cookies,
        ),
        slot=facts.slot,
        delay=facts.delay,
        grace=facts.grace,
        purpose=cast("Purpose", facts.purpose),
        robots_for=facts.robots_for,
    )


def _unlimited(config: JobConfig) -> JobConfig:
    return msgspec.structs.replace(config, max_pages=None, max_documents=None, max_seconds=None)


def finish(home: Home, jobs: dict[str, JobRecord | None], now: float) -> None:
    """Leave every job as it was, with what waits for it."""
    waiting: dict[str, list[UrlRecord]] = {job: [] for job in jobs}
    for _, entry in home.urls.entries():
        if entry.record.state is State.DISCOVERED:
            waiting.setdefault(entry.job, []).append(entry.record)
    for job, old in jobs.items():
        left = [record for record in waiting[job] if not _forbidden(home, job, record)]
        if old is not None:
            home.jobs.configure(job, old.config, now)
            home.jobs.spend_seconds(job, old.seconds)
        _end(home, job, old, left, now)


def _forbidden(home: Home, job: str, url: UrlRecord) -> bool:
    """Exclude a URL that waits and that the robots.txt of its host forbids."""
    host, record = home.hosts.get(url.host), home.jobs.get(job)
    if record is None or not host.robots_until or host.robots_unavailable:
        return False
    if robots_of(host).allows(url.url, record.config.identity()):
        return False
    return home.urls.move(url.id, Event.SKIPPED, UrlChange(reason="robots"))


def _end(home: Home, job: str, old: JobRecord | None, left: list[UrlRecord], now: float) -> None:
    if old is None:
        home.jobs.set_state(job, "running" if left else "finished")
    else:
        home.jobs.set_state(job, old.state, old.reason)
    if old is not None and old.reason in LIMIT_REASONS:
        home.close_waiting(job, old.reason)
    else:
        home.queues.send(packs(job, left), now)
