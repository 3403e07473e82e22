"""Does what is packed come out as it went in, in every version of the format?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.collection import Weights
from gossamer.core.errors import CorruptRecord
from gossamer.core.index.codec import (
    pack_column,
    pack_positions,
    pack_postings,
    unpack,
    unpack_column,
)
from gossamer.core.index.manifest import Generation
from gossamer.core.index.postings import Postings
from gossamer.core.index.segment import delta_items, generation_items, select
from tests.unit.core.index.words import Splitter, batches, invert


def same(one: Postings, other: Postings) -> bool:
    return one.terms == other.terms and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("starts", "ordinals", "impacts", "ends", "positions")
    )


@given(st.lists(st.integers(0, 2**40), max_size=50))
def test_a_column_comes_out_as_it_went_in(values):
    column = np.array(values, np.int64)

    out, end = unpack_column(memoryview(pack_column(column)), 0, len(values))

    assert out.tolist() == values
    assert end == len(pack_column(column))


@given(batches, st.integers(0, 100_000))
def test_a_table_comes_out_as_it_went_in(batch, first):
    table = invert(batch, first, Splitter(), Weights())

    assert same(unpack(pack_postings(table), pack_positions(table)), table)


@given(batches)
def test_postings_can_be_read_without_their_positions(batch):
    table = invert(batch, 0, Splitter(), Weights())

    out = unpack(pack_postings(table))

    assert out.ordinals.tolist() == table.ordinals.tolist()
    assert len(out.positions) == 0


@given(batches)
def test_the_buckets_of_a_segment_hold_the_whole_table(batch):
    table = invert(batch, 0, Splitter(), Weights())

    parts = [
        unpack(item.postings, item.positions)
        for item in delta_items(table, 1)
        if item.key.startswith("0#")
    ]

    assert sorted(term for part in parts for term in part.terms) == table.terms
    assert sum(map(len, parts)) == len(table)


def test_a_common_term_lies_in_layers_of_falling_impact():
    count = 1000
    impacts = np.arange(count) % 250 + 1
    table = Postings(
        ["common"],
        np.array([0, count]),
        np.arange(count),
        impacts.astype(np.uint8),
        np.arange(1, count + 1),
        np.zeros(count, np.int64),
    )

    layers = list(generation_items(table, Generation(1, 64, count)))

    assert [len(unpack(item.postings)) for item in layers] == [128, 512, 360]
    worst = [int(unpack(item.postings).impacts.min()) for item in layers]
    best = [item.impact for item in layers]
    assert all(low >= high for low, high in zip(worst, best[1:], strict=False))
    read = np.concatenate([unpack(item.postings).ordinals for item in layers])
    assert sorted(read.tolist()) == list(range(count))


@pytest.mark.parametrize("damage", [b"", b"\x01", b"\x09" + bytes(40), b"\x01" + bytes(40)])
def test_a_damaged_block_is_named_and_not_believed(damage):
    with pytest.raises(CorruptRecord, match="index"):
        unpack(damage)


@given(batches, st.data())
def test_rows_can_be_chosen_from_a_table(batch, data):
    table = invert(batch, 0, Splitter(), Weights())
    rows = data.draw(st.lists(st.integers(0, max(0, len(table.terms) - 1)), unique=True))
    rows = rows if table.terms else []

    chosen = select(table, np.array(rows, np.int64))

    assert chosen.terms == [table.terms[row] for row in rows]
    assert len(chosen) == sum(len(table.rows(row, row + 1)) for row in rows)
