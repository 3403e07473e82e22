"""Is the copy of the settings never older than the database, wherever a kill comes in between?"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.settings_copy import copy_file, read_copy
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import StoreFailed
from gossamer.homes import decode_body


def opened(folder):
    return LocalHome(folder / "web.db", folder / "warc", decode_body)


def change(home, synonyms="", templates=""):
    """Store lists as the next version of the settings."""
    before, keep = home.settings.get(), home.settings.put_list
    after = msgspec.structs.replace(
        before, version=before.version + 1, synonyms=keep(synonyms), templates=keep(templates)
    )
    assert home.settings.put(after)
    return after


def copied(folder):
    """The version that the copy has, with its texts."""
    copy = read_copy(copy_file(folder / "web.db"))
    return copy and (copy.settings.version, sorted(copy.lists.values()))


@pytest.fixture
def home(tmp_path):
    made = opened(tmp_path)
    yield made
    made.store._db.close()
    made.store._lock.release()


def test_every_change_is_copied_with_its_lists(home, tmp_path):
    assert copied(tmp_path) is None

    change(home, synonyms="car, automobile")
    assert copied(tmp_path) == (1, ["car, automobile"])
    change(home, synonyms="car, automobile", templates="[one]")
    assert copied(tmp_path) == (2, ["[one]", "car, automobile"])
    change(home)
    assert copied(tmp_path) == (3, [])


def test_a_change_that_somebody_else_was_faster_with_is_not_copied(home, tmp_path):
    change(home, synonyms="car, automobile")

    assert not home.settings.put(CollectionSettings(version=1))
    assert copied(tmp_path) == (1, ["car, automobile"])


class Killed(BaseException):
    """The process ended here."""


def kill(*_arguments):
    raise Killed


def test_a_kill_before_the_commit_leaves_a_copy_that_is_mended_later(home, tmp_path, monkeypatch):
    change(home, synonyms="old")
    monkeypatch.setattr(home.store, "commit", kill)
    with pytest.raises(Killed):
        change(home, synonyms="new")
    home.store._db.close()
    assert copied(tmp_path) == (2, ["new"])

    again = opened(tmp_path)
    again.lock("settings")

    assert again.settings.get().version == 1
    assert copied(tmp_path) == (1, ["old"])
    again.close()


def test_a_kill_before_the_copy_leaves_the_old_one_and_the_old_settings(
    home, tmp_path, monkeypatch
):
    change(home, synonyms="old")
    monkeypatch.setattr(Path, "replace", kill)
    with pytest.raises(Killed):
        change(home, synonyms="new")
    home.store._db.close()

    again = opened(tmp_path)
    assert (again.settings.get().version, copied(tmp_path)) == (1, (1, ["old"]))
    again.close()


def test_settings_of_an_older_program_are_copied_by_the_next_command_that_writes(home, tmp_path):
    change(home, synonyms="car, automobile")
    copy_file(tmp_path / "web.db").unlink()

    home.lock("settings")

    assert copied(tmp_path) == (1, ["car, automobile"])


def test_the_copy_of_a_collection_that_was_here_before_is_deleted(home, tmp_path):
    change(home, synonyms="car, automobile")
    home.purge()
    assert copied(tmp_path) is None

    assert not copy_file(tmp_path / "web.db").exists()


def test_a_copy_that_cannot_be_written_fails_the_change_and_leaves_nothing(
    home, tmp_path, monkeypatch
):
    change(home, synonyms="old")

    def fail(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreFailed, match="No space left"):
        change(home, synonyms="new")

    assert home.settings.get().version == 1
    assert copied(tmp_path) == (1, ["old"])
    assert not list(tmp_path.glob("web.settings?*"))


@pytest.mark.parametrize(
    "damage", [lambda body: body[:-9], lambda body: body.replace(b"car", b"bar")]
)
def test_a_damaged_copy_is_none(home, tmp_path, damage):
    change(home, synonyms="car, automobile")
    file = copy_file(tmp_path / "web.db")

    file.write_bytes(damage(file.read_bytes()))

    assert copied(tmp_path) is None
