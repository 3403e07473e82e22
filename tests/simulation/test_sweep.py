"""Processes that sleep for longer than any world lasts: what was swept is never published."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.batch.compact import merge
from gossamer.batch.index import index_batch
from gossamer.bolts.index import analyzer_of
from gossamer.bolts.manifest import ABANDONED, GRACE, put_levels, sweep
from gossamer.core.errors import NotStored
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body, index_writer
from gossamer.ports.documents import Version
from tests.pump import VirtualClock


@pytest.fixture
def home(tmp_path):
    opened = LocalHome(None, tmp_path, decode_body)
    yield opened
    opened.close()


class Sleeping:
    """A store whose user falls asleep once, just before it publishes or just before it reads."""

    def __init__(self, store, method: str, meanwhile) -> None:
        self._store, self._method, self._meanwhile = store, method, meanwhile

    def __getattr__(self, name: str):
        if name == self._method and self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        return getattr(self._store, name)


def index_one(home, writer, path: str = "", at: float = 1.0) -> None:
    url = f"http://a.test/{path}"
    version = Version(document_id(url_id(url)), at, Document(url=url, title="silk", text="moth"))
    index_batch([version], home, writer, analyzer_of(home), home.settings.get().schema)


def asleep(home, clock, method: str):
    """A writer that sleeps two days while another process sweeps."""

    def meanwhile() -> None:
        clock.advance(2 * ABANDONED)
        sweep(index_writer(home, clock), orphans=True)

    store = Sleeping(home.index, method, meanwhile)
    writer = index_writer(home, clock)
    return type(writer)(store, writer.opened, writer.clock, writer.token)


def named(manifest):
    return manifest.names() - {retired.name for retired in manifest.retired}


@pytest.mark.parametrize("method", ["publish", "manifest"])
def test_a_segment_that_was_swept_meanwhile_is_not_published(home, method):
    clock = VirtualClock(1_000_000_000.0)
    index_one(home, index_writer(home, clock), "old")

    with pytest.raises(NotStored, match="too long ago"):
        index_one(home, asleep(home, clock, method))

    assert home.index.manifest().live == 1
    assert named(home.index.manifest()) <= set(home.index.names())


@pytest.mark.parametrize("method", ["publish", "manifest"])
def test_a_merged_segment_that_was_swept_meanwhile_is_not_published(home, method):
    clock = VirtualClock(1_000_000_000.0)
    for path in "ab":
        index_one(home, index_writer(home, clock), path)
    before = home.index.manifest().segments
    writer = asleep(home, clock, method)

    with pytest.raises(NotStored, match="too long ago"):
        merge(writer, before)

    assert home.index.manifest().segments == before
    assert named(home.index.manifest()) <= set(home.index.names())


def test_ranks_that_were_swept_meanwhile_are_not_published(home):
    clock = VirtualClock(1_000_000_000.0)
    index_one(home, index_writer(home, clock))
    [info] = home.index.manifest().segments

    with pytest.raises(NotStored, match="too long ago"):
        put_levels(asleep(home, clock, "publish"), {info.name: np.array([7], np.uint8)})

    assert home.index.manifest().segments == [info]


def test_a_file_that_is_being_written_is_not_swept(home):
    clock = VirtualClock(1_000_000_000.0)
    writer = index_writer(home, clock)
    home.index.put(writer.name(), [b"unfinished"])
    clock.advance(ABANDONED - 1)

    assert sweep(writer, orphans=True) == 0

    clock.advance(2)
    assert sweep(writer, orphans=True) == 1
    assert home.index.names() == []


def test_what_was_replaced_is_kept_for_those_who_read_it(home):
    clock = VirtualClock(1_000_000_000.0)
    writer = index_writer(home, clock)
    for path in "ab":
        index_one(home, writer, path)
    sources = {info.name for info in home.index.manifest().segments}
    merge(writer, home.index.manifest().segments)

    clock.advance(GRACE - 1)
    assert sweep(writer, orphans=True) == 0
    assert sources <= set(home.index.names())

    clock.advance(2)
    assert sweep(writer, orphans=True) == len(sources)
    assert set(home.index.names()) == named(home.index.manifest())
