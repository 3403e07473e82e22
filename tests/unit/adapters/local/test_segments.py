"""Do the files of an index appear whole or not at all, and stay while they are read?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import UNFINISHED, LocalSegmentStore
from gossamer.bolts.manifest import ABANDONED, sweep
from gossamer.core.errors import NotStored, StoreFailed
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import Manifest, new_name
from tests.indexing import writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def files(tmp_path) -> Iterator[LocalSegmentStore]:
    store = Store(tmp_path / "web.db")
    yield LocalSegmentStore(store, tmp_path / "index")
    store.close()


def test_a_file_that_was_not_written_to_its_end_is_not_there(files, tmp_path):
    def pieces():
        yield b"half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        files.put(new_name(0.0, "a"), pieces())

    with pytest.raises(NotStored, match="no file 0000000000000-a"):
        files.read([Range(new_name(0.0, "a"), 0, 4)])


def test_what_was_left_unfinished_is_swept(files, tmp_path):
    name = new_name(0.0, "a") + UNFINISHED
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / name).write_bytes(b"half")

    assert sweep(writer_of(files, lambda: ABANDONED - 1), orphans=True) == 0
    assert sweep(writer_of(files, lambda: ABANDONED + 1), orphans=True) == 1

    assert list((tmp_path / "index").iterdir()) == []


def test_what_was_read_stays_readable_when_its_file_is_deleted(files):
    files.put("a", [b"silk ", b"thread"])
    [found] = files.read([Range("a", 5, 6)])

    files.delete(["a", "never there"])

    assert bytes(found) == b"thread"
    with pytest.raises(NotStored):
        files.read([Range("a", 0, 1)])
    assert files.names() == []


def test_an_empty_file_and_an_empty_range_can_be_read(files):
    assert files.put("a", []) == 0

    assert [bytes(found) for found in files.read([Range("a", 0, 0), Range("a", 0, 9)])] == [b""] * 2


def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(files, tmp_path):
    (tmp_path / "index").write_text("a file where the folder should be")

    with pytest.raises(StoreFailed, match="make the folder writable"):
        files.put("a", [b"x"])


def test_an_index_that_was_never_written_has_no_files(files):
    assert files.names() == []
    assert files.manifest() == Manifest()
    files.delete(["a"])
