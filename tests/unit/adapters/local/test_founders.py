"""Founders in runs: what is read is what was written last, however runs were merged."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local import founders as module
from gossamer.adapters.local.content_owners import TABLES, SqliteContentStore
from gossamer.adapters.local.database import Store
from gossamer.core.ids import DocumentId
from gossamer.core.near_duplicates import runs
from gossamer.ports.content_owners import Founder

if TYPE_CHECKING:
    from pathlib import Path

# Every third has the upper half of another, which is all that is looked at first.
KEYS = [b"%04d%04d" % (number // 3, number) for number in range(120)]


def founder(number: int) -> Founder:
    """Some have an id that ends with a zero, or is of a part of a page."""
    part = [b"", b"\0\0\0\1"][number % 2]
    return Founder(DocumentId((number + 1).to_bytes(16, "little") + part), 2**64 - 1 - number)


def opened(path: Path, *, read_only: bool = False) -> tuple[Store, SqliteContentStore]:
    store = Store(path, TABLES, read_only=read_only)
    return store, SqliteContentStore(store)


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setattr(runs, "FAN", 3)
    monkeypatch.setattr(module, "IN_BLOCK", 5)
    monkeypatch.setattr(module, "AT_ONCE", 20)
    monkeypatch.setattr(module, "LARGEST", 81)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("seed", range(6))
def test_what_is_read_is_what_was_written_last_however_runs_were_merged(tmp_path, seed):
    random = Random(seed)
    store, contents = opened(tmp_path / "web.db")
    store.commit()
    _, other = opened(tmp_path / "web.db", read_only=True)
    expected: dict[bytes, list[Founder]] = {}

    for number in range(60):
        change = {
            key: [founder(5 * number + each) for each in range(random.choice([0, 1, 1, 4]))]
            for key in random.sample(KEYS, random.choice([1, 5, 40]))
        }
        contents.put_founders(change)
        store.commit()
        expected |= change
        known = {key: found for key, found in expected.items() if found}
        some = random.choices(KEYS, k=30)
        for reader in (contents, other):
            assert reader.founders(some) == {key: known[key] for key in some if key in known}

    for reader in (contents, other):
        every = [(entry.key, list(entry.founders)) for _, entry in reader.entries()]
        assert every == sorted(known.items())
        behind = [entry.key for _, entry in reader.entries(b"s" + KEYS[70])]
        assert behind == sorted(key for key in known if key > KEYS[70])


def test_runs_stay_few_and_what_was_forgotten_takes_no_room(tmp_path):
    store, contents = opened(tmp_path / "web.db")
    for number in range(5 * runs.FAN):
        contents.put_founders({KEYS[number]: [founder(number)]})

    assert len(store.rows("SELECT run FROM founder_runs")) < runs.FAN

    for number in range(11 * runs.FAN):
        contents.put_founders({KEYS[number % (5 * runs.FAN)]: []})

    assert store.rows("SELECT SUM(count) FROM founder_runs")[0][0] < runs.FAN
    assert contents.founders(KEYS) == {}
    contents.put_founders({KEYS[0]: [founder(7)]})
    assert contents.founders(KEYS) == {KEYS[0]: [founder(7)]}


def test_a_lookup_reads_of_one_moment(tmp_path, monkeypatch):
    """Runs that it is about to read are merged, and deleted, by another process."""
    store, contents = opened(tmp_path / "web.db")
    for number in range(runs.FAN - 1):
        contents.put_founders({KEYS[number]: [founder(number)]})
    store.commit()
    _, reader = opened(tmp_path / "web.db", read_only=True)
    heads = module.SqliteFounders._heads_of

    def late(self: module.SqliteFounders, run: int) -> runs.Heads:
        found = heads(self, run)
        if self is reader._founders:
            monkeypatch.setattr(module.SqliteFounders, "_heads_of", heads)
            contents.put_founders({KEYS[99]: [founder(99)]})
            store.commit()
        return found

    monkeypatch.setattr(module.SqliteFounders, "_heads_of", late)

    assert reader.founders([KEYS[0]]) == {KEYS[0]: [founder(0)]}
    assert len(store.rows("SELECT run FROM founder_runs")) == 1


def test_rows_of_an_older_version_become_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 7)
    store = Store(tmp_path / "web.db", TABLES)
    store.write(
        "CREATE TABLE founders (key BLOB NOT NULL, id BLOB NOT NULL, value INTEGER NOT NULL,"
        " PRIMARY KEY (key, id)) WITHOUT ROWID"
    )
    values = [2**63 - 1, -1, -(2**63)]  # SQLite's integers are signed
    rows = [(key, b"%016d" % n, values[n]) for key in KEYS[:20] for n in range(3)]
    store.write_all("INSERT INTO founders VALUES (?, ?, ?)", rows)
    store.commit()
    _, reader = opened(tmp_path / "web.db", read_only=True)
    assert reader.founders(KEYS) == {}

    contents = SqliteContentStore(store)
    store.commit()

    known = [Founder(DocumentId(b"%016d" % n), values[n] % 2**64) for n in range(3)]
    assert contents.founders(KEYS) == reader.founders(KEYS) == dict.fromkeys(KEYS[:20], known)
    assert not store.rows("SELECT 1 FROM sqlite_master WHERE name = 'founders'")


def test_a_reader_of_a_database_without_runs_knows_no_founders(tmp_path):
    Store(tmp_path / "web.db").commit()
    _, reader = opened(tmp_path / "web.db", read_only=True)

    assert reader.founders(KEYS) == {}
