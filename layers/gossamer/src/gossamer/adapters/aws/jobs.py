"""JobStore over DynamoDB. A configuration has its own item, because a job's counters change often.

What URLs hold of its budgets is in `counting/budgets.py`. A job without limits counts nothing.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, cast

import msgspec
import zstandard

from gossamer.adapters.aws.counting.budgets import (
    BOTH,
    DOCUMENT,
    PAGE,
    Budgets,
    is_limited,
    left_of,
)
from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import JobItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table, assign, begins
from gossamer.adapters.aws.memory import Memory
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.errors import ConfigurationError, MissingResource
from gossamer.ports.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pynamodb.expressions.condition import Condition
    from pynamodb.expressions.update import Action

    from gossamer.adapters.aws.clients import Clients

ENDING = "ending"  # how a stopped job is kept until its end is done; otherwise it is "stopped"
BY_STATE = JobItem.by_state.Meta.index_name
MAX_CONFIG = 350_000  # bytes, compressed


class DynamoJobStore:
    """Jobs and their budgets."""

    def __init__(self, clients: Clients, stack: str, collection: str, memory: float = 0.0) -> None:
        """`memory`: for how many seconds a job that was read is good enough, with its budgets."""
        self._table = Table(clients, stack, JobItem)
        self._urls = Table(clients, stack, UrlItem)
        self._clients, self._collection = clients, collection
        self._rules: Memory[str, Rules] = Memory(50)
        self._memory = memory
        self._budgets = Budgets(clients, stack, collection)
        self._seen: dict[str, tuple[float, JobRecord | None]] = {}

    def _key(self, job: str) -> str:
        return keys.textual(self._collection, job)

    def _config_key(self, job: str, version: str) -> str:
        return self._key(f"~cfg#{job}#{version}")

    def _item(self, job: str) -> JobItem | None:
        """The newest: who pauses a job wants it to pause, and a budget must not look larger."""
        item = self._table.get(self._key(job), newest=True)
        return item if item is not None and item.state else None  # a lease is no job

    def get(self, job: str) -> JobRecord | None:
        at, record = self._seen.get(job, (float("-inf"), None))
        if record is None or time.monotonic() - at > self._memory:
            item = self._item(job)
            record = self._record(job, item) if item is not None else None
            self._seen[job] = time.monotonic(), record
        return record

    def _record(self, job: str, item: JobItem) -> JobRecord:
        pages, documents = self._budgets.used(job, item)
        return JobRecord(
            job=job,
            rules=self._rules_of(job, item.version),
            state="stopped" if item.state == ENDING else cast("JobState", item.state),
            reason=item.reason or "",
            pages_left=left_of(item.max_pages, pages),
            documents_left=left_of(item.max_documents, documents),
            seconds=(item.micros or 0) / 1e6,
            started_at=item.started_at or 0.0,
            used=(pages, documents),
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
        return [*self._in_state("running"), *self._in_state("paused")]

    def to_tend(self) -> list[str]:
        return [*self._in_state("running"), *self._in_state(ENDING)]

    def asleep(self) -> list[str]:
        return self._in_state("paused")

    def _in_state(self, state: str) -> list[str]:
        ours = begins(JobItem.key, f"{self._collection}#")
        found = self._table.query_raw(JobItem.state == state, ours, index=BY_STATE)
        return [keys.name_in(self._collection, raw["k"]["S"]) for raw in found]

    def end_done(self, job: str) -> None:
        ended = [JobItem.state.set("stopped"), JobItem.progress.remove()]
        self._change(job, ended, JobItem.state == ENDING)

    def progress(self, job: str) -> bytes:
        item = self._item(job)
        return bytes(item.progress or b"") if item is not None else b""

    def set_progress(self, job: str, progress: bytes) -> None:
        self._change(job, [assign(JobItem.progress, progress or None)], JobItem.version.exists())

    def _change(self, job: str, actions: Sequence[Action], condition: Condition) -> bool:
        self._seen.pop(job, None)
        return self._table.update((self._key(job),), actions, condition).done

    def _all(self) -> list[JobItem]:
        ours = begins(JobItem.key, f"{self._collection}#") & JobItem.state.exists()
        return sorted(self._table.scan(ours), key=lambda item: item.started_at or 0.0)

    def configure(self, job: str, config: JobConfig, now: float) -> bool:
        before = self._item(job)
        self._seen.pop(job, None)
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
        if before is not None and before.version != version and before.lent:
            self._budgets.call_in(job)
        has_limits = config.max_pages is not None or config.max_documents is not None
        if before is not None and has_limits and not is_limited(before):
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
            self._budgets.call_in(record.job)
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
        self._budgets.call_in(job)
        zero = [a.set(0) for a in (JobItem.pages, JobItem.documents, JobItem.micros)]
        self._seen.pop(job, None)
        self._table.update((self._key(job),), [*zero, JobItem.started_at.set(now)])

    def reserve(self, job: str, ids: Sequence[bytes]) -> set[bytes]:
        item = self._item(job)
        if item is None:
            return set()
        if not is_limited(item):
            return set(ids)
        granted = self._budgets.reserve(job, item, list(dict.fromkeys(ids)))
        if len(granted) < len(ids):
            self._seen.pop(job, None)  # what is left of its budgets must be seen now
        return granted

    def release(self, job: str, id: bytes, now: float, *, pages: bool = True) -> bool:
        record = self.get(job)
        if record is None or (record.pages_left is None and record.documents_left is None):
            return False
        return self._budgets.release(job, id, now, PAGE * pages + DOCUMENT)

    def set_state(
        self, job: str, state: JobState, reason: str = "", *, before: JobRecord | None = None
    ) -> bool:
        kept = ENDING if state == "stopped" else state
        stands = [JobItem.state.set(kept), JobItem.reason.set(reason), JobItem.progress.remove()]
        condition = JobItem.version.exists()
        if before is not None:
            condition &= (JobItem.state == before.state) & _is_reason(before.reason)
        return self._change(job, stands, condition)

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
