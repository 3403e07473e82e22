"""A file that cannot be written is reported with its cause; a wrong statement is not."""

from __future__ import annotations

import sqlite3

import pytest

from gossamer.adapters.local import database, opening
from gossamer.adapters.local.database import Store
from gossamer.adapters.local.home import TABLES
from gossamer.core.errors import ConfigurationError, StoreFailed


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "web.db", TABLES)
    yield made
    made._db.close()


def fill(store: Store) -> None:
    pages = store.rows("PRAGMA page_count")[0][0]
    store.rows(f"PRAGMA max_page_count={pages}")
    for number in range(1000):
        store.write("INSERT INTO contents VALUES (?, ?)", (bytes([number % 256]) * 400, "x" * 4000))
        store.commit()


def test_a_full_disk_asks_for_room(store):
    with pytest.raises(StoreFailed, match="full; make room") as failed:
        fill(store)

    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)


def test_after_a_failure_nothing_is_committed_any_more(store):
    with pytest.raises(StoreFailed):
        fill(store)

    with pytest.raises(StoreFailed):
        store.commit()


def test_a_file_that_was_made_read_only_says_so(tmp_path):
    Store(tmp_path / "web.db", TABLES).close()
    store = Store(tmp_path / "web.db", read_only=True)

    with pytest.raises(StoreFailed, match="make the file and its folder writable"):
        store.write("DELETE FROM contents")
    store._db.close()


@pytest.fixture
def full(tmp_path, monkeypatch):
    """A closed file on a disk that is full until it is called: SQLite cannot make its index."""
    store = Store(tmp_path / "web.db", TABLES)
    store.write("INSERT INTO contents VALUES (?, ?)", (b"one", "x"))
    store.close()
    shared = tmp_path / "web.db-shm"
    shared.symlink_to(tmp_path / "there is" / "no such folder")
    for module in (opening, database):
        monkeypatch.setattr(module, "is_disk_full", lambda _folder: shared.is_symlink())
    return shared.unlink


def contents(store):
    return [name for (name,) in store.rows("SELECT md5 FROM contents ORDER BY 1")]


def test_a_full_disk_can_be_read_and_says_why_it_cannot_be_written(full, tmp_path):
    store = Store(tmp_path / "web.db", read_only=True)
    assert contents(store) == [b"one"]
    store.close()

    with pytest.raises(ConfigurationError, match="the disk is full; make room, or choose"):
        Store(tmp_path / "web.db", TABLES)


def test_a_reader_of_a_full_disk_notices_that_somebody_wrote_after_all(full, tmp_path):
    reader = Store(tmp_path / "web.db", read_only=True)
    assert contents(reader) == [b"one"]

    full()
    writer = Store(tmp_path / "web.db", TABLES)
    writer.write("INSERT INTO contents VALUES (?, ?)", (b"two", "x"))
    writer.commit()
    assert contents(reader) == [b"one", b"two"]
    writer.write("INSERT INTO contents VALUES (?, ?)", (b"three", "x"))
    writer.close()

    assert contents(reader) == [b"one", b"three", b"two"]
    reader.close()


def test_a_full_disk_whose_file_was_not_closed_says_what_to_do(full, tmp_path):
    (tmp_path / "web.db-wal").write_bytes(b"what a kill leaves")

    with pytest.raises(ConfigurationError, match=r"was not closed: .* once where there is room"):
        Store(tmp_path / "web.db", read_only=True)


def test_a_lock_that_cannot_be_written_says_what_to_do(store, tmp_path):
    (tmp_path / "web.lock").mkdir()

    with pytest.raises(ConfigurationError, match=r"cannot open .*; make its folder one that can"):
        store.lock("rank")


def test_a_folder_that_is_a_file_says_what_to_do(tmp_path):
    (tmp_path / "data").touch()

    with pytest.raises(ConfigurationError, match="or choose another folder with --data"):
        Store(tmp_path / "data" / "web.db", TABLES)


@pytest.mark.parametrize("statement", ["UPDATE urls SET colour = 1", "UPDATE url SET x = 1", "?"])
def test_a_misspelt_statement_is_a_bug_and_no_full_disk(store, statement):
    with pytest.raises(sqlite3.OperationalError):
        store.write(statement)
    with pytest.raises(sqlite3.OperationalError):
        store.write_all(statement, [()])

    store.commit()


def test_a_damaged_file_names_the_way_out(store, monkeypatch):
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT | (1 << 8)

    with pytest.raises(StoreFailed, match=r"`gossamer rebuild --data .*` makes a new database"):
        store._notice(error)
