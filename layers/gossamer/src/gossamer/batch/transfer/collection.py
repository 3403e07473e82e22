"""Copy a collection from one home into another, part by part.

Written over the ports, so every pair of homes can do it. Each part is copied in an order that stays
the same; what was copied is committed before the journal says so. A copy that was killed goes on
behind the last entry of which the journal knows, and entries that come twice change nothing.

Queues are not copied. Where a URL stands is known from its record: what waits is parked again.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from gossamer.batch.transfer.segments import copy_index
from gossamer.bolts.packs import packs
from gossamer.core.collection import LISTS
from gossamer.core.crawl.url_record import UrlEntry
from gossamer.core.crawl.url_state import Event, State, after
from gossamer.core.errors import ConfigurationError
from gossamer.messages import CrawlRequest
from gossamer.ports.jobs import JobRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.batch.transfer.journal import Journal, Progress
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.ports.admin.job_admin import JobAdmin
    from gossamer.ports.home import Home
    from gossamer.ports.portable import Portable

What = Literal["index", "records", "all"]

# Entries in memory. Documents may be long; of many URLs those of one host can be parked together.
AT_ONCE = {"documents": 200, "urls": 5_000}
LEASE, RENEWED_EVERY = 900.0, 60.0  # seconds for which COMPACT keeps away
UNDER_WAY = ("parse", "links")  # what is in these streams stands in no store yet


class Step(NamedTuple):
    """How far a part of a copy is; a total of 0 is not known."""

    part: str
    done: int
    total: int = 0
    unit: str = ""
    before: int = 0  # what an earlier run had done of it


class Copied(msgspec.Struct, frozen=True):
    """What a part of a copy has brought, in this run and before."""

    part: str
    count: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy of a collection."""

    source: Home
    target: Home
    writer: IndexWriter  # of the target
    journal: Journal
    progress: Progress
    clock: Callable[[], float]
    tell: Callable[[Step], None] = lambda _: None

    def run(self) -> list[Copied]:
        """Copy what is missing; returns what there is of every part."""
        copied = []
        for part in self._parts():
            if part not in self.progress.done:
                copied.append(self._copy(part))
                self.progress.done.append(part)
                self._save("", b"", 0)
        if self.progress.what != "index":
            self.target.recount()
            self.target.commit()
        self.progress.finished = True
        self.journal.save(self.progress)
        return copied

    def _parts(self) -> list[str]:
        what = self.progress.what
        records = ["documents", "edges", "contents", "hosts", "quotas"]
        parts = ["settings", "index", *(records if what != "index" else [])]
        if what == "all":
            parts.append("pages")
        # Jobs last: their state lets a stack begin.
        return parts if what == "index" else [*parts, "urls", "jobs"]

    def _copy(self, part: str) -> Copied:
        special = {"settings": self._settings, "index": self._index, "pages": self._pages}
        return special[part]() if part in special else self._entries(part)

    def _settings(self) -> Copied:
        wanted, there = self.source.settings.get(), self.target.settings.get()
        lists = {each: self._list(getattr(wanted, each), getattr(there, each)) for each in LISTS}
        wanted = msgspec.structs.replace(wanted, version=there.version, **lists)
        if wanted != there:
            changed = msgspec.structs.replace(wanted, version=there.version + 1)
            if not self.target.settings.put(changed):
                raise ConfigurationError("another process changed the settings; try again")
        return Copied("settings", 1)

    def _list(self, name: str, there: str) -> str:
        """The name that a list of the settings has at the target."""
        text = self.source.settings.read_list(name)
        is_same = text == self.target.settings.read_list(there)
        return there if is_same else self.target.settings.put_list(text)

    def _index(self) -> Copied:
        lease = _Lease(self.target.jobs, self.clock)

        def tell(done: int, total: int) -> None:
            lease.renew()
            self.tell(Step("index", done, total, "bytes"))

        try:
            size = copy_index(self.source.index, self.writer, tell)
        finally:
            lease.end()
        self.target.commit()
        return Copied("index", size, "bytes")

    def _pages(self) -> Copied:
        files = list(self.source.pages.archived())
        total, done = sum(size for _, size in files), 0
        for name, size in files:
            if name.encode() > self.progress.mark or self.progress.part != "pages":
                pages = self.source.pages
                self.target.pages.adopt(name, size, pages.file_pieces(name))
                self.target.commit()
                self._save("pages", name.encode(), 0)
            done += size
            self.tell(Step("pages", done, total, "bytes"))
        return Copied("pages", total, "bytes")

    def _entries(self, part: str) -> Copied:
        begun = self.progress.part == part
        before, mark = (self.progress.copied, self.progress.mark) if begun else (0, b"")
        done = before
        total = self._total(part)
        source: Portable[Any] = getattr(self.source, part)
        target: Portable[Any] = getattr(self.target, part)
        for lot in lots(source.entries(mark), AT_ONCE.get(part, 1_000)):
            entries = [self._made_ours(entry) for _, entry in lot]
            target.load(entries)
            self._park([entry for entry in entries if isinstance(entry, UrlEntry)])
            self.target.commit()
            done += len(lot)
            self._save(part, lot[-1][0], done)
            self.tell(Step(part, done, max(total, done) if total else 0, before=before))
        return Copied(part, done)

    def _total(self, part: str) -> int:
        """How many entries there are about, where that is known without counting them."""
        states = self.source.states()[0]
        if part == "documents":
            return states[State.PARSED] + states[State.UNCHANGED]
        return sum(states.values()) if part == "urls" else 0

    def _made_ours(self, entry: object) -> object:
        if isinstance(entry, JobRecord):
            return resting(entry, self.clock())
        return self._url_made_ours(entry) if isinstance(entry, UrlEntry) else entry

    def _url_made_ours(self, entry: UrlEntry) -> UrlEntry:
        record = entry.record
        record.page = self._page_here(record.page)
        release_claim(record)  # its fetcher is of the other home
        return entry

    def _page_here(self, page: PageRef | None) -> PageRef | None:
        if page is None or self.progress.what != "all":
            return None
        return msgspec.structs.replace(page, file=self.target.pages.name_here(page.file))

    def _park(self, entries: list[UrlEntry]) -> None:
        if entries:
            park_waiting(self.target, set(self.source.jobs.unfinished()), entries)

    def _save(self, part: str, mark: bytes, copied: int) -> None:
        self.progress.part, self.progress.mark, self.progress.copied = part, mark, copied
        self.journal.save(self.progress)


