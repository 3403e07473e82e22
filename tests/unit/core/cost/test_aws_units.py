"""Do we count units as AWS bills them? Worked examples of the developer guides.

Rules: DynamoDB developer guide, "Item sizes and formats", "Capacity unit consumption" and "Global
secondary indexes: provisioned throughput considerations"; SQS pricing, note on 64 KB chunks.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.cost.aws_units import (
    batch_read_units,
    index_entry_size,
    item_size,
    number_size,
    read_units,
    sqs_requests,
    value_size,
    write_units,
)

KB = 1024


def test_an_item_is_the_sum_of_its_names_and_values():
    """A string is its UTF-8 bytes, a binary its raw bytes, a Boolean and a null one byte."""
    item: dict[str, Any] = {
        "k": {"S": "Grüße"},
        "bin": {"B": bytes(100)},
        "yes": {"BOOL": True},
        "no": {"NULL": 1},
    }

    assert item_size(item) == (1 + 7) + (3 + 100) + (3 + 1) + (2 + 1)


@pytest.mark.parametrize(
    ("number", "size"),
    [
        ("0", 1),
        ("7", 2),  # one byte for up to two digits, and one
        ("27", 2),
        ("-27", 3),
        ("123", 3),
        ("100", 2),  # zeros at either end are not significant
        ("0.001", 2),
        ("1793000000.123456", 9),
        ("1e10", 2),
        ("12345678901234567890123456789012345678", 20),  # 38 digits, the most there are
    ],
)
def test_a_number_takes_a_byte_for_two_digits_and_one_more(number: str, size: int):
    assert number_size(number) == size


def test_a_list_or_map_takes_three_bytes_and_one_for_each_element():
    assert value_size({"L": []}) == 3
    assert value_size({"L": [{"S": "ab"}, {"N": "5"}]}) == 3 + 2 + 2 + 2
    assert value_size({"M": {"a": {"S": "xyz"}}}) == 3 + 1 + (1 + 3)
    assert value_size({"SS": ["ab", "c"]}) == 3


def test_a_type_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no such type"):
        value_size({"X": 1})


@pytest.mark.parametrize(
    ("size", "units"), [(0, 1), (1, 1), (KB, 1), (KB + 1, 2), (2 * KB, 2), (400 * KB, 400)]
)
def test_a_write_is_billed_by_the_kilobyte(size: int, units: int):
    """The guide: an item of 2 KB takes 2 write units."""
    assert write_units(size) == units


@pytest.mark.parametrize(
    ("size", "consistent", "units"),
    [
        (0, False, 0.5),  # nothing was there: still a read
        (0, True, 1),
        (4 * KB, True, 1),
        (4 * KB, False, 0.5),
        (8 * KB, True, 2),  # the guide: 8 KB take 2 units, eventually consistent 1
        (8 * KB, False, 1),
        (4 * KB + 1, False, 1),
    ],
)
def test_a_read_is_billed_by_four_kilobytes_half_if_it_may_be_old(
    size: int, consistent: bool, units: float
):
    assert read_units(size, consistent=consistent) == units


def test_a_query_rounds_once_for_all_it_read():
    """The guide: items of 40.8 KB together are rounded to 44 KB; 1,500 of 64 bytes to 96 KB."""
    assert read_units(int(40.8 * KB), consistent=True) == 44 / 4
    assert read_units(1500 * 64, consistent=True) == 96 / 4


def test_a_batch_rounds_for_each_item():
    """The guide: items of 1.5 KB and 6.5 KB are billed as 4 and 8, not as 8 together."""
    sizes = [int(1.5 * KB), int(6.5 * KB)]

    assert batch_read_units(sizes, consistent=True) == 3
    assert batch_read_units(sizes) == 1.5


KEYS, PROJECTED = ("term", "imp"), ("k", "g", "x")


def entry(impact: int = 9, size: int = 10, positions: int = 10) -> dict[str, Any]:
    return {
        "k": {"S": "k"},
        "g": {"S": "g"},
        "term": {"S": "t"},
        "imp": {"N": str(impact)},
        "x": {"B": bytes(size)},
        "p": {"B": bytes(positions)},
    }


TAIL = {"k": {"S": "k"}, "g": {"S": "g"}, "x": {"B": bytes(3000)}}


@pytest.mark.parametrize(
    ("item", "size"),
    [
        (entry(), 25),
        (entry(size=3 * KB), 3 * KB + 15),
        (entry(positions=9000), 25),  # what is not projected takes nothing there
        (TAIL, 0),  # without its keys an item has no entry
    ],
)
def test_a_secondary_index_has_the_keys_and_what_is_projected(item: Any, size: int):
    assert index_entry_size(item, KEYS, PROJECTED) == size


@pytest.mark.parametrize(
    ("payload", "requests"), [(0, 1), (1, 1), (64 * KB, 1), (64 * KB + 1, 2), (256 * KB, 4)]
)
def test_sqs_counts_chunks_of_64_kb(payload: int, requests: int):
    assert sqs_requests(payload) == requests


@given(st.dictionaries(st.text(min_size=1), st.binary()), st.integers(0, 10_000))
def test_more_never_costs_less(values: dict[str, bytes], more: int):
    item = {name: {"B": value} for name, value in values.items()}
    larger = {**item, "more": {"B": bytes(more)}}

    assert write_units(item_size(item)) <= write_units(item_size({**larger, **item}))
    assert item_size(item) == sum(len(n.encode()) + len(v) for n, v in values.items())
