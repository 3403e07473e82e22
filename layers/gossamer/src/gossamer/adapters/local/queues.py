"""Durable queues over SQLite, with delay, visibility timeout, receive count and dead letters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, get_args

from gossamer.messages import Stream, encode
from gossamer.ports.queues import Delivery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.adapters.local.database import Store
    from gossamer.messages import Emission

DEFAULT_VISIBILITY = 60.0
MAX_RECEIVES = 4

TABLES = """
CREATE TABLE IF NOT EXISTS queue (
    receipt INTEGER PRIMARY KEY AUTOINCREMENT,  -- a receipt is never used again
    stream TEXT NOT NULL, timed INTEGER NOT NULL DEFAULT 0,
    visible_at REAL NOT NULL, received INTEGER NOT NULL DEFAULT 0,
    leased INTEGER NOT NULL DEFAULT 0, body BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS queue_by_time ON queue (stream, timed, visible_at);
CREATE TABLE IF NOT EXISTS dead_letters (
    receipt INTEGER PRIMARY KEY, stream TEXT NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL,
    body BLOB NOT NULL
);
"""


class SqliteQueues:
    """All streams of a collection in one table."""

    def __init__(self, store: Store, visibility: Mapping[Stream, float] | None = None) -> None:
        self._store = store
        self._visibility = visibility or {}
        rows = store.rows("SELECT stream, COUNT(*) FROM queue GROUP BY stream")
        self._depth: Counter[str] = Counter(dict(rows))
        # The earliest time at which a stream may have something due; never too late.
        self._due: dict[str, float] = dict.fromkeys(get_args(Stream), 0.0)

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        rows = [(e.stream, e.timed, now + e.delay, encode(e.message)) for e in emissions]
        self._store.write_all(
            "INSERT INTO queue (stream, timed, visible_at, body) VALUES (?, ?, ?, ?)", rows
        )
        for stream, _, visible_at, _ in rows:
            self._depth[stream] += 1
            self._expect(stream, visible_at)

    def receive(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        deliveries = self.peek(stream, limit, now)
        hidden_until = now + self._visibility.get(stream, DEFAULT_VISIBILITY)
        self._store.write_all(
            "UPDATE queue SET visible_at = ?, received = ?, leased = 1 WHERE receipt = ?",
            [(hidden_until, d.received, d.receipt) for d in deliveries],
        )
        if deliveries:
            self._expect(stream, hidden_until)
        return deliveries

    def peek(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        if self._due[stream] > now or limit <= 0:
            return []
        rows = self._due_rows(stream, True, limit, now)
        rows += self._due_rows(stream, False, limit - len(rows), now)
        if len(rows) < limit:
            self._look_ahead(stream, now)
        return [Delivery(receipt, body, received + 1) for receipt, body, received in rows]

    def _due_rows(
        self, stream: str, timed: bool, limit: int, now: float
    ) -> list[tuple[int, bytes, int]]:
        return self._store.rows(
            "SELECT receipt, body, received FROM queue"
            " WHERE stream = ? AND timed = ? AND visible_at <= ?"
            " ORDER BY visible_at, receipt LIMIT ?",
            (stream, timed, now, limit),
        )

    def lost(self) -> list[Delivery]:
        return []  # a message is given up only by its receiver

    def is_hopeless(self, delivery: Delivery) -> bool:
        return delivery.received > MAX_RECEIVES

    def depth(self) -> Counter[str]:
        return self._depth

    def backlog(self, stream: Stream, now: float) -> int:
        query = "SELECT COUNT(*) FROM queue WHERE stream = ? AND (leased OR visible_at <= ?)"
        row = self._store.row(query, (stream, now))
        return int(row[0]) if row else 0

    def room(self, stream: Stream, now: float) -> float:
        return float("inf")  # one process books few slots ahead

    def poll(self, stream: Stream, *, wanted: bool) -> None: ...

    def due_at(self, stream: Stream) -> float:
        return self._due[stream]

    def _look_ahead(self, stream: str, now: float) -> None:
        query = (
            "SELECT MIN(visible_at) FROM queue WHERE stream = ? AND timed = ? AND visible_at > ?"
        )
        rows = [self._store.row(query, (stream, timed, now)) for timed in (True, False)]
        times = [row[0] for row in rows if row is not None and row[0] is not None]
        self._due[stream] = min(times, default=float("inf"))

    def _expect(self, stream: str, at: float) -> None:
        self._due[stream] = min(self._due[stream], at)

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            row = self._store.write(
                "DELETE FROM queue WHERE receipt = ? RETURNING stream", (delivery.receipt,)
            ).fetchone()
            if row is not None:
                self._depth[row[0]] -= 1

    def retry(self, delivery: Delivery, visible_at: float) -> None:
        row = self._store.write(
            "UPDATE queue SET visible_at = ?, received = ?, leased = 0 WHERE receipt = ?"
            " RETURNING stream",
            (visible_at, delivery.received, delivery.receipt),
        ).fetchone()
        if row is not None:
            self._expect(row[0], visible_at)

    def bury(self, stream: Stream, delivery: Delivery, reason: str, now: float) -> None:
        self._store.write(
            "INSERT INTO dead_letters (stream, reason, at, body) VALUES (?, ?, ?, ?)",
            (stream, reason, now, delivery.body),
        )
        self.acknowledge([delivery])

    def dead_letters(self) -> list[tuple[str, str, bytes]]:
        return self._store.rows("SELECT stream, reason, body FROM dead_letters")

    def recover(self) -> None:
        self._store.write(
            "UPDATE queue SET visible_at = 0, leased = 0, received = MAX(received - 1, 0)"
            " WHERE leased = 1"
        )
        self._due = dict.fromkeys(self._due, 0.0)

    def bring_forward(self, latest: float, now: float) -> None:
        """Make messages due that nobody holds and that were to come later than `latest`."""
        self._store.write(
            "UPDATE queue SET visible_at = ? WHERE leased = 0 AND visible_at > ?", (now, latest)
        )
        self._due = dict.fromkeys(self._due, 0.0)

    def drain(self, stream: Stream) -> list[bytes]:
        """Take everything out of a stream at once."""
        bodies = [
            row[0] for row in self._store.rows("SELECT body FROM queue WHERE stream = ?", (stream,))
        ]
        self._store.write("DELETE FROM queue WHERE stream = ?", (stream,))
        self._depth[stream] = 0
        return bodies
