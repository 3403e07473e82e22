"""Is a reply given again only as long as nothing that it depends on was written?"""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from gossamer.adapters.local.database import Store
from gossamer.entrypoints.api import remembered as module
from gossamer.entrypoints.api.gateway_event import Head
from gossamer.entrypoints.api.remembered import TICK, Remembered, stamp_of
from gossamer.entrypoints.api.reply import Asked, Reply

LONG_AGO = 1_700_000_000


class Others:
    """Who replies with how often they were asked."""

    def __init__(self):
        self.asked = 0
        self.status = 200
        self.headers = {}
        self.meanwhile = lambda: None

    async def reply(self, asked):
        self.asked += 1
        self.meanwhile()
        return Reply(self.status, self.headers, b"%d" % self.asked)

    async def open(self):
        """Nothing to do."""

    close = open


def question(target="/search?q=silk", method="GET", **headers):
    return Asked(Head(method, target, "HTTP/1.1", headers))


@pytest.fixture
def database(tmp_path):
    file = tmp_path / "web.db"
    write(file, b"one")
    return file


def write(file, content, at=LONG_AGO):
    file.write_bytes(content)
    os.utime(file, (at, at))


@pytest.fixture
def others():
    return Others()


def ask(remembered, *questions):
    async def all_of_them():
        return [int((await remembered.reply(each)).body) for each in questions]

    return asyncio.run(all_of_them())


def test_the_same_question_is_asked_once(database, others):
    remembered = Remembered(others, database)

    one, other = question(), question("/search?q=moth")
    assert ask(remembered, one, one, other, one) == [1, 1, 2, 1]


def test_a_comparison_of_two_versions_is_made_once(database, others):
    remembered = Remembered(others, database)
    changes = question("/documents/0123/cached?at=200&since=100")

    assert ask(remembered, changes, changes) == [1, 1]


@pytest.mark.parametrize("name", ["web.db", "web.db-wal"])
def test_a_write_makes_it_be_asked_again(database, others, name):
    remembered = Remembered(others, database)
    ask(remembered, question())

    write(database.with_name(name), b"two", at=LONG_AGO + 1)

    assert ask(remembered, question(), question()) == [2, 2]


def test_a_write_while_it_is_answered_is_not_overlooked(database, others):
    remembered = Remembered(others, database)
    others.meanwhile = lambda: write(database, b"three", at=LONG_AGO + others.asked)

    assert ask(remembered, question(), question()) == [1, 2]


def test_what_was_written_just_now_may_be_written_again_without_a_trace(database, others):
    remembered = Remembered(others, database)
    database.touch()

    assert ask(remembered, question(), question()) == [1, 2]


@pytest.mark.parametrize(
    "other",
    [
        question(method="POST"),
        question(method="HEAD"),
        question("/stats"),
        question("/documents/1"),
        question("/documents/1/cached?at=100"),
        question(**{"accept-encoding": "gzip"}),
        question(origin="https://b.test"),
    ],
)
def test_what_may_differ_is_asked(database, others, other):
    remembered = Remembered(others, database)

    assert ask(remembered, question(), other, question()) == [1, 2, 1]


def test_a_failure_is_not_remembered(database, others):
    remembered, others.status = Remembered(others, database), 503

    assert ask(remembered, question(), question()) == [1, 2]


def test_the_oldest_replies_are_forgotten_first(database, others, monkeypatch):
    monkeypatch.setattr(module, "ROOM", 2)
    remembered = Remembered(others, database)
    one, two, three = (question(f"/search?q={n}") for n in range(3))

    assert ask(remembered, one, two, one, three, one, two) == [1, 2, 1, 3, 1, 4]


def test_every_commit_leaves_a_trace(tmp_path):
    file = tmp_path / "web.db"
    store, stamps = Store(file, "CREATE TABLE IF NOT EXISTS t (n);"), []

    for number in range(4):
        store.write("INSERT INTO t VALUES (?)", (number,))
        store.commit()
        if number == 2:
            store.checkpoint()  # the log begins anew
        time.sleep(2 * TICK / 1e9)
        stamps.append(stamp_of((file, tmp_path / "web.db-wal")))
    store.close()

    assert len(set(stamps)) == 4
    assert None not in stamps


@pytest.mark.parametrize("cache", ["no-store", "no-cache"])
def test_an_answer_that_must_not_be_remembered_is_asked_for_again(database, others, cache):
    remembered, others.headers = Remembered(others, database), {"Cache-Control": cache}

    assert ask(remembered, question(), question()) == [1, 2]
