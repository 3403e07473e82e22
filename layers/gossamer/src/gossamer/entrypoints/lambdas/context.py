"""Which home does a Lambda function work in? Opened once per process, at the first event."""

from __future__ import annotations

import dataclasses
import os
import time
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.sqs import Home
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.adapters.local.home import LocalHome
    from gossamer.messages import Stream
    from gossamer.ports import Ports
    from gossamer.ports.fetcher import Fetcher, HttpRequest, HttpResponse
    from gossamer.ports.jobs import JobState


CRAWL_STREAMS: tuple[Stream, ...] = ("frontier", "fetch", "parse", "links")


@lru_cache(maxsize=1)
def home() -> Home:
    """The home that the environment names (GOSSAMER_HOME, GOSSAMER_STACK, GOSSAMER_DATA)."""
    settings = Settings.from_environ(os.environ)
    return _local(settings) if settings.home == "local" else _cloud()


def _local(settings: Settings) -> Home:
    from gossamer.adapters.local.parser_pool import InlineParser

    local = homes.open_local(settings)
    config = _config_of_any_job(local)
    parser = InlineParser(settings.warc_folder, homes.decode_body)
    ports = homes.local_ports(local, homes.http_fetcher(config), parser)
    return Home(ports, local.queues, time.time, local.store.commit)


def _config_of_any_job(local: LocalHome) -> JobConfig:
    """The identity that requests are made under: that of the latest job."""
    names = local.jobs.names()
    record = local.jobs.get(names[-1]) if names else None
    return record.config if record else JobConfig()


@lru_cache(maxsize=1)
def aws() -> AwsHome:
    """The stores of the stack that the environment names."""
    return homes.open_aws(Settings.from_environ(os.environ))


def _cloud() -> Home:
    from gossamer.entrypoints.lambdas.metering import Metering
    from gossamer.entrypoints.lambdas.powertools import PowertoolsTelemetry

    opened = aws()
    metering = Metering(opened, time.time)
    ports = homes.aws_ports(opened, NoFetcher())
    return Home(
        ports,
        opened.queues,
        time.time,
        opened.settle,
        ports_for=_PortsByJob(ports),
        task=_page_task,
        telemetry=PowertoolsTelemetry(opened.stack, metering.spend, metering.calls),
    )


@contextmanager
def _page_task() -> Iterator[None]:
    """Tells the page store how many requests are under way: they share one object."""
    pages = aws().pages
    pages.begin()
    try:
        yield
    finally:
        pages.end()


class NoFetcher:
    """Stands where no request is ever made."""

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Refuse."""
        raise NotImplementedError(f"{request.url}: this function makes no requests")

    async def close(self) -> None:
        """Nothing to let go of."""


class _PortsByJob:
    """The ports for each job, with a fetcher that speaks in the job's name."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._known: dict[str, tuple[JobConfig, Ports]] = {}

    def __call__(self, job: str) -> Ports:
        record = self._ports.jobs.get(job)
        if record is None:
            return self._ports
        config, ports = self._known.get(job, (None, self._ports))
        if config != record.config:
            ports = dataclasses.replace(self._ports, fetcher=_LazyFetcher(record.config))
            self._known[job] = record.config, ports
        return ports


class _LazyFetcher:
    """A fetcher made at its first request: most functions never make one."""

    def __init__(self, config: JobConfig) -> None:
        self._config = config
        self._made: Fetcher | None = None

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Make one request."""
        if self._made is None:
            self._made = homes.http_fetcher(self._config)
        return await self._made.fetch(request)

    async def close(self) -> None:
        """Let go of all connections."""
        if self._made is not None:
            await self._made.close()


class CloudCrawl:
    """The jobs of a stack, for those who look after them."""

    def __init__(self, home: AwsHome) -> None:
        self._home = home

    def job_names(self) -> list[str]:
        """All jobs of the collection."""
        return self._home.jobs.names()

    def set_state(self, job: str, state: JobState, reason: str = "") -> None:
        """Say how a job stands."""
        self._home.jobs.set_state(job, state, reason)

    def is_busy(self) -> bool:
        """Whether any message of the crawl waits or is in somebody's hands."""
        depth = self._home.queues.depth()
        return any(depth[stream] for stream in CRAWL_STREAMS)

    def has_parked(self) -> bool:
        """Whether URLs are parked in the frontier."""
        return self._home.frontier.has_packs()

    def parked_jobs(self) -> set[str]:
        """Whose URLs are parked."""
        if not self.has_parked():
            return set()
        return {pack.request.job for _, pack in self._home.frontier.all()}

    def free_waiting(self, job: str, now: float) -> int:
        """Take back what parked URLs hold of the budgets."""
        return self._home.free_waiting(job, now)

    def close_waiting(self, job: str, reason: str) -> int:
        """Exclude what is parked for a job."""
        return self._home.close_waiting(job, reason)


@lru_cache(maxsize=1)
def crawl() -> CloudCrawl:
    """The jobs of the stack that the environment names."""
    return CloudCrawl(aws())
