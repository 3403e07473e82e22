"""Does an item of any size fit, and come back whole?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.index.large_items import MAX_PART, cut, join
from gossamer.core.errors import CorruptRecord
from gossamer.core.index.manifest import Packed

SIZES = st.one_of(
    st.integers(0, 9), st.integers(0, 4).map(lambda n: n * MAX_PART), st.integers(0, 1_500_000)
)


def rows(item: Packed) -> list[dict[str, Any]]:
    found = []
    for place, (postings, positions, count) in enumerate(cut(item)):
        row: dict[str, Any] = {
            "s": {"S": f"{item.sort}!{place}" if place else item.sort},
            "x": {"B": postings},
            "p": {"B": positions},
        }
        if count:
            row["n"] = {"N": str(count)}
        found.append(row)
    return found


@given(st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=4))
def test_what_was_cut_is_joined_again(sizes: list[tuple[int, int]]):
    items = [
        Packed("k", f"{n:03}", bytes([n]) * a, bytes([n + 100]) * b)
        for n, (a, b) in enumerate(sizes)
    ]
    cut_up = [row for item in items for row in rows(item)]

    assert all(len(row["x"]["B"]) + len(row["p"]["B"]) <= MAX_PART for row in cut_up)
    assert [row["s"]["S"] for row in cut_up] == sorted(row["s"]["S"] for row in cut_up)
    assert join("k", cut_up, "s") == items


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_lost_piece_is_noticed(lost: int):
    cut_up = rows(Packed("k", "a", bytes(3 * MAX_PART))) + rows(Packed("k", "b", b"x"))
    del cut_up[lost]

    with pytest.raises(CorruptRecord, match="not whole"):
        join("k", cut_up, "s")
