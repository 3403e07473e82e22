"""The embedded home, assembled: every port over one store and one folder."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.adapters.local.collection_settings import SqliteCollectionSettings
from gossamer.adapters.local.contents import SqliteContentStore
from gossamer.adapters.local.control_file import ControlFile
from gossamer.adapters.local.database import Store
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.edges import SqliteEdgeStore
from gossamer.adapters.local.frontier import SqliteFrontier
from gossamer.adapters.local.hosts import SqliteHostStore
from gossamer.adapters.local.index import SqliteIndexStore
from gossamer.adapters.local.jobs import SqliteJobStore
from gossamer.adapters.local.queues import SqliteQueues
from gossamer.adapters.local.quotas import SqliteQuotaStore
from gossamer.adapters.local.reputation import SqliteReputationStore
from gossamer.adapters.local.urls import SqliteUrlStore
from gossamer.adapters.local.warc_files import WarcPages
from gossamer.core.urls import url_id
from gossamer.messages import CrawlRequest, FetchRequest, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gossamer.messages import Stream


@dataclass(frozen=True, slots=True)
class LocalHome:
    """All stores of a collection on this machine."""

    store: Store
    urls: SqliteUrlStore
    hosts: SqliteHostStore
    frontier: SqliteFrontier
    pages: WarcPages
    contents: SqliteContentStore
    documents: SqliteDocumentStore
    edges: SqliteEdgeStore
    jobs: SqliteJobStore
    quotas: SqliteQuotaStore
    reputation: SqliteReputationStore
    queues: SqliteQueues
    index: SqliteIndexStore
    settings: SqliteCollectionSettings
    control: ControlFile

    def recover(self) -> None:
        """Take over from a process that may have been killed: nobody holds anything any more."""
        self.control.forget()
        self.pages.mend()
        self.urls.release_claims()
        self.hosts.release_leases()
        self.frontier.release_leases()
        self.queues.recover()
        self.store.commit()

    def free_waiting(self, job: str, now: float) -> int:
        """Take back the units of parked URLs, which whoever asked for them could not use."""
        packs = (decode(body) for body in self.frontier.all())
        ours = (pack for pack in packs if isinstance(pack, CrawlRequest) and pack.job == job)
        ids = {url_id(candidate.url) for pack in ours for candidate in pack.urls}
        waiting = [id for id in ids if self.urls.is_waiting(id)]
        return sum(self.jobs.release(job, id, now) for id in waiting)

    def close_waiting(self, job: str, reason: str) -> int:
        """A limit ended a job: what still waits is excluded by it, and its units are free."""
        queues, parked = self.queues, self.frontier.drain()
        for body in [*queues.drain("frontier"), *queues.drain("fetch"), *parked]:
            message = decode(body)
            if isinstance(message, FetchRequest) and message.purpose == "page":
                # Nobody asks any more: a claim that is left was cut short.
                self.jobs.release(message.job, url_id(message.candidate.url), now=math.inf)
        return self.urls.close_open(job, reason)

    async def checkpoint(self) -> None:
        """What the database says lies in a WARC must lie there even after a power cut.

        The disk's slow part is done in a thread, so that no slot is missed meanwhile.
        """
        await asyncio.to_thread(self._checkpoint_beside)
        self.pages.sync()
        self.store.checkpoint()

    def _checkpoint_beside(self) -> None:
        self.pages.sync()
        self.store.checkpoint_beside()

    def close(self) -> None:
        """Commit, sync and close everything."""
        self.pages.close()
        self.store.close()


def open_home(
    database: Path | None,
    warc_folder: Path,
    decode: Callable[[bytes, str], bytes],
    *,
    read_only: bool = False,
    visibility: Mapping[Stream, float] | None = None,
) -> LocalHome:
    """Open (and create) a collection; `database` None keeps it in memory."""
    store = Store(database, read_only=read_only)
    hosts = SqliteHostStore(store)
    return LocalHome(
        store=store,
        urls=SqliteUrlStore(store),
        hosts=hosts,
        frontier=SqliteFrontier(store),
        pages=WarcPages(warc_folder, store, decode),
        contents=SqliteContentStore(store),
        documents=SqliteDocumentStore(store),
        edges=SqliteEdgeStore(store),
        jobs=SqliteJobStore(store),
        quotas=SqliteQuotaStore(store),
        reputation=SqliteReputationStore(hosts),
        queues=SqliteQueues(store, visibility),
        index=SqliteIndexStore(store),
        settings=SqliteCollectionSettings(store),
        control=ControlFile(database),
    )
