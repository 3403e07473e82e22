"""UrlStore over SQLite, with the ids of known URLs in memory."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.crawl import reopening
from gossamer.core.crawl.claims import Claim, Claimable, claim_event, is_last_claim, judge_claim
from gossamer.core.crawl.rediscovery import Known, first_state, is_news, meet_again
from gossamer.core.crawl.removal import CLOSED_TO_SEARCH, NEVER_DOCUMENTS
from gossamer.core.crawl.url_record import (
    NOTHING_LEARNED,
    Admission,
    Discovery,
    PageRef,
    UrlChange,
    UrlEntry,
    UrlRecord,
)
from gossamer.core.crawl.url_state import (
    END_STATES,
    UNASKED_REASONS,
    WAY_REASONS,
    Event,
    State,
    after,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Row, Store

# 16-byte ids cost 84 bytes each in a dict: 25 MB, within the budget of a process.
MAX_KNOWN = 300_000
MAX_SOURCES = 1000

FACTS = (
    "id", "url", "host", "state", "reason", "target", "depth", "hops", "via", "tries", "slot",
    "lease", "fetched_at", "code", "size", "md5", "etag", "modified", "nearer_via", "cookies",
)  # fmt: skip
COLUMNS = ", ".join((*FACTS, "file", "offset", "length", "history", "hinted_at"))
# And what stands for them in older files.
ADDED_LATER = {"history": "x''", "hinted_at": "0.0", "nearer_via": "NULL", "cookies": "''"}

TABLES = """
CREATE TABLE IF NOT EXISTS urls (
    id BLOB PRIMARY KEY, url TEXT NOT NULL, host TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', target TEXT NOT NULL DEFAULT '', depth INTEGER NOT NULL,
    hops INTEGER NOT NULL DEFAULT 0, via BLOB NOT NULL, nearer_via BLOB,
    tries INTEGER NOT NULL DEFAULT 0,
    slot REAL NOT NULL DEFAULT 0, lease REAL NOT NULL DEFAULT 0, found_at REAL NOT NULL,
    fetched_at REAL NOT NULL DEFAULT 0, code INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0, md5 BLOB NOT NULL DEFAULT x'', etag TEXT NOT NULL DEFAULT '',
    modified TEXT NOT NULL DEFAULT '', file TEXT NOT NULL DEFAULT '',
    offset INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0, job TEXT NOT NULL,
    units INTEGER NOT NULL DEFAULT 0,  -- what it holds of its job's budgets: 1 page, 2 document
    cookies TEXT NOT NULL DEFAULT '',  -- what its last redirect hands on
    history BLOB NOT NULL DEFAULT x'',  -- how often it was found changed
    hinted_at REAL NOT NULL DEFAULT 0  -- when it changed, as a sitemap or feed says
) WITHOUT ROWID;
"""


class SqliteUrlStore:
    """The URLs of a collection."""

    def __init__(self, store: Store) -> None:
        self._store = store
        names = {row[1] for row in store.rows("PRAGMA table_info(urls)")}
        self._columns = COLUMNS
        for name, nothing in ADDED_LATER.items():  # an older file that is only read has none yet
            if name not in names:
                self._columns = self._columns.replace(name, nothing)
        self._known: dict[bytes, int] = {}  # admitted ids and their depth
        self._sources: dict[bytes, None] = {}  # who added some lately
        self.by_state: Counter[str] = Counter()
        self.by_reason: Counter[str] = Counter()
        self.recount()

    def recount(self) -> None:
        self.by_state.clear()
        self.by_reason.clear()
        query = "SELECT state, reason, COUNT(*) FROM urls GROUP BY state, reason"
        for state, reason, n in self._store.rows(query):
            self.by_state[state] += n
            if reason:
                self.by_reason[reason] += n

    def get(self, id: bytes) -> UrlRecord | None:
        row = self._store.row(f"SELECT {self._columns} FROM urls WHERE id = ?", (id,))  # noqa: S608 constant
        return self._record(row) if row else None

    def is_waiting(self, id: bytes) -> bool:
        """Whether a URL has still to be asked for, perhaps because its fetcher died."""
        record = self.get(id)
        return record is not None and record.state in (State.DISCOVERED, State.FETCHING)

    def unknown(self, found: Iterable[tuple[bytes, int]], source: bytes) -> set[bytes]:
        # What a source has just added it may have to send again: its own are not looked up here.
        depths = self._known if source not in self._sources else {}
        maybe = {id: depth for id, depth in found if depths.get(id, 1 << 40) > depth}
        for id, known in self._select(list(maybe)):
            if not known.is_worth_adding(source, maybe[id]):
                self._remember(id, known.depth)
                del maybe[id]
        return set(maybe)

    def _select(self, ids: Sequence[bytes]) -> Iterator[tuple[bytes, Known]]:
        query = "SELECT id, state, reason, depth, via, slot, hops, nearer_via FROM urls WHERE id IN"
        for id, state, *rest in self._store.rows_of(query, ids):
            yield id, Known(self._state(state), *rest)

    def _remember(self, id: bytes, depth: int) -> None:
        if len(self._known) >= MAX_KNOWN:
            for old in list(self._known)[: MAX_KNOWN // 4]:
                del self._known[old]
        self._known[id] = depth

    def add(self, found: Sequence[Discovery], source: bytes, now: float) -> Admission:
        known = dict(self._select([item.id for item in found]))
        new = [item for item in found if item.id not in known]
        self._insert(new, source, now)
        self._sources[source] = None
        if len(self._sources) > MAX_SOURCES:
            del self._sources[next(iter(self._sources))]
        admission = Admission(fresh=[item for item in new if not item.reason], shallower=[])
        for item in found:
            if item.id in known:
                self._meet_again(known[item.id], item, source, admission)
        return admission

    def _insert(self, new: list[Discovery], source: bytes, now: float) -> None:
        self._store.write_all(
            "INSERT INTO urls"
            " (id, url, host, state, reason, depth, hops, via, found_at, job, hinted_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(i.id, i.url, i.host, first_state(i), i.reason, i.depth, i.hops),
                    *(source, now, i.job, i.hinted_at),
                )
                for i in new
            ],
        )
        for item in new:
            self.by_state[first_state(item)] += 1
            if item.reason:
                self.by_reason[item.reason] += 1
            if item.reason not in WAY_REASONS:
                self._remember(item.id, item.depth)

    def _meet_again(
        self, known: Known, item: Discovery, source: bytes, admission: Admission
    ) -> None:
        met = meet_again(known, item, source)
        if met.way:
            self._write_way(met.way, met.via, met.nearer_via)
        if met.event:
            self.move(item.id, met.event, UrlChange(reason=""))
        elif met.way and known.leads_on and (record := self.get(item.id)):
            admission.shallower.append(record)
        if met.fresh:
            admission.fresh.append(met.fresh)

    def _write_way(self, item: Discovery, via: bytes, nearer_via: bytes | None) -> None:
        self._store.write(
            "UPDATE urls SET depth = ?, hops = ?, via = ?, nearer_via = ? WHERE id = ?",
            (item.depth, item.hops, via, nearer_via, item.id),
        )
        self._remember(item.id, item.depth)

    async def claim(
        self,
        id: bytes,
        slot: float,
        lease_until: float,
        now: float,
        tries: int = 0,
        after: float = 0.0,
    ) -> Claim:
        row = self._store.row("SELECT state, slot, lease, tries FROM urls WHERE id = ?", (id,))
        if row is None:
            return Claim.ENDED
        url = Claimable(self._state(row[0]), *row[1:])
        verdict = judge_claim(url, slot, now, tries, after)
        if verdict is Claim.TAKEN:
            change = UrlChange(slot=slot, lease=lease_until, tries=tries if after else None)
            self._write_move(id, url.state, "", claim_event(after).leads_to, change)
            await self._store.committed()
        return verdict

    def hint(self, dates: Mapping[bytes, float], job: str, before: float = 0.0) -> None:
        query = "SELECT id, state, slot, hinted_at FROM urls WHERE job = ? AND id IN"
        news = [
            (dates[id], id)
            for id, state, slot, known in self._store.rows_of(query, list(dates), job)
            if is_news(self._state(state), slot, known, dates[id], before)
        ]
        if news:
            self._store.write_all("UPDATE urls SET hinted_at = ? WHERE id = ?", news)

    def move(
        self, id: bytes, event: Event, change: UrlChange = NOTHING_LEARNED, slot: float = 0.0
    ) -> bool:
        row = self._store.row("SELECT state, reason, slot FROM urls WHERE id = ?", (id,))
        state = after(self._state(row[0]), event) if row is not None else None
        if row is None or state is None or not is_last_claim(row[2], slot):
            return False
        self._write_move(id, row[0], row[1], state, change)
        return True

    def _write_move(
        self, id: bytes, before: str, reason: str, state: State, change: UrlChange
    ) -> None:
        facts: dict[str, object] = {**change.given()}
        if change.page is not None:
            del facts["page"]
            facts |= msgspec.structs.asdict(change.page)
        self._store.write(_update(tuple(facts)), (state, *facts.values(), id))
        self.by_state[before] -= 1
        self.by_state[state] += 1
        if change.reason not in (None, reason):
            self.by_reason[reason] -= bool(reason)
            self.by_reason[change.reason] += bool(change.reason)
        if change.md5:
            self._store.count("pages")

    def release_claims(self) -> None:
        """End the claims of a process that was killed."""
        self._store.write("UPDATE urls SET lease = 0 WHERE state = ?", (State.FETCHING,))

    def close_open(self, job: str, reason: str) -> int:
        """A limit ended a job: exclude what still waits for it."""
        event = Event.CLOSED
        closed = self._store.write(
            "UPDATE urls SET state = ?, reason = ?"  # noqa: S608 constants
            f" WHERE job = ? AND state IN {_in(event.before)}",
            (event.leads_to, reason, job),
        ).rowcount
        self.recount()
        return closed

    def revise(self, job: str, judge: Callable[[UrlRecord], str]) -> list[UrlRecord]:
        judged = self._all(f"WHERE job = ? AND state IN {_in(reopening.JUDGED_AGAIN)}", job)
        return reopening.revise(judged, judge, self.move)

    def revisit(self, job: str) -> list[UrlRecord]:
        return reopening.revisit(self._all("WHERE job = ? AND slot > 0", job), self.move)

    def visited(self, job: str) -> Iterator[UrlRecord]:
        marks = ",".join("?" * len(UNASKED_REASONS))
        query = (
            f"SELECT {self._columns} FROM urls WHERE job = ?"  # noqa: S608 constants
            f" AND (slot > 0 OR state = ? OR reason IN ({marks}))"
        )
        values = (job, State.DISCOVERED.value, *sorted(UNASKED_REASONS))
        for row in self._store.iterate(query, values):
            if row[3] in END_STATES or row[3] == State.DISCOVERED:
                yield self._record(row)

    def _all(self, where: str, *values: object) -> list[UrlRecord]:
        query = f"SELECT {self._columns} FROM urls {where} ORDER BY host, depth"  # noqa: S608 constants
        return [self._record(row) for row in self._store.rows(query, values)]

    def all(self, segments: int = 1) -> Iterator[UrlRecord]:
        for row in self._store.iterate(f"SELECT {self._columns} FROM urls"):  # noqa: S608 constant
            yield self._record(row)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, UrlEntry]]:
        query = f"SELECT {self._columns}, job, units FROM urls WHERE id > ? ORDER BY id"  # noqa: S608 constant
        for *facts, job, units in self._store.iterate(query, (after,)):
            yield facts[0], UrlEntry(self._record(facts), job, units)

    def load(self, entries: Sequence[UrlEntry]) -> None:
        marks = ", ".join("?" * len(_LOADED))
        self._store.write_all(
            f"INSERT OR REPLACE INTO urls ({', '.join(_LOADED)}) VALUES ({marks})",  # noqa: S608 constants
            map(_row, entries),
        )

    def closed(self) -> Iterator[UrlRecord]:
        states = ", ".join(f"'{state}'" for state in sorted(NEVER_DOCUMENTS))
        reasons = ", ".join(f"'{reason}'" for reason in sorted(CLOSED_TO_SEARCH))
        where = f"state IN ({states}) OR reason IN ({reasons})"
        for row in self._store.iterate(f"SELECT {self._columns} FROM urls WHERE {where}"):  # noqa: S608 constants
            yield self._record(row)

    def addresses(self, ids: Iterable[bytes]) -> dict[bytes, str]:
        return dict(self._store.rows_of("SELECT id, url FROM urls WHERE id IN", list(ids)))

    def without_reason(self) -> int:
        marks = ",".join("?" * len(END_STATES))
        query = f"SELECT COUNT(*) FROM urls WHERE reason = '' AND state IN ({marks})"  # noqa: S608
        row = self._store.row(query, [state.value for state in END_STATES])
        return int(row[0]) if row else 0

    def hosts(self) -> dict[str, int]:
        return dict(self._store.rows("SELECT host, COUNT(*) FROM urls GROUP BY host"))

    def _record(self, row: Sequence[Any]) -> UrlRecord:
        *facts, file, offset, length, history, hinted_at = row
        given = dict(zip(FACTS, facts, strict=True))
        given["state"] = self._state(given["state"])
        page = PageRef(file, offset, length) if file else None
        return UrlRecord(**given, page=page, history=history, hinted_at=hinted_at)

    def _state(self, name: str) -> State:
        try:
            return State(name)
        except ValueError as error:
            raise self._store.unreadable(error) from error


def _in(states: Iterable[State]) -> str:
    """The right side of SQL's IN."""
    return "(" + ", ".join(f"'{state}'" for state in sorted(states)) + ")"


@lru_cache(maxsize=64)
def _update(columns: tuple[str, ...]) -> str:
    sets = "".join(f", {column} = ?" for column in columns)
    return f"UPDATE urls SET state = ?{sets} WHERE id = ?"  # noqa: S608 our own column names


# When a URL was found stays behind: only the home where that happened knows it.
_LOADED = (*FACTS, "file", "offset", "length", "history", "hinted_at", "job", "units", "found_at")


def _row(entry: UrlEntry) -> Row:
    record, page = entry.record, entry.record.page or PageRef("", 0, 0)
    facts = [getattr(record, name) for name in FACTS]
    rest = (record.history, record.hinted_at, entry.job, entry.units, record.fetched_at)
    return (*facts, page.file, page.offset, page.length, *rest)
