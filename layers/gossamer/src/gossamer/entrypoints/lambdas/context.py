"""What a Lambda function works with: opened once per process, at the first event."""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.money import Guard
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.ports import Ports
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.bot_auth import Signer
    from gossamer.entrypoints.lambdas.tracing import MessageTraces
    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.fetcher import Fetcher, HttpRequest, HttpResponse
    from gossamer.ports.home import Home

TRACE_SWITCH = "POWERTOOLS_TRACE_DISABLED"  # Powertools' own; the template sets it


@lru_cache(maxsize=1)
def home() -> Home:
    """The home that the environment names (GOSSAMER_HOME, GOSSAMER_STACK, GOSSAMER_DATA)."""
    settings = Settings.from_environ(os.environ)
    return homes.open_home(settings) if settings.home == "local" else stack()


@lru_cache(maxsize=1)
def stack() -> StackHome:
    """The home in the stack that the environment names."""
    return homes.open_stack(Settings.from_environ(os.environ))


@lru_cache(maxsize=1)
def signer() -> Signer | None:
    """What signs requests, and the directory of its key."""
    return homes.signer(Settings.from_environ(os.environ))


@lru_cache(maxsize=1)
def worker() -> Worker:
    """What a handler needs."""
    settings = Settings.from_environ(os.environ)
    return _local() if settings.home == "local" else _cloud()


def _local() -> Worker:
    from gossamer.entrypoints.statistics import latest_job

    job = latest_job(home())  # requests are made under its identity
    return Worker(Ports(home(), homes.http_fetcher(job.config if job else JobConfig())), time.time)


def _cloud() -> Worker:
    from gossamer.entrypoints.lambdas.powertools import PowertoolsTelemetry

    ports = Ports(stack(), NoFetcher())
    telemetry = PowertoolsTelemetry(stack(), time.time, _traces(os.environ))
    guard = Guard(stack(), Settings.from_environ(os.environ).daily_usd)
    return Worker(ports, time.time, _PortsByJob(ports), telemetry, guard)


def _traces(environ: Mapping[str, str]) -> MessageTraces | None:
    """Traces, where the stack asks for them: elsewhere X-Ray's SDK is not even imported."""
    if environ.get(TRACE_SWITCH, "true") != "false":
        return None
    from gossamer.entrypoints.lambdas.tracing import MessageTraces

    return MessageTraces()


class NoFetcher:
    """Stands where no request is ever made."""

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Refuse."""
        raise NotImplementedError(f"{request.url}: this function makes no requests")

    async def close(self) -> None:
        """Nothing to close."""


class _PortsByJob:
    """The ports for each job, with a fetcher that makes requests in the job's name."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._known: dict[str, tuple[JobConfig, Ports]] = {}

    def __call__(self, job: str) -> Ports:
        record = self._ports.jobs.get(job)
        if record is None:
            return self._ports
        config, ports = self._known.get(job, (None, self._ports))
        if config != record.config:
            ports = Ports(self._ports.home, _LazyFetcher(record.config))
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
            self._made = homes.http_fetcher(self._config, signer())
        return await self._made.fetch(request)

    async def close(self) -> None:
        """Close all connections."""
        if self._made is not None:
            await self._made.close()
