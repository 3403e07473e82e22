"""Is a damaged or forged item of the index recognised, and never believed?"""

from __future__ import annotations

import struct
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.collection import Weights
from gossamer.core.errors import CorruptRecord
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.codec import (
    MAX_UNPACKED,
    pack_column,
    pack_positions,
    pack_postings,
    posting_count,
    unpack,
    unpack_column,
)
from gossamer.core.index.manifest import Packed
from gossamer.core.index.segment import delta_items, postings_in, terms_in
from gossamer.core.page.document import Document
from tests.effort import often
from tests.fuzz.bounds import attempt, damaged
from tests.unit.core.index.words import invert

if TYPE_CHECKING:
    from gossamer.core.index.postings import Postings

HEAD = struct.Struct("<BIII")
PAGES = [
    Document(url=f"http://a.test/{n}", title=f"page {n}", text="spiders weave silk " * (n + 1))
    for n in range(4)
]
TABLE = invert(PAGES, 7, Analyzer(), Weights())
POSTINGS, POSITIONS = pack_postings(TABLE), pack_positions(TABLE)


def is_sound(table: Postings) -> bool:
    return (
        len(table.starts) == len(table.terms) + 1
        and len(table.impacts) == len(table.ordinals)
        and (not len(table.starts) or table.starts[-1] == len(table.ordinals))
    )


def read(postings: bytes, positions: bytes = b"") -> Postings | None:
    return attempt(CorruptRecord, lambda: unpack(postings, positions))[0]


@often(400)
@given(damaged(POSTINGS), damaged(POSITIONS).filter(bool))
def test_a_damaged_item_is_refused_or_read_within_its_bounds(postings, positions):
    """Frames carry no checksum, so a flipped bit may read as another number; never as chaos."""
    for found in (read(postings, POSITIONS), read(POSTINGS, positions)):
        assert found is None or is_sound(found)


@often(200)
@given(st.binary(max_size=80), st.binary(max_size=80))
def test_arbitrary_bytes_are_no_item(postings, positions):
    assert read(postings, positions) is None
    assert read(POSTINGS, positions) is None or not positions


NUMBERS = st.integers(0, 2**32 - 1) | st.integers(0, 20)


def frame(content: bytes, *, says: bool = True) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=says).compress(content)


@often(300)
@given(NUMBERS, NUMBERS, NUMBERS, st.binary(max_size=120))
@example(0, 2**32 - 1, 0, b"\x00\x00\x00\x00")  # columns of no width
@example(1, 1, 1, b"a\x08\xff\xff\xff\xff\xff\xff\xff\xff" + b"\x01\x01" * 3)  # a negative df
@example(1, 2**32 - 1, 0, b"\xff" * 100)
def test_forged_numbers_are_never_believed(terms, count, size, content):
    item = HEAD.pack(1, terms, count, size) + frame(content)

    found = read(item)

    if found is not None:  # by chance it fits: then it fits in every way
        assert len(found.terms) == terms
        assert len(found) == count == int(found.starts[-1])
    read(item, b"\x01" + frame(content))


@pytest.mark.parametrize(
    "packed",
    [
        frame(bytes(100_000_000))[:30],  # says 100 MB, has none
        frame(bytes(1000), says=False),  # does not say, so that room is made for all
        b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", MAX_UNPACKED) + bytes(30),
        b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + bytes(30),
    ],
    ids=["cut", "silent", "lying", "boasting"],
)
def test_no_room_is_made_for_what_cannot_be_there(packed):
    tracemalloc.start()
    try:
        assert read(HEAD.pack(1, 1, 1, 1) + packed) is None
        assert read(POSTINGS, b"\x01" + packed) is None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000


@often(200)
@given(st.lists(st.integers(0, 2**62), max_size=20), st.binary(max_size=5))
def test_a_column_comes_out_as_it_went_in_wherever_it_stands(values, before):
    packed = before + pack_column(np.array(values, np.int64)) + b"after"

    found, end = unpack_column(memoryview(packed), len(before), len(values))

    assert found.tolist() == values
    assert packed[end:] == b"after"


@often(100)
@given(st.data())
def test_a_damaged_item_is_named(data):
    item = data.draw(st.sampled_from(list(delta_items(TABLE, 3))))
    content = data.draw(damaged(item.postings))
    broken = Packed(item.key, item.sort, content, item.positions)

    for reader in (postings_in, terms_in):
        _, error = attempt(CorruptRecord, lambda reader=reader: reader(broken))  # type: ignore[misc]
        assert error is None or f"{item.key} {item.sort}" in str(error)


@often(50)
@given(st.binary(max_size=20))
@example(b"")
def test_the_number_of_postings_is_read_or_refused(data):
    try:
        assert 0 <= posting_count(data) < 2**32
    except CorruptRecord:
        assert len(data) < HEAD.size
