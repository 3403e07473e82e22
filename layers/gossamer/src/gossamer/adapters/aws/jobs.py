"""JobStore over DynamoDB. A configuration has its own item, because a job's counters change often.

A unit lies on its URL (`units`) and is counted at its job; both change in one transaction, so the
counters always equal the units held. A job without limits counts nothing.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, cast

import msgspec
import zstandard

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import JobItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table, begins, is_nothing
from gossamer.adapters.aws.dynamodb.transactions import MOST, Change, transact
from gossamer.adapters.aws.memory import Memory
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.errors import ConfigurationError, MissingResource
from gossamer.ports.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pynamodb.expressions.condition import Condition

    from gossamer.adapters.aws.clients import Clients

PAGE, DOCUMENT = 1, 2  # bits of what a URL holds
BOTH = PAGE + DOCUMENT
PORTION = 49  # URLs of one transaction
MAX_CONFIG = 350_000  # bytes, compressed
assert PORTION < MOST  # noqa: S101 the job's own counters go with them


class DynamoJobStore:
    """Jobs and their budgets."""

    def __init__(self, clients: Clients, stack: str, collection: str, memory: float = 0.0) -> None:
        """`memory`: for how many seconds a job that was read is good enough."""
        self._table = Table(clients, stack, JobItem)
        self._urls = Table(clients, stack, UrlItem)
        self._clients, self._collection = clients, collection
        self._rules: Memory[str, Rules] = Memory(50)
        self._memory = memory
        self._seen: dict[str, tuple[float, JobItem | None]] = {}

    def _key(self, job: str) -> str:
        return keys.textual(self._collection, job)

    def _config_key(self, job: str, version: str) -> str:
        return self._key(f"~cfg#{job}#{version}")

    def _item(self, job: str) -> JobItem | None:
        """The newest: who pauses a job wants it to pause, and a budget must not look larger."""
        item = self._table.get(self._key(job), newest=True)
        self._seen[job] = time.monotonic(), item
        return item if item is not None and item.state else None  # a lease is no job

    def get(self, job: str) -> JobRecord | None:
        at, item = self._seen.get(job, (float("-inf"), None))
        if item is None or time.monotonic() - at > self._memory:
            item = self._item(job)
        return self._record(job, item) if item is not None and item.state else None

    def _record(self, job: str, item: JobItem) -> JobRecord:
        return JobRecord(
            job=job,
            rules=self._rules_of(job, item.version),
            state=cast("JobState", item.state),
            reason=item.reason or "",
            pages_left=_left(item.max_pages, item.pages),
            documents_left=_left(item.max_documents, item.documents),
            seconds=(item.micros or 0) / 1e6,
            started_at=item.started_at or 0.0,
            used=(item.pages or 0, item.documents or 0),
        )

    def _rules_of(self, job: str, version: str) -> Rules:
        """The rules of a configuration, which never changes: another one has another version."""
        key = self._config_key(job, version)
        rules = self._rules.get(key)
        if rules is None:
            item = self._table.get(key, newest=True)
            if item is None:
                raise MissingResource(f"the configuration of job {job!r} is gone")
            packed = zstandard.ZstdDecompressor().decompress(item.config)
            rules = Rules(msgspec.json.decode(packed, type=JobConfig))
            self._rules.put(key, rules)
        return rules

    def names(self) -> list[str]:
        return [keys.name_in(self._collection, item.key) for item in self._all()]

    def unfinished(self) -> list[str]:
        running = [item for item in self._all() if item.state in ("running", "paused")]
        return [keys.name_in(self._collection, item.key) for item in running]

    def _all(self) -> list[JobItem]:
        ours = begins(JobItem.key, f"{self._collection}#") & JobItem.state.exists()
        return sorted(self._table.scan(ours), key=lambda item: item.started_at or 0.0)

    def configure(self, job: str, config: JobConfig, now: float) -> bool:
        before = self._item(job)
        self._seen.pop(job)
        version = self._put_config(job, config)
        limits = (
            (JobItem.max_pages, config.max_pages),
            (JobItem.max_documents, config.max_documents),
        )
        self._table.update(
            (self._key(job),),
            [
                JobItem.version.set(version),
                *(a.remove() if limit is None else a.set(limit) for a, limit in limits),
                JobItem.state.set(JobItem.state | "running"),
                JobItem.started_at.set(JobItem.started_at | now),
                JobItem.pages.set(JobItem.pages | 0),
                JobItem.documents.set(JobItem.documents | 0),
            ],
        )
        has_limits = config.max_pages is not None or config.max_documents is not None
        if before is not None and has_limits and not _is_limited(before):
            self._count_used(job)
        return before is not None and before.version != version

    def _put_config(self, job: str, config: JobConfig) -> str:
        raw = msgspec.json.encode(config)
        version = hashlib.md5(raw, usedforsecurity=False).hexdigest()[:16]
        packed = zstandard.ZstdCompressor(level=9).compress(raw)
        if len(packed) > MAX_CONFIG:
            raise ConfigurationError(
                f"job {job!r}: its configuration is too large to keep; send its seeds separately"
            )
        self._table.put(JobItem(key=self._config_key(job, version), config=packed))
        return version

    def _count_used(self, job: str) -> None:
        """Limits for a job that had none: what it has fetched counts. Reads all URLs."""
        pages = documents = 0
        for item in self._urls_of(job, UrlItem.slot.exists()):
            is_document = item.state in (State.FETCHED, State.PARSED)
            if is_document or item.reason in PAGE_REASONS:
                pages, documents = pages + 1, documents + is_document
                units = BOTH if is_document else PAGE
                self._urls.update((item.key,), [UrlItem.units.set(units)], UrlItem.key.exists())
        counts = [JobItem.pages.set(pages), JobItem.documents.set(documents)]
        self._table.update((self._key(job),), counts)

    def _urls_of(self, job: str, only: Condition) -> Iterator[UrlItem]:
        ours = keys.binary(self._collection, b"")
        wanted = (UrlItem.key, UrlItem.state, UrlItem.reason)
        return self._urls.scan((UrlItem.job == job) & only, wanted, beginning=ours)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, JobRecord]]:
        for name in sorted(self.names()):
            record = self.get(name)
            if record is not None and name.encode() > after:
                yield name.encode(), record

    def load(self, entries: Sequence[JobRecord]) -> None:
        for record in entries:
            self._seen.pop(record.job, None)
            pages, documents = record.used
            item = JobItem(
                key=self._key(record.job),
                version=self._put_config(record.job, record.config),
                max_pages=record.config.max_pages,
                max_documents=record.config.max_documents,
                state=record.state,
                reason=record.reason,
                pages=pages,
                documents=documents,
                micros=round(record.seconds * 1e6),
                started_at=record.started_at,
            )
            self._table.put(item)

    def begin_round(self, job: str, now: float) -> None:
        for item in self._urls_of(job, UrlItem.units > 0):
            self._urls.update((item.key,), [UrlItem.units.remove()], UrlItem.key.exists())
        zero = [a.set(0) for a in (JobItem.pages, JobItem.documents, JobItem.micros)]
        self._seen.pop(job, None)
        self._table.update((self._key(job),), [*zero, JobItem.started_at.set(now)])

    def reserve(self, job: str, ids: Sequence[bytes]) -> set[bytes]:
        item = self._item(job)
        if item is None:
            return set()
        if not _is_limited(item):
            return set(ids)
        wanted = list(dict.fromkeys(ids))
        granted: set[bytes] = set()
        for start in range(0, len(wanted), PORTION):
            granted |= self._reserve(job, wanted[start : start + PORTION])
        return granted

    def _reserve(self, job: str, ids: list[bytes]) -> set[bytes]:
        """As many as there is room for, in one transaction; who came in between is seen anew."""
        for _ in retrying(f"reserving pages of job {job}"):
            item = self._item(job)
            held = self._held(ids)
            granted = {id for id, units in held.items() if units == BOTH}
            chosen = _fitting(item, [(id, held[id]) for id in ids if id in held])
            if item is None or not chosen:
                break
            changes = [self._count(job, item, chosen)]
            changes += [self._hold(id, units, BOTH) for id, units in chosen]
            if transact(self._clients, changes):
                return granted | {id for id, _ in chosen}
        return granted

    def _held(self, ids: list[bytes]) -> dict[bytes, int]:
        """What known URLs hold: the newest, or a unit would be counted twice."""
        wanted = [(keys.binary(self._collection, id),) for id in ids]
        found = self._urls.read_many(wanted, (UrlItem.key, UrlItem.units), newest=True)
        return {keys.id_in(self._collection, item.key): item.units or 0 for item in found}

    def _count(self, job: str, item: JobItem, chosen: list[tuple[bytes, int]]) -> Change:
        """Count units at the job, if its limits are those we know and have room."""
        pages = sum(not units & PAGE for _, units in chosen)
        documents = sum(not units & DOCUMENT for _, units in chosen)
        condition = JobItem.version == item.version
        if item.max_pages is not None:
            condition &= JobItem.pages <= item.max_pages - pages
        if item.max_documents is not None:
            condition &= JobItem.documents <= item.max_documents - documents
        actions = [JobItem.pages.add(pages), JobItem.documents.add(documents)]
        return Change(self._table, (self._key(job),), actions, condition)

    def _hold(self, id: bytes, before: int, after: int) -> Change:
        same = (UrlItem.units == before) if before else is_nothing(UrlItem.units)
        key = (keys.binary(self._collection, id),)
        return Change(self._urls, key, [UrlItem.units.set(after)], UrlItem.key.exists() & same)

    def release(self, job: str, id: bytes, now: float, *, pages: bool = True) -> bool:
        record = self.get(job)
        if record is None or (record.pages_left is None and record.documents_left is None):
            return False
        given = PAGE * pages + DOCUMENT
        for _ in retrying(f"giving back pages of job {job}"):
            # Read first: a transaction that has nothing to do would cost four units all the same.
            url = self._urls.get(keys.binary(self._collection, id), newest=True)
            units = (url.units or 0) if url else 0
            if url is None or not units & given or _keeps_units(url, now):
                break
            if transact(self._clients, self._give_back(job, id, units, units & given, now)):
                return True
        return False

    def _give_back(self, job: str, id: bytes, units: int, back: int, now: float) -> list[Change]:
        is_page = (UrlItem.state == State.FETCHED.value) | (UrlItem.state == State.PARSED.value)
        idle = ~is_page & ((UrlItem.state != State.FETCHING.value) | (UrlItem.lease < now))
        actions = [
            JobItem.pages.add(-bool(back & PAGE)),
            JobItem.documents.add(-bool(back & DOCUMENT)),
        ]
        hold = self._hold(id, units, units & ~back)
        return [
            Change(self._urls, hold.key, hold.actions, hold.condition & idle),
            Change(self._table, (self._key(job),), actions, JobItem.key.exists()),
        ]

    def set_state(
        self, job: str, state: JobState, reason: str = "", *, before: JobRecord | None = None
    ) -> bool:
        self._seen.pop(job, None)
        stands = [JobItem.state.set(state), JobItem.reason.set(reason)]
        condition = JobItem.version.exists()
        if before is not None:
            condition &= (JobItem.state == before.state) & _is_reason(before.reason)
        return self._table.update((self._key(job),), stands, condition).done

    def spend_seconds(self, job: str, seconds: float) -> None:
        spent = [JobItem.micros.add(round(seconds * 1e6))]
        self._table.update((self._key(job),), spent, JobItem.version.exists())

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        free = JobItem.owner.does_not_exist() | (JobItem.lease < now) | (JobItem.owner == owner)
        written = self._table.update(
            (self._key(name),),
            [JobItem.owner.set(owner), JobItem.lease.set(until), JobItem.epoch.add(1)],
            free,
            returns="UPDATED_NEW",
        )
        return written.item.epoch if written.done and written.item else None

    def end_lease(self, name: str, epoch: int) -> None:
        self._table.update((self._key(name),), [JobItem.owner.remove()], JobItem.epoch == epoch)


def _is_reason(reason: str) -> Condition:
    """That a job has this reason; before it was ever given one there is none."""
    same: Condition = JobItem.reason == reason
    return same if reason else same | JobItem.reason.does_not_exist()


def _is_limited(item: JobItem) -> bool:
    return item.max_pages is not None or item.max_documents is not None


def _keeps_units(url: UrlItem, now: float) -> bool:
    """Whether a request is under way, or a page came of it."""
    if url.state in (State.FETCHED, State.PARSED):
        return True
    return url.state == State.FETCHING and (url.lease or 0.0) >= now


def _fitting(item: JobItem | None, asked: list[tuple[bytes, int]]) -> list[tuple[bytes, int]]:
    """Who of those that hold less than both units still finds room, in order."""
    chosen: list[tuple[bytes, int]] = []
    if item is None:
        return chosen
    pages = _left(item.max_pages, item.pages)
    documents = _left(item.max_documents, item.documents)
    for id, units in asked:
        if pages == 0 or documents == 0:
            break
        if units != BOTH:
            chosen.append((id, units))
            pages = pages if pages is None or units & PAGE else pages - 1
            documents = documents if documents is None or units & DOCUMENT else documents - 1
    return chosen


def _left(limit: int | None, taken: int | None) -> int | None:
    return None if limit is None else max(0, limit - (taken or 0))
