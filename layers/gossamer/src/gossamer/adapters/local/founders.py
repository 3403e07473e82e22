"""Keys of similar texts and their founders in SQLite: a run for each batch, as packed arrays.

With a row for each key, a batch touched all leaves of the table, because keys are hashes: that took
a tenth of indexing, and more the more documents there were.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from gossamer.adapters.local.database import from_signed
from gossamer.core.ids import DocumentId
from gossamer.core.index.segments.identities import as_ids, document_id_of
from gossamer.core.near_duplicates.runs import (
    KEY_BYTES,
    Rows,
    by_block,
    candidates,
    joined,
    mergeable,
    merged,
    numbers_of,
    unpacked,
)
from gossamer.ports.content_owners import MAX_FOUNDERS, Founder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Row, Store
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.near_duplicates.runs import Heads

TABLES = """
CREATE TABLE IF NOT EXISTS founder_runs (  -- pages that others may be similar to
    run INTEGER PRIMARY KEY, count INTEGER NOT NULL, heads BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS founder_blocks (
    run INTEGER NOT NULL, block INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, block)
);
"""
_HAS_RUNS = "SELECT 1 FROM sqlite_master WHERE name = 'founder_runs'"
_HAS_ROWS = "SELECT 1 FROM sqlite_master WHERE name = 'founders'"  # as it was before
_RUNS = "SELECT run, count FROM founder_runs ORDER BY run"  # oldest first
IN_BLOCK = 4096  # rows, 147 KB
AT_ONCE = 1 << 16  # rows of all runs, when all are read
LARGEST = 1 << 16  # rows; a larger run is not merged again: sixteen of them take 40 MB
FORGOTTEN = Founder(DocumentId(b""), 0)


class SqliteFounders:
    """The founders of a collection."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_there = False  # whether the database is known to have runs
        if not store.read_only:
            self._move_rows()

    def _move_rows(self) -> None:
        """Make runs of the table of an older version."""
        if not self._store.rows(_HAS_ROWS):
            return
        rows = self._store.iterate("SELECT key, id, value FROM founders ORDER BY key")
        by_key = (
            (key, [Founder(id, from_signed(value)) for _, id, value in some])
            for key, some in groupby(rows, itemgetter(0))
        )
        while some := dict(islice(by_key, AT_ONCE)):
            self.put(some)
        self._store.write("DROP TABLE founders")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """The founders under each of these keys; keys without founders are left out."""
        wanted, found = np.unique(numbers_of(keys)), []
        with self._one_moment():
            for run, _ in reversed(self._runs()):
                places, rows = candidates(self._heads_of(run), wanted)
                if not len(rows):
                    continue
                read = self._read(run, rows)
                has_key = read.keys == wanted[places]
                found.append(read.take(has_key))
                wanted = np.delete(wanted, places[has_key])
        return dict(_by_key(joined(found).known()))

    def put(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Replace the founders under these keys."""
        if not founders:
            return
        self._write(
            _rows(
                (key, founder)
                for key in sorted(founders)
                for founder in founders[key][:MAX_FOUNDERS] or (FORGOTTEN,)
            )
        )
        while self._merge():
            pass

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, list[Founder]]]:
        """All keys behind one, in order, with their founders."""
        for rows in self._in_pieces():
            for key, founders in _by_key(rows.known()):
                if key > after:
                    yield key, founders

    def _in_pieces(self, first: int = 0) -> Iterator[Rows]:
        """The rows of all runs from one on, merged: some at a time, in the order of their keys."""
        pieces = 1 + sum(count for _, count in self._runs()[first:]) // AT_ONCE
        for edges in pairwise([(number << 32) // pieces for number in range(pieces + 1)]):
            yield self._between(first, *edges)

    def _between(self, first: int, begin: int, end: int) -> Rows:
        """The rows of keys whose upper half lies in a range."""
        parts = []
        with self._one_moment():
            for run, _ in reversed(self._runs()[first:]):
                low, high = self._heads_of(run).searchsorted(np.array([begin, end], np.uint64))
                parts.append(self._read(run, np.arange(low, high)))
        return merged(parts)

    def _merge(self) -> bool:
        """Merge the newest runs, if they are enough."""
        known = self._runs()
        first = mergeable([count for _, count in known], LARGEST)
        if first is None:
            return False
        old = [run for run, _ in known[first:]]
        rows = joined(list(self._in_pieces(first)))
        self._store.write_all("DELETE FROM founder_runs WHERE run = ?", [(run,) for run in old])
        self._store.write_all("DELETE FROM founder_blocks WHERE run = ?", [(run,) for run in old])
        # Where no older run has a key that was forgotten, nothing needs to say so.
        self._write(rows if first else rows.known(), old[-1] + 1)
        return True

    def _write(self, rows: Rows, run: int = 0) -> None:
        number = run or 1 + max([known for known, _ in self._runs()], default=0)
        blocks = ((number, place, body) for place, body in enumerate(rows.blocks(IN_BLOCK)))
        self._store.write_all("INSERT INTO founder_blocks VALUES (?, ?, ?)", blocks)
        heads = rows.heads().tobytes()
        self._store.write(
            "INSERT INTO founder_runs VALUES (?, ?, ?)", (number, len(rows.keys), heads)
        )

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """What is read meanwhile is of one moment, whatever another process writes."""
        if not self._store.read_only:  # it is the only one that writes
            yield
            return
        self._store.rows("BEGIN")
        try:
            yield
        finally:
            self._store.rows("COMMIT")

    def _runs(self) -> list[Row]:
        """Each run with its number of rows, oldest first."""
        if not self._is_there:
            self._is_there = bool(self._store.rows(_HAS_RUNS))
        return self._store.rows(_RUNS) if self._is_there else []

    def _heads_of(self, run: int) -> Heads:
        """Read each time: of a million pages they are 16 MB, which take 10 ms."""
        [(data,)] = self._store.rows("SELECT heads FROM founder_runs WHERE run = ?", (run,))
        return np.frombuffer(data, "<u4")

    def _read(self, run: int, rows: Ints) -> Rows:
        """Some rows of a run."""
        places = np.unique(rows)
        query = "SELECT body FROM founder_blocks WHERE run = ? AND block = ?"
        parts = []
        for block, some in by_block(places, IN_BLOCK):
            [(body,)] = self._store.rows(query, (run, block))
            parts.append(unpacked(body).take(some))
        return joined(parts).take(places.searchsorted(rows))


def _rows(founders: Iterable[tuple[bytes, Founder]]) -> Rows:
    pairs = list(founders)
    values = np.array([founder.value for _, founder in pairs], np.uint64)
    return Rows(
        numbers_of([key for key, _ in pairs]), values, as_ids([founder.id for _, founder in pairs])
    )


def _by_key(rows: Rows) -> Iterator[tuple[bytes, list[Founder]]]:
    """Each key with its founders; those of a key lie one behind another."""
    last, known = b"", list[Founder]()
    each = zip(rows.keys.tolist(), rows.ids.tolist(), rows.values.tolist(), strict=True)
    for number, id, value in each:
        key = number.to_bytes(KEY_BYTES, "big")
        if key != last and known:
            yield last, known
            known = []
        last = key
        known.append(Founder(document_id_of(id), value))
    if known:
        yield last, known
