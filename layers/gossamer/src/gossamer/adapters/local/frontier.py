"""Frontier over SQLite: packs on disk, and in memory which hosts have some."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.fingerprint import fingerprint
from gossamer.messages import CrawlRequest, decode, encode
from gossamer.ports.frontier import PACK_LEASE, SLEEP, Pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.adapters.local.database import Store

TABLES = """
CREATE TABLE IF NOT EXISTS frontier (
    seq INTEGER PRIMARY KEY, host TEXT NOT NULL, depth INTEGER NOT NULL, size INTEGER NOT NULL,
    body BLOB NOT NULL, lease REAL NOT NULL DEFAULT 0,
    digest BLOB, times INTEGER NOT NULL DEFAULT 1  -- what a pack is known by, how often parked
);
CREATE INDEX IF NOT EXISTS frontier_by_host ON frontier (host, depth, seq);
CREATE INDEX IF NOT EXISTS frontier_by_digest ON frontier (digest);
CREATE TABLE IF NOT EXISTS parked (host TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
"""


class SqliteFrontier:
    """Packs of URLs per host."""

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.rows("SELECT host, COUNT(*) FROM frontier GROUP BY host")
        self.packs: Counter[str] = Counter(dict(rows))
        self._after = ""  # which waiting host was handed out last, if there were too many
        self.until: dict[str, float] = dict(store.rows("SELECT host, until FROM parked"))

    def park(self, request: CrawlRequest, until: float = 0.0) -> None:
        body = encode(request)
        digest = fingerprint(body)
        again = self._store.write(
            "UPDATE frontier SET lease = 0, times = times + 1 WHERE digest = ?", (digest,)
        )
        if not again.rowcount:
            depth = min((candidate.depth for candidate in request.urls), default=0)
            self._store.write(
                "INSERT INTO frontier (host, depth, size, body, digest) VALUES (?, ?, ?, ?, ?)",
                (request.host, depth, len(request.urls), body, digest),
            )
            self.packs[request.host] += 1
        self._set_until(request.host, until)

    def wake(self, host: str) -> None:
        if host in self.until:
            self._set_until(host, 0.0)

    def wake_later_than(self, latest: float) -> None:
        for host in [host for host, until in self.until.items() if until > latest]:
            self._set_until(host, 0.0)

    def take(self, host: str, now: float) -> Pack | None:
        return self._take(host, now, frozenset())

    def take_many(
        self, hosts: Iterable[str], now: float, asleep: frozenset[str] = frozenset()
    ) -> list[Pack]:
        taken = [self._take(host, now, asleep) for host in hosts]
        return [pack for pack in taken if pack is not None]

    def _take(self, host: str, now: float, asleep: frozenset[str]) -> Pack | None:
        if not self.packs[host] or self.until.get(host, 0.0) > now:
            return None
        slept = False
        for seq, times, body in self._free(host, now):
            request = decode(body)
            if isinstance(request, CrawlRequest) and request.job not in asleep:
                lease = (now + PACK_LEASE, seq)
                self._store.write("UPDATE frontier SET lease = ? WHERE seq = ?", lease)
                return Pack(f"{seq} {times}", request)
            slept = True
        if slept:
            self._set_until(host, now + SLEEP)
        return None

    def _free(self, host: str, now: float) -> Iterator[tuple[int, int, bytes]]:
        """Packs of a host that no process holds, the best first."""
        query = (
            "SELECT seq, times, body FROM frontier WHERE host = ? AND lease <= ?"
            " ORDER BY depth, seq LIMIT 1 OFFSET ?"
        )
        offset = 0
        while row := self._store.row(query, (host, now, offset)):
            yield row
            offset += 1

    def forget(self, host: str, key: str) -> None:
        which = tuple(map(int, key.split()))
        query = "DELETE FROM frontier WHERE seq = ? AND times = ?"
        if self._store.write(query, which).rowcount:
            self.packs[host] -= 1

    def forget_many(self, packs: Sequence[tuple[str, str]]) -> None:
        for host, key in packs:
            self.forget(host, key)

    def release_leases(self) -> None:
        """After a kill no process holds a pack."""
        self._store.write("UPDATE frontier SET lease = 0 WHERE lease > 0")

    def waiting(self, now: float, limit: int = 1000) -> list[str]:
        ready = [h for h, n in self.packs.items() if n and self.until.get(h, 0.0) <= now]
        if len(ready) <= limit:
            return ready
        begin = bisect_right(ready := sorted(ready), self._after)
        turn = (ready[begin:] + ready[:begin])[:limit]
        self._after = turn[-1]
        return turn

    def next_at(self) -> float | None:
        times = [self.until.get(host, 0.0) for host, n in self.packs.items() if n]
        return min(times, default=None)

    def count(self) -> int:
        row = self._store.row("SELECT SUM(size) FROM frontier")
        return int(row[0] or 0) if row else 0

    def has_packs(self) -> bool:
        return any(self.packs.values())

    def all(self) -> Iterator[tuple[str, Pack]]:
        return ((host, pack) for _, host, pack in self.entries())

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, str, Pack]]:
        query = "SELECT seq, times, body FROM frontier WHERE seq > ? ORDER BY seq"
        for seq, times, body in self._store.rows(query, (int(after or b"0"),)):
            request = decode(body)
            if isinstance(request, CrawlRequest):
                yield str(seq).encode(), request.host, Pack(f"{seq} {times}", request)

    def drain(self) -> list[bytes]:
        """Take out all packs of all hosts at once."""
        bodies = [row[0] for row in self._store.rows("SELECT body FROM frontier ORDER BY seq")]
        self._store.write("DELETE FROM frontier")
        self._store.write("DELETE FROM parked")
        self.packs.clear()
        self.until.clear()
        return bodies

    def _set_until(self, host: str, until: float) -> None:
        if self.until.get(host) != until:
            self.until[host] = until
            self._store.write("INSERT OR REPLACE INTO parked VALUES (?, ?)", (host, until))
