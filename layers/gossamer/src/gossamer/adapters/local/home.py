"""The embedded home, assembled: every port over one store and one folder."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.adapters.local import (
    collection_settings,
    content_owners,
    documents,
    edges,
    frontier,
    host_languages,
    hosts,
    jobs,
    query_log,
    queues,
    quotas,
    reputation,
    template_health,
    urls,
)
from gossamer.adapters.local.database import Store
from gossamer.adapters.local.opening import MAX_LOG_BYTES, unusable
from gossamer.adapters.local.processes.control_file import ControlFile
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.adapters.local.warc_files import WarcPages
from gossamer.core.crawl.politeness import EMBEDDED_GRACE
from gossamer.core.errors import MissingResource, StoreGone
from gossamer.core.urls import url_id
from gossamer.messages import FetchRequest
from gossamer.messages import decode as decode_message
from gossamer.ports.home import CRAWL, Part, Purged
from gossamer.topology import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.messages import Stream
    from gossamer.ports.parser import Parser
    from gossamer.settings import Settings

# Slots are booked this far ahead. A local queue has no horizon, and a short window lets a budget go
# to the hosts that can answer soonest.
WINDOW = 10.0
STORES = (
    *(urls, hosts, frontier, content_owners, documents, edges, quotas, queues, jobs),
    *(collection_settings, template_health, host_languages),
)
TABLES = "".join(store.TABLES for store in STORES)


class LocalHome:
    """All stores of a collection on this machine; `database` None keeps it in memory."""

    grace: GracePolicy = EMBEDDED_GRACE
    window: float = WINDOW

    def __init__(
        self,
        database: Path | None,
        warc_folder: Path,
        decode: Callable[[bytes, str], bytes],
        *,
        read_only: bool = False,
        visibility: Mapping[Stream, float] | None = None,
        collection: str = "",
    ) -> None:
        self.collection = collection
        self.store = Store(database, TABLES, read_only=read_only)
        self._database, self._warc_folder, self._decode = database, warc_folder, decode
        self._visibility = visibility
        self.control = ControlFile(database)
        self._open_stores()

    def _open_stores(self) -> None:
        store = self.store
        self.urls = urls.SqliteUrlStore(store)
        self.hosts = hosts.SqliteHostStore(store)
        self.frontier = frontier.SqliteFrontier(store)
        self.pages = WarcPages(self._warc_folder, store, self._decode)
        self.contents = content_owners.SqliteContentStore(store)
        self.documents = documents.SqliteDocumentStore(store)
        self.edges = edges.SqliteEdgeStore(store)
        self.jobs = jobs.SqliteJobStore(store)
        self.quotas = quotas.SqliteQuotaStore(store)
        self.reputation = reputation.SqliteReputationStore(self.hosts)
        self.queues = queues.SqliteQueues(store, self._visibility)
        self.index = LocalSegmentStore(store, index_folder(self._database))
        self.settings = collection_settings.SqliteCollectionSettings(store)
        self.template_health = template_health.SqliteTemplateHealth(store)
        self.host_languages = host_languages.SqliteHostLanguages(store)
        self.queries = query_log.SqliteQueryLog(log_file(self._database))

    @property
    def parser(self) -> Parser:
        from gossamer.adapters.local.processes.parser_pool import (
            InlineParser,  # which loads what reads HTML
        )

        return InlineParser(self.pages.folder, self.pages.decode)

    def commit(self) -> None:
        self.store.commit()

    async def committed(self) -> None:
        await self.store.committed()

    def wake_later_than(self, latest: float, now: float) -> None:
        self.frontier.wake_later_than(latest)
        self.queues.bring_forward(latest, now)

    def needs_checkpoint(self) -> bool:
        return self.store.log_bytes() > MAX_LOG_BYTES

    def lock(self, doing: str) -> None:
        self.store.lock(doing)
        self.settings.mend_copy()

    def holder(self) -> str:
        return self.store.holder()

    def is_crawling(self) -> bool:
        return self._database is None or self.holder() == CRAWL

    def leave_command(self, job: str, command: str) -> None:
        self.control.leave(job, command)

    def take_command(self, job: str) -> str:
        return self.control.take(job)

    def states(self) -> tuple[Counter[str], Counter[str]]:
        return self.urls.by_state, self.urls.by_reason

    def recount(self) -> None:
        self.urls.recount()

    # Here a move and its count are one transaction, so there is nothing to mend.
    def distrust_counts(self) -> None: ...

    def recount_part(
        self, now: float, is_quiet: Callable[[], bool], goes_on: Callable[[], bool]
    ) -> bool:
        return False

    def sums(self) -> Counter[str]:
        return Counter(self.store.counters)

    def recover(self) -> None:
        self.control.forget()
        self.pages.mend()
        self.urls.release_claims()
        self.hosts.release_leases()
        self.frontier.release_leases()
        self.queues.recover()
        self.store.commit()

    def free_waiting(self, job: str, now: float) -> int:
        ours = (pack.request for _, pack in self.frontier.all() if pack.request.job == job)
        ids = {url_id(candidate.url) for request in ours for candidate in request.urls}
        waiting = [id for id in ids if self.urls.is_waiting(id)]
        return sum(self.jobs.release(job, id, now) for id in waiting)

    def close_waiting(self, job: str, reason: str) -> int:
        queues, parked = self.queues, self.frontier.drain()
        for body in [*queues.drain("frontier"), *queues.drain("fetch"), *parked]:
            message = decode_message(body)
            if isinstance(message, FetchRequest) and message.purpose == "page":
                # No request is under way any more: a claim that is left was cut short.
                self.jobs.release(message.job, url_id(message.candidate.url), now=math.inf)
        return self.urls.close_open(job, reason)

    # Here a pass is short.
    def free_part(self, job: str, now: float, after: bytes, goes_on: Callable[[], bool]) -> Part:
        del after, goes_on
        return Part(self.free_waiting(job, now), b"")

    def close_part(
        self, reasons: Mapping[str, str], after: bytes, goes_on: Callable[[], bool]
    ) -> Part:
        del after, goes_on
        return Part(sum(self.close_waiting(*each) for each in reasons.items()), b"")

    async def checkpoint(self) -> None:
        # What the database says lies in a WARC must lie there even after a power cut. The disk's
        # slow part is done in a thread, so that no slot is missed meanwhile.
        await asyncio.to_thread(self._checkpoint_beside)
        self.pages.sync()
        self.store.checkpoint()

    def _checkpoint_beside(self) -> None:
        self.pages.sync()
        self.store.checkpoint_beside()

    def purge(self) -> Purged:
        files = self.index.names()
        items = self.store.clear()  # first, so that nothing names the files any more
        self.index.delete(files)
        self.queries.forget()
        objects = len(files) + self.pages.purge()
        self._open_stores()  # they remember what was there
        self.settings.mend_copy()
        return Purged(collection=self.collection, queues=[], items=items, objects=objects)

    def close(self) -> None:
        self.pages.close()
        self.store.close()


def log_file(database: Path | None) -> Path | None:
    """Where queries are logged. Not *.db: such a file is a collection."""
    return database.with_suffix(".queries") if database else None


def index_folder(database: Path | None) -> Path | None:
    """Where the index of a collection lies: beside its database, named after it."""
    return database.parent / "index" / database.stem if database else None


def from_settings(
    settings: Settings,
    decode: Callable[[bytes, str], bytes],
    *,
    read_only: bool = False,
    create: bool = True,
) -> LocalHome:
    """The collection that the settings name, in their folder; made if it may be written."""
    try:
        _check_that_it_is_not_gone(settings)
        if read_only or not create:
            _check_that_it_exists(settings)
    except OSError as error:  # a folder that cannot be entered
        raise unusable(settings.database, error) from error
    return LocalHome(
        settings.database,
        settings.warc_folder,
        decode,
        read_only=read_only,
        visibility={stream: edge.visibility for stream, edge in STREAMS.items()},
        collection=settings.collection,
    )


def _check_that_it_is_not_gone(settings: Settings) -> None:
    """Raise StoreGone rather than begin anew beside the pages of an earlier crawl."""
    if not settings.database.exists() and any(settings.warc_folder.glob("*.warc.gz")):
        raise StoreGone(settings.database, settings.warc_folder)


def _check_that_it_exists(settings: Settings) -> None:
    """Raise MissingResource, which says which collections there are instead."""
    folder, name = Path(settings.data), settings.collection
    if not folder.is_dir():
        what = "it is a file" if folder.exists() else "there is no such folder"
        raise MissingResource(f"no collection in {folder}: {what}; `gossamer crawl` makes one")
    if settings.database.exists():
        return
    others = sorted(path.stem for path in folder.glob("*.db"))
    if others:
        raise MissingResource(
            f"no collection {name!r} in {folder}; choose with --collection: {', '.join(others)}"
        )
    raise MissingResource(f"no collection in {folder} yet; `gossamer crawl` makes one")