def release_claim(record: UrlRecord) -> bool:
    """Let a URL wait that a fetcher had claimed, which knows nothing of it now."""
    state = after(record.state, Event.SLOT_LOST)
    if state is None:
        return False
    record.state, record.lease = state, 0.0
    return True


def park_waiting(home: Home, unfinished: set[str], entries: list[UrlEntry]) -> int:
    """Park what waits for a job that has not ended: its messages are gone. Returns how many."""
    waiting: dict[str, list[UrlRecord]] = {}
    for entry in entries:
        if entry.record.state is State.DISCOVERED and entry.job in unfinished:
            waiting.setdefault(entry.job, []).append(entry.record)
    for job, records in waiting.items():
        for emission in packs(job, records):
            if isinstance(emission.message, CrawlRequest):
                home.frontier.park(emission.message)
    return sum(map(len, waiting.values()))


class _Lease:
    """Keeps COMPACT away from the index that is copied to."""

    def __init__(self, jobs: JobAdmin, clock: Callable[[], float]) -> None:
        self._jobs, self._clock, self._owner = jobs, clock, uuid.uuid4().hex
        self._epoch = self._take()

    def _take(self) -> int:
        self._taken_at = now = self._clock()
        epoch = self._jobs.lease("compact", self._owner, now + LEASE, now)
        if epoch is None:
            raise ConfigurationError("the index that is copied to is being merged; try again")
        return epoch

    def renew(self) -> None:
        """Keep it, now and then."""
        if self._clock() - self._taken_at > RENEWED_EVERY:
            self._epoch = self._take()

    def end(self) -> None:
        """Give it back."""
        self._jobs.end_lease("compact", self._epoch)


def resting(record: JobRecord, now: float) -> JobRecord:
    """A job as it arrives: one that has not ended waits until a person resumes it.

    A stack measures the time of a job from its beginning: the time that it was elsewhere and did
    not run does not count.
    """
    if record.state not in ("running", "paused"):
        return record
    return msgspec.structs.replace(record, state="paused", started_at=now - record.seconds)


def refuse_running(source: Home) -> None:
    """Raise ConfigurationError if other processes are crawling: a copy would miss some of it."""
    for name in source.jobs.unfinished():
        record = source.jobs.get(name)
        if record is not None and record.state == "running":
            raise ConfigurationError(
                f"job {name!r} is running: pause it, wait until `stats` shows nothing to parse,"
                " and try again"
            )


def refuse_unread(source: Home) -> None:
    """Raise ConfigurationError if fetched pages are not read yet: their links stand nowhere."""
    depth = source.queues.depth()
    if waiting := sum(depth.get(stream, 0) for stream in UNDER_WAY):
        raise ConfigurationError(
            f"{waiting:,} messages about fetched pages are not dealt with: end the crawl with"
            " `stop`, or let it finish, and try again; a crawl that was stopped can go on there"
        )


def stamp_of(source: Home) -> str:
    """Another one when anything was crawled or indexed in a collection since."""
    states, _ = source.states()
    counts = " ".join(f"{state}={n}" for state, n in sorted(states.items()) if n)
    return f"{source.index.manifest().version} {source.sums()['requests']} {counts}"


def is_empty(home: Home) -> bool:
    """Whether a home has nothing of a collection yet."""
    stores: tuple[Portable[Any], ...] = (home.documents, home.urls, home.jobs)
    has_entries = any(next(iter(store.entries()), None) is not None for store in stores)
    return not has_entries and not home.index.manifest().segments


def lots(marked: Iterator[tuple[bytes, Any]], size: int) -> Iterator[list[tuple[bytes, Any]]]:
    """Entries with their marks, some at a time."""
    while lot := list(islice(marked, size)):
        yield lot
