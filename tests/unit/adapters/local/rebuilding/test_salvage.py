"""What is read of a database that is damaged, and is nothing made up?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.rebuilding.salvage import SqliteSalvage
from gossamer.adapters.local.settings_copy import copy_file, write_copy
from gossamer.core.collection import CollectionSettings
from gossamer.core.crawl.job import JobConfig
from gossamer.homes import decode_body

if TYPE_CHECKING:
    from gossamer.ports.jobs import JobRecord

PAGE = 4096
CONFIG = JobConfig(seeds=["http://a.test/"], delay=2.5, contact="Zoë, \N{SNOWMAN}", max_pages=7)


@pytest.fixture
def database(tmp_path):
    home = LocalHome(tmp_path / "web.db", tmp_path / "warc", decode_body)
    home.jobs.configure("other", JobConfig(seeds=["http://b.test/"]), 50.0)
    home.jobs.configure("crawl", CONFIG, 100.0)
    home.jobs.spend_seconds("crawl", 12.0)
    home.jobs.set_state("crawl", "finished", "max-pages")
    home.settings.put(CollectionSettings(version=1))
    home.close()
    return tmp_path / "web.db"


def job_in(old: SqliteSalvage, name: str = "crawl") -> JobRecord:
    job = old.job(name)
    assert job is not None
    return job


def lose_beginning(database):
    whole = database.read_bytes()
    database.write_bytes(bytes(2 * PAGE) + whole[2 * PAGE :])


def test_a_whole_database_is_read_by_sqlite(database):
    old = SqliteSalvage(database)

    job = job_in(old)

    assert old.is_whole()
    assert (job.config, job.state, job.reason) == (CONFIG, "finished", "max-pages")
    assert (job.seconds, job.started_at) == (12.0, 100.0)
    assert old.settings() == CollectionSettings(version=1)
    assert old.job("nobody") is None


def test_a_job_is_found_in_the_bytes_of_one_that_sqlite_cannot_read(database):
    lose_beginning(database)
    old = SqliteSalvage(database)

    job = job_in(old)

    assert not old.is_whole()
    assert (job.config, job.state, job.reason) == (CONFIG, "finished", "max-pages")
    assert job_in(old, "other").config.seeds == ["http://b.test/"]
    assert old.settings() == CollectionSettings(version=1)  # of the copy
    copy_file(database).unlink()
    assert SqliteSalvage(database).settings() is None


def test_the_log_is_newer_than_the_file(database):
    lose_beginning(database)
    row = b'crawl{"seeds":["http://new.test/"]}running'
    database.with_name("web.db-wal").write_bytes(b"#" + row + b"#")

    assert job_in(SqliteSalvage(database)).config.seeds == ["http://new.test/"]


@pytest.mark.parametrize(
    "rest",
    [
        b"",
        b'crawl{"seeds":["http://a.test/"]',
        b'crawl{"seeds":["http://a.test/"]}sleeping',
        b'crawl{"seeds":"http://a.test/"}running',
        b'crawl{"colour":"red"}running',
        b"crawl{" + b"[" * 50_000,
        b"\xff" * PAGE,
    ],
)
def test_what_is_no_job_is_none(database, rest):
    database.write_bytes(rest)
    copy_file(database).unlink()
    old = SqliteSalvage(database)

    assert (old.job("crawl"), old.settings(), old.is_whole()) == (None, None, False)


@pytest.mark.parametrize("lose", [lose_beginning, lambda database: database.unlink()])
def test_lists_come_back_with_the_settings_that_name_them(database, lose):
    settings = CollectionSettings(version=2, synonyms="a1", templates="b2")
    write_copy(copy_file(database), settings, {"a1": "car, automobile", "b2": "[one]"})
    lose(database)
    old = SqliteSalvage(database)

    assert old.settings() == settings
    assert [old.read_list(name) for name in ("a1", "b2", "c3", "")] == [
        "car, automobile", "[one]", "", "",
    ]  # fmt: skip


def test_a_database_that_is_whole_counts_and_not_its_copy(database):
    write_copy(copy_file(database), CollectionSettings(version=9), {})

    assert SqliteSalvage(database).settings() == CollectionSettings(version=1)


def test_settings_that_are_newer_than_their_copy_count(database, monkeypatch):
    write_copy(copy_file(database), CollectionSettings(version=0), {})
    monkeypatch.setattr(SqliteSalvage, "is_whole", lambda _old: False)

    assert SqliteSalvage(database).settings() == CollectionSettings(version=1)


def test_of_a_database_that_is_gone_nothing_is_known(tmp_path):
    old = SqliteSalvage(tmp_path / "web.db")

    assert (old.job("crawl"), old.settings(), old.is_whole()) == (None, None, False)
    assert list(tmp_path.iterdir()) == []
