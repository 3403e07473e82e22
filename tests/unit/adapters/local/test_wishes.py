"""Does a running crawl hear what another process wishes?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.home import open_home
from gossamer.adapters.local.wishes import Wishes
from gossamer.runtime import decode_body

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "web.db"


def test_a_wish_is_heard_once(database):
    Wishes(database).leave("web", "stop")

    heard = Wishes(database)

    assert (heard.take("web"), heard.take("web")) == ("stop", "")


def test_the_last_wish_counts(database):
    for wish in ("pause", "resume"):
        Wishes(database).leave("web", wish)

    assert Wishes(database).take("web") == "resume"


def test_a_wish_for_another_job_is_not_ours(database):
    Wishes(database).leave("other", "stop")

    assert Wishes(database).take("web") == ""


@pytest.mark.parametrize("content", [b"", b"stop", b'{"job": "web"}', b"\xff"])
def test_a_file_that_is_no_wish_is_nothing(database, content):
    database.with_suffix(".wish").write_bytes(content)

    assert Wishes(database).take("web") == ""


def test_nothing_stays_behind(database):
    wishes = Wishes(database)
    wishes.leave("web", "stop")
    wishes.take("web")

    assert list(database.parent.iterdir()) == []


def test_a_collection_in_memory_hears_nothing(tmp_path):
    wishes = Wishes(None)
    wishes.leave("web", "stop")

    assert wishes.take("web") == ""


def test_the_wish_of_a_crawl_that_was_killed_does_not_stop_the_next(tmp_path, database):
    Wishes(database).leave("web", "stop")
    home = open_home(database, tmp_path / "warc", decode_body)

    home.recover()

    assert home.wishes.take("web") == ""
    home.close()


def test_a_wish_gets_in_while_the_database_is_being_written(tmp_path, database):
    home = open_home(database, tmp_path / "warc", decode_body)
    home.store.count("pages")  # from here on the database is locked

    Wishes(database).leave("web", "stop")

    assert home.wishes.take("web") == "stop"
    home.close()
