"""Reading by way of large pieces gives the same bytes with fewer reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.read_ahead import ReadAhead
from tests.unit.core.index.segments.making import Files

FILES = Files(a=bytes(range(200)), b=bytes(range(100, 151)))
places = st.builds(Range, st.sampled_from(["a", "b"]), st.integers(0, 50), st.integers(0, 60)).map(
    lambda r: Range(r.file, r.offset, min(r.size, len(FILES[r.file]) - r.offset))
)


@given(st.lists(st.lists(places, max_size=5), max_size=6), st.integers(1, 70), st.integers(1, 5))
def test_every_range_is_what_the_file_has(asked, piece, most):
    read = ReadAhead(FILES.fetch, piece, most)

    for ranges in asked:
        assert [bytes(data) for data in read(ranges)] == [
            bytes(data) for data in FILES.fetch(ranges)
        ]


def test_neighbours_are_fetched_once():
    calls: list[list[Range]] = []

    def fetch(ranges):
        calls.append(list(ranges))
        return FILES.fetch(ranges)

    read = ReadAhead(fetch, piece=64)
    for offset in range(0, 192, 4):
        read([Range("a", offset, 4)])

    assert calls == [[Range("a", 0, 64)], [Range("a", 64, 64)], [Range("a", 128, 64)]]


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_pieces_are_kept_than_are_allowed(most):
    read = ReadAhead(FILES.fetch, piece=10, most=most)

    read([Range("a", 0, 100)])

    assert len(read._known) == most
