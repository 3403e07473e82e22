"""Does one process at a time work in a collection, and is it known at what?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.processes.lock import Lock
from gossamer.core.errors import ConfigurationError
from gossamer.ports.home import CRAWL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "web.db"


@pytest.fixture
def held(database: Path) -> Iterator[Lock]:
    lock = Lock(database)
    yield lock
    lock.release()


def test_a_second_one_is_told_who_is_there_and_at_what(database, held):
    held.take("rank")

    with pytest.raises(ConfigurationError, match=r"\(pid \d+, rank\) .* wait for it$"):
        Lock(database).take(CRAWL)

    held.release()
    held.take(CRAWL)


def test_a_crawl_can_be_stopped_and_that_is_said(database, held):
    held.take(CRAWL)

    with pytest.raises(ConfigurationError, match="gossamer stop"):
        Lock(database).take("index")


def test_the_holder_is_known_while_there_is_one(database, held):
    assert Lock(database).holder() == ""

    held.take(CRAWL)
    during = Lock(database).holder()
    held.release()

    assert (during, Lock(database).holder()) == (CRAWL, "")


def test_the_word_of_an_older_program_is_understood(database, held):
    held.take(CRAWL)
    database.with_suffix(".lock").write_text("123")

    assert Lock(database).holder() == "unknown"


def test_a_collection_in_memory_needs_no_lock():
    Lock(None).take(CRAWL)

    assert Lock(None).holder() == ""
