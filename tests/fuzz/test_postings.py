"""Is a damaged or forged file of the index recognised, and never believed?"""

from __future__ import annotations

import struct
import tracemalloc

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.dictionary import (
    Block,
    SparseIndex,
    unpack_layer,
    unpack_places,
)
from gossamer.core.index.segments.numbers import MAX_UNPACKED, Unpacker, decompress
from gossamer.core.index.segments.stored import Stored, unpack_raw, unpack_stored
from gossamer.core.index.segments.tombstones import pack_bits, unpack_bits
from tests.effort import often
from tests.fuzz.bounds import attempt, damaged
from tests.unit.core.index.segments.making import Doc, Files, packed, read_all

DOCS = [
    Doc(
        b"%016d" % n,
        stored=Stored(f"http://a.test/{n}", f"Silk {n}", "spiders weave silk " * n),
        columns=(n, n / 3, n, "a.test", ("red",), f"/{n}"),
        terms=(("=silk", 1, ()), ("silk", 9 + n, (n, 9)), (f"t{n}", 7, ()), ("weave", 3, (4,))),
    )
    for n in range(4)
]
WHOLE = packed(DOCS)
SAID = read_all(Files(it=WHOLE).open("it"))


@often(600)
@given(damaged(WHOLE))
def test_a_damaged_segment_is_refused_by_name_or_says_what_it_did(data):
    found, error = attempt(CorruptRecord, lambda: read_all(Files(it=data).open("it")))

    assert SAID.suggested
    assert SAID.words
    if error is None:
        assert found == SAID
    else:
        assert "the segment it" in str(error)


@often(200)
@given(st.binary(max_size=80))
def test_arbitrary_bytes_are_no_segment(data):
    found, _ = attempt(CorruptRecord, lambda: Files(it=data).open("it"))

    assert found is None


def frame(content: bytes, *, says: bool = True) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=says).compress(content)


NUMBERS = st.integers(0, 2**32 - 1) | st.integers(0, 20)
HEAD = struct.Struct("<IIIIII")


@often(300)
@given(st.lists(NUMBERS, min_size=6, max_size=6), st.binary(max_size=120))
@example([0, 2**32 - 1, 0, 0, 0, 0], b"\x00" * 9)
@example([1, 2**32 - 1, 0, 0, 0, 0], b"\xff" * 100)
@example([0, 0, 0, 0, 0, 2**32 - 1], b"\x01" * 100)
def test_forged_numbers_of_a_block_are_never_believed(numbers, content):
    block, _ = attempt(
        CorruptRecord, lambda: Block(HEAD.pack(*numbers) + frame(content), (0, 0), "it")
    )

    if block is not None:  # by chance it fits: then it fits in every way
        rare, postings, _, often, _, _ = numbers
        assert (len(block.rare_terms), len(block.often_terms)) == (rare, often)
        assert len(block.rare_documents) == postings


@often(300)
@given(st.binary(max_size=80), st.integers(0, 2**32))
def test_forged_content_of_any_part_is_refused_or_read_within_its_bounds(content, count):
    data = frame(content)
    layer, _ = attempt(CorruptRecord, lambda: unpack_layer(data, count, "it"))
    places, _ = attempt(CorruptRecord, lambda: unpack_places(data, count, "it"))
    attempt(CorruptRecord, lambda: SparseIndex.unpacked(data, "it"))
    attempt(CorruptRecord, lambda: unpack_stored(data, "it"))
    attempt(CorruptRecord, lambda: unpack_raw(data, "it"))
    attempt(CorruptRecord, lambda: unpack_bits(data, count, "it"))

    assert layer is None or len(layer.documents) == len(layer.impacts) == count
    assert places is None or (len(places[0]) == count and sum(places[0]) == len(places[1]))


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
        with pytest.raises(CorruptRecord, match="it is damaged"):
            decompress(packed, "it")
        with pytest.raises(CorruptRecord, match="it is damaged"):
            Unpacker(memoryview(b"\x08" + packed), "it").numbers(2**40)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000


@often(100)
@given(damaged(pack_bits(np.arange(900) % 7 == 0)))
def test_damaged_tombstones_are_refused_by_name_or_say_what_they_did(data):
    found, error = attempt(CorruptRecord, lambda: unpack_bits(data, 900, "0001-dead"))

    if found is None:
        assert "the file 0001-dead is damaged" in str(error)
    else:
        assert found.tolist() == [n % 7 == 0 for n in range(900)]
