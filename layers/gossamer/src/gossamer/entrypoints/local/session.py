"""A crawl session on this machine: open the home alone, run a job, report."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypedDict, Unpack

from gossamer import homes
from gossamer.core.errors import ConfigurationError, MissingResource, StoreGone
from gossamer.entrypoints.local.progress import Progress
from gossamer.entrypoints.local.report import report
from gossamer.entrypoints.local.runner import Runner
from gossamer.ports import Ports
from gossamer.ports.home import CRAWL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.bot_auth import Signer
    from gossamer.core.crawl.job import JobConfig
    from gossamer.entrypoints.local.index_beside import IndexBeside
    from gossamer.entrypoints.local.report import Report
    from gossamer.messages import Emission
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord
    from gossamer.ports.parser import ParserPool
    from gossamer.settings import Settings


class Beginning(TypedDict, total=False):
    """How a run begins: see `Runner`."""

    revise: bool
    refresh: bool
    again: Sequence[Emission] | None
    beside: IndexBeside | None


@contextmanager
def locked(settings: Settings, doing: str, *, create: bool = False) -> Iterator[Home]:
    """A home that is ours alone; `create` makes one that does not exist."""
    with closing(homes.open_home(settings, create=create)) as home:
        home.lock(doing)
        yield home


@contextmanager
def opened(settings: Settings, *, create: bool = False) -> Iterator[tuple[Home, ParserPool]]:
    """A home that is ours alone, and parsers; `create` makes one that does not exist."""
    homes.require_open_files(0, "this command")
    # The parsers come first: what they inherit from this process must not include the store.
    pool = homes.parser_pool(settings)
    try:
        with locked(settings, CRAWL, create=create) as home:
            home.recover()
            yield home, pool
    finally:
        pool.kill()


def refuse_neighbours(home: Home, job: str) -> None:
    """One job at a time in a collection: their queues are shared, their rules are not."""
    others = [name for name in home.jobs.unfinished() if name != job]
    if others:
        raise ConfigurationError(
            f"job {others[0]!r} is not finished; resume it with --job {others[0]}, "
            f"or end it with `gossamer stop --job {others[0]}`"
        )


def job_of(home: Home, job: str) -> JobRecord:
    """A job, or a ConfigurationError that names those that there are."""
    record = home.jobs.get(job)
    if record is None:
        names = ", ".join(home.jobs.names()) or "none"
        raise ConfigurationError(f"there is no job {job!r}; jobs here: {names}")
    return record


def stored_config(settings: Settings, job: str) -> JobConfig | None:
    """The configuration that a job had; None if there is no such job, or no collection."""
    try:
        home = homes.open_home(settings, read_only=True)
    except StoreGone:
        raise
    except MissingResource:
        return None
    with closing(home):
        record = home.jobs.get(job)
        return record.config if record else None


async def crawl(
    home: Home,
    pool: ParserPool,
    job: str,
    config: JobConfig,
    *,
    quiet: bool,
    signer: Signer | None = None,
    **how: Unpack[Beginning],
) -> Report:
    """Run a job to its end; `how` it begins is for the runner."""
    fetcher = homes.http_fetcher(config, signer)
    progress = None if quiet else Progress()
    runner = Runner(
        home,
        Ports(home, fetcher, pool),
        job,
        time.time,
        parsers=pool.size,
        watchers=(progress,) if progress else (),
        **how,
    )
    try:
        state = await runner.run()
        if progress:
            progress.close(runner)
        return report(home, job, state)
    finally:
        await fetcher.close()
        pool.close()
