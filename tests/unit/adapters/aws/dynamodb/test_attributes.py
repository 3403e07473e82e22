"""Do values come back from DynamoDB as they went there?"""

from __future__ import annotations

import math
from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.dynamodb.attributes import Count, Ref, Time
from gossamer.adapters.aws.dynamodb.models import UrlItem
from gossamer.core.crawl.url_record import PageRef

EPOCH = st.one_of(st.just(0.0), st.floats(1e-6, 1e11))
DYNAMO = Context(prec=38)  # significant digits that DynamoDB keeps


def stored(text):
    """A number as DynamoDB says it: no more than 38 digits, no zeros at the end."""
    number = DYNAMO.create_decimal(text)
    return format(number.normalize(DYNAMO), "f") if number else "0"


@given(st.one_of(EPOCH, st.floats(-1e100, 1e100), st.integers(0, 10**11).map(lambda n: n / 1e6)))
def test_a_time_comes_back_as_the_same_float(moment):
    time = Time(attr_name="cl")

    back = time.deserialize(stored(time.serialize(moment)))

    assert back == (moment if abs(moment) > 1e-120 else 0.0)
    assert isinstance(back, float)


@given(EPOCH, EPOCH)
def test_times_compare_in_dynamodb_as_they_do_here(one, other):
    time = Time(attr_name="cl")
    there = Decimal(time.serialize(one)), Decimal(time.serialize(other))

    assert (one < other, one == other) == (there[0] < there[1], there[0] == there[1])


@pytest.mark.parametrize("moment", [math.inf, -math.inf, math.nan])
def test_a_time_that_dynamodb_has_no_number_for_is_refused_here(moment):
    with pytest.raises(ValueError, match="cl must be finite"):
        Time(attr_name="cl").serialize(moment)


@given(st.integers(-(10**30), 10**30))
def test_a_count_comes_back(count):
    number = Count(attr_name="n")

    assert number.deserialize(stored(number.serialize(count))) == count


def test_a_count_written_with_an_exponent_is_read():
    assert Count(attr_name="n").deserialize("1E+3") == 1000


@given(st.text(max_size=20), st.integers(0, 2**50), st.integers(0, 2**40))
def test_a_reference_comes_back(file, offset, length):
    ref = Ref(attr_name="pg")

    assert ref.deserialize(ref.serialize(PageRef(file, offset, length))) == PageRef(
        file, offset, length
    )


def test_an_item_comes_back_with_its_bytes_and_empty_strings():
    item = UrlItem(key=b"web#\x00\xff", url="", via=b"", slot=1.5, page=PageRef("f", 1, 2))

    again = UrlItem.from_raw_data(item.serialize())

    assert again.attribute_values == item.attribute_values
