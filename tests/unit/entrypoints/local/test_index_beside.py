"""Does a crawl hear of it when what is indexed beside it cannot be kept?"""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from gossamer.core.errors import StoreFailed
from gossamer.core.index.segments.manifest import Manifest
from gossamer.entrypoints.line import framed
from gossamer.entrypoints.local.index_beside import DEATHS, IndexBeside, _Child
from gossamer.entrypoints.local.index_child import Publish
from gossamer.messages import DocumentParsed
from gossamer.settings import Settings

PAGE = DocumentParsed(job="web", url="http://a.test/", fetched_at=1.0)


class Full:
    """A store on a full disk, in which seven documents can be found."""

    def manifest(self):
        return SimpleNamespace(live=7)

    def publish(self, manifest):
        raise StoreFailed("the disk is full")


@pytest.fixture
def beside() -> IndexBeside:
    """With a process that has asked to publish, which failed."""
    home: Any = SimpleNamespace(index=Full(), commit=lambda: None)
    process: Any = SimpleNamespace(kill=lambda: None, wait=lambda: 0)
    made = IndexBeside(home, Settings())
    made._child = _Child(made, process)
    made._lot = [PAGE]
    made._child.data_received(framed(msgspec.msgpack.encode(Publish(Manifest()))))
    return made


def test_what_earlier_crawls_left_can_be_found_from_the_beginning():
    home: Any = SimpleNamespace(index=Full())

    assert IndexBeside(home, Settings()).live == 7


def test_the_next_turn_of_the_crawl_fails(beside):
    with pytest.raises(StoreFailed, match="the disk is full"):
        beside.tend(1.0)


async def test_the_end_of_the_crawl_does_not_wait_for_it(beside):
    with pytest.raises(StoreFailed, match="the disk is full"):
        await beside.close(finish=True)


async def test_a_process_that_cannot_have_a_line_is_tried_a_few_times(monkeypatch, caplog):
    def refuse() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket, "socketpair", refuse)
    home: Any = SimpleNamespace(index=Full(), commit=lambda: None)
    made = IndexBeside(home, Settings())
    made.note(PAGE, 1.0)

    for now in range(2, 10):
        made.tend(float(now))
        await asyncio.sleep(0)

    assert len(caplog.records) == DEATHS
    assert "no process can be started" in caplog.text
