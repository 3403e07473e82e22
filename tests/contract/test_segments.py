"""Do all segment stores keep the promises of `ports.segments`?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.errors import GossamerError, NotStored
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import Manifest, Retired, SegmentInfo, SideFile
from gossamer.ports.segments import IN_BLOCK, Head
from tests.conftest import EMBEDDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Backend

A, B = "0000000001000-a", "0000000002000-b"
CONTENT = random.Random(7).randbytes(300_000)


@pytest.fixture
def store(backend: Backend) -> Any:
    return backend.home.index


def pieces(content: bytes, size: int = 70_000) -> Iterator[bytes]:
    for begin in range(0, len(content), size):
        yield content[begin : begin + size]


def read(store: Any, *ranges: Range) -> list[bytes]:
    return [bytes(data) for data in store.read(list(ranges))]


def head(term: str, segment: str, bound: int = 200) -> Head:
    layers = ((128, bound, 0, 400, 0, 900), (172, bound - 1, 400, 500, 900, 1200))
    return Head(term, segment, layers, f"{term} of {segment}".encode())


def manifest(version: int, *names: str) -> Manifest:
    segments = [SegmentInfo(name=name, size=10, documents=3, live=2, at=1.5) for name in names]
    return Manifest(version=version, segments=segments)


def test_what_was_put_is_read_by_any_ranges_in_the_order_of_asking(store: Any):
    other = CONTENT[::-1]
    assert store.put(A, pieces(CONTENT)) == len(CONTENT)
    assert store.put(B, pieces(other, 1 << 20)) == len(other)
    ranges = [
        Range(B, 299_990, 10),
        Range(A, 0, 300_000),
        Range(A, 5, 0),
        Range(A, 100, 50),
        Range(B, 250_000, 1),
        Range(A, 120, 80),
        Range(A, 100, 50),
    ]

    found = read(store, *ranges)

    content = {A: CONTENT, B: other}
    assert found == [content[file][at : at + size] for file, at, size in ranges]
    assert read(store, *ranges[::-1]) == found[::-1]
    assert read(store) == []


def test_only_a_home_on_this_machine_is_near(backend: Backend):
    assert backend.home.index.is_far is (backend.kind not in EMBEDDED)


def test_reading_costs_something_where_it_is_billed(backend: Backend, store: Any):
    store.put(A, pieces(CONTENT))
    before = store.reads

    read(store, Range(A, 0, 10))

    assert (store.reads > before) == (backend.kind not in EMBEDDED)


def test_a_file_may_be_empty_or_come_in_empty_pieces(store: Any):
    assert store.put(A, []) == 0
    assert store.put(B, [b"", b"x", b"", b"y"]) == 2

    assert sorted(store.names()) == [A, B]
    assert read(store, Range(A, 0, 0), Range(B, 0, 2)) == [b"", b"xy"]


def test_files_are_there_for_another_process(backend: Backend):
    backend.home.index.put(A, [CONTENT])
    backend.home.commit()

    assert read(backend.reopen().index, Range(A, 7, 9)) == [CONTENT[7:16]]


def test_a_file_is_there_whole_or_not_at_all(store: Any):
    def broken() -> Iterator[bytes]:
        yield CONTENT
        raise RuntimeError("the writer dies")

    with pytest.raises(RuntimeError):
        store.put(A, broken())

    assert store.names() == []
    with pytest.raises(NotStored, match=A):
        store.read([Range(A, 0, 1)])


def test_no_name_is_written_twice(store: Any):
    store.put(A, [b"first"])

    with pytest.raises(GossamerError):
        store.put(A, [b"second"])

    assert read(store, Range(A, 0, 5)) == [b"first"]


def test_a_file_that_was_never_there_is_not_stored(store: Any):
    store.put(A, [b"abc"])

    with pytest.raises(NotStored, match=B):
        store.read([Range(A, 0, 1), Range(B, 0, 1)])


def test_names_are_those_of_all_files_that_are_there(store: Any, too_many: int):
    names = [f"{number:013}-x" for number in range(too_many)]
    for name in names:
        store.put(name, [b"x"])

    assert sorted(store.names()) == names
    store.delete(names[1:])
    assert store.names() == names[:1]


def test_what_is_deleted_is_gone_and_deleting_it_again_does_nothing(store: Any):
    store.put(A, [b"abc"])
    store.put(B, [b"def"])
    assert read(store, Range(A, 0, 3)) == [b"abc"]

    for _ in range(2):
        store.delete([A, "0000000003000-never"])

    with pytest.raises(NotStored):
        store.read([Range(A, 0, 3)])
    assert read(store, Range(B, 0, 3)) == [b"def"]
    store.delete([])
    assert store.names() == [B]


def test_an_index_begins_with_nothing(store: Any):
    assert store.manifest() == Manifest()
    assert store.names() == []
    assert store.heads(["spider"], [A]) == {}


def test_a_manifest_is_read_as_it_was_published(backend: Backend):
    segments = [
        SegmentInfo(
            name=f"{number:013}-abcdef",
            size=number,
            documents=2,
            live=1,
            at=0.5 + number,
            dead=SideFile(f"{number:013}-dead", 9),
            levels=None if number % 2 else SideFile(f"{number:013}-levels", 3),
        )
        for number in range(200)
    ]
    given = Manifest(
        version=1,
        segments=segments,
        retired=[Retired("0000000000001-old", 3.5)],
        analyzer={"stem": True, "language": "en"},
    )

    assert backend.home.index.publish(given)

    assert backend.home.index.manifest() == given
    backend.home.commit()
    assert backend.reopen().index.manifest() == given


def test_of_two_who_publish_one_wins(backend: Backend, store: Any):
    other = store if backend.kind in EMBEDDED else backend.reopen().index

    assert store.publish(manifest(1, A))
    assert not other.publish(manifest(1, A))
    assert not other.publish(manifest(1, B))
    assert other.manifest() == manifest(1, A)
    assert other.publish(manifest(2, A, B))
    assert not store.publish(manifest(2, B))
    assert not store.publish(manifest(1, B))
    assert not store.publish(manifest(4, B))
    assert store.manifest() == manifest(2, A, B)


def test_heads_are_found_by_term_and_segment_if_they_are_kept(backend: Backend, store: Any):
    kept = [head("silk", A), head("silk", B), head("thread", A), head("@the silk thread", B)]
    store.put(A, [b"a"])
    store.put(B, [b"b"])

    store.put_heads(iter(kept))

    found = store.heads(["silk", "spider", "@the silk thread", "silk"], [A, B])
    if backend.kind in EMBEDDED and not found:
        return  # its files are as near
    assert found == {(h.term, h.segment): h for h in kept if h.term != "thread"}
    assert sorted(store.names()) == [A, B]
    store.delete([A])
    assert set(store.heads(["silk", "thread"], [A, B])) == {("silk", B)}
    assert store.names() == [B]


def test_the_rest_of_a_short_list_is_found_where_its_head_is(backend: Backend, store: Any):
    places = ((2, 9, *IN_BLOCK), (1, 3, *IN_BLOCK))
    store.put_heads([Head("silk", A, places, b"first", b"rest"), head("web", A)])

    for are_all in (True, False):
        found = store.heads(["silk", "web"], [A], are_all=are_all)
        rests = store.rests([("silk", A)], are_all=are_all)

        if backend.kind in EMBEDDED:
            assert (found, rests) == ({}, {})
        else:
            assert {key: each.first for key, each in found.items()} == {
                ("silk", A): b"first",
                ("web", A): head("web", A).first,
            }
            assert rests == {("silk", A): b"rest"}


def test_heads_of_the_longest_terms_are_kept(store: Any):
    longest = head("@" + "網" * 128, A)
    store.put_heads([longest])

    assert set(store.heads([longest.term], [A])) <= {(longest.term, A)}
    store.put_heads([])
    assert store.heads([], [A]) == {}
