"""A file that cannot be written is reported with its cause; a wrong statement is not."""

from __future__ import annotations

import sqlite3

import pytest

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
