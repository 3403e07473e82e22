"""Does a running crawl hear what another process wishes?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.processes.control_file import ControlFile
from gossamer.homes import decode_body

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "web.db"


def left_at(database: Path) -> Path:
    (path,) = database.parent.glob("web.wish-*")
    return path


def test_a_wish_is_heard_once(database):
    ControlFile(database).leave("web", "stop")

    heard = ControlFile(database)

    assert (heard.take("web"), heard.take("web")) == ("stop", "")


def test_the_last_wish_counts(database):
    for wish in ("pause", "resume"):
        ControlFile(database).leave("web", wish)

    assert ControlFile(database).take("web") == "resume"


def test_a_wish_for_another_job_neither_is_ours_nor_takes_the_place_of_ours(database):
    ControlFile(database).leave("web", "pause")
    ControlFile(database).leave("other/../job", "stop")

    assert ControlFile(database).take("web") == "pause"
    assert ControlFile(database).take("other/../job") == "stop"


@pytest.mark.parametrize("content", [b"", b"stop!", b"\xff"])
def test_a_file_that_is_no_wish_is_nothing(database, content):
    ControlFile(database).leave("web", "stop")
    left_at(database).write_bytes(content)

    assert ControlFile(database).take("web") == ""


def test_what_cannot_be_read_does_not_end_a_crawl_and_is_told(database, caplog):
    ControlFile(database).leave("web", "stop")
    path = left_at(database)
    path.unlink()
    path.mkdir()

    assert ControlFile(database).take("web") == ""
    assert "could not be read" in caplog.text


def test_everybody_can_read_a_wish(database):
    before = os.umask(0o077)
    try:
        ControlFile(database).leave("web", "stop")
    finally:
        os.umask(before)

    assert left_at(database).stat().st_mode & 0o777 == 0o644


def test_nothing_stays_behind(database):
    wishes = ControlFile(database)
    wishes.leave("web", "stop")
    wishes.take("web")

    assert list(database.parent.iterdir()) == []


def test_a_collection_in_memory_hears_nothing():
    wishes = ControlFile(None)
    wishes.leave("web", "stop")

    assert wishes.take("web") == ""


def test_the_wish_of_a_crawl_that_was_killed_does_not_stop_the_next(tmp_path, database):
    ControlFile(database).leave("web", "stop")
    home = LocalHome(database, tmp_path / "warc", decode_body)

    home.recover()

    assert home.control.take("web") == ""
    home.close()


def test_a_wish_gets_in_while_the_database_is_being_written(tmp_path, database):
    home = LocalHome(database, tmp_path / "warc", decode_body)
    home.store.count("pages")  # from here on the database is locked

    ControlFile(database).leave("web", "stop")

    assert home.control.take("web") == "stop"
    home.close()
