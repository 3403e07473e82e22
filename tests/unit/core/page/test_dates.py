"""Which moment does a date in a list name?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.dates import moment_of, said_by
from gossamer.core.revisit.change_rate import DAY, FIRST_WEB_PAGE

NOON = datetime(2026, 11, 16, 12, 30, 45, tzinfo=UTC).timestamp()
MOMENTS = st.datetimes(datetime(1991, 2, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001 given below
    lambda moment: moment.replace(microsecond=0)
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-16T12:30:45Z", NOON),
        ("2026-11-16t12:30:45z", NOON),
        ("2026-11-16 12:30:45", NOON),
        ("2026-11-16T12:30:45.250Z", NOON + 0.25),
        ("2026-11-16T12:30:45.1234567890+00:00", NOON + 0.123456),
        ("2026-11-16T17:45:45+05:15", NOON),
        ("2026-11-16T07:30:45-0500", NOON),
        ("2026-11-16T12:30Z", NOON - 45),
        ("2026-11-16T12:30", NOON - 45),
        ("2026-11-16", NOON - 45 - 12.5 * 3600),
        ("\n 2026-11 \t", datetime(2026, 11, 1, tzinfo=UTC).timestamp()),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC).timestamp()),
        ("Mon, 16 Nov 2026 12:30:45 GMT", NOON),
        ("Mon, 16 Nov 2026 07:30:45 EST", NOON),
        ("16 Nov 26 13:30:45 +0100", NOON),
        ("Mon, 16 Nov 2026 12:30:45 -0000", NOON),
        ("Mon, 16 Nov 2026 12:30 GMT", NOON - 45),
    ],
)
def test_a_date_names_a_moment_or_the_beginning_of_a_time(text, moment):
    assert moment_of(text) == pytest.approx(moment, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "16.11.2026",
        "2026-13-01",
        "2026-02-30",
        "2026-11-16T24:30Z",
        "2026-11-16T12Z",
        "2026-11-16T12:30:45+99:00",
        "20261116",
        "2026-W47-1",
        "٢٠٢٦-11-16",
        "0000-00-00",
        "0001-01-01T00:00:00+14:00",
        "1990-12-31",
        "1970-01-01T00:00:00Z",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Mon, 99 Nov 2026 12:30:45 GMT",
        "2026-11-16" + " x" * 100,
    ],
)
def test_what_is_no_date_or_older_than_the_web_is_none(text):
    assert moment_of(text) is None


@given(MOMENTS, ZONES)
def test_both_ways_of_writing_a_moment_are_read(moment, zone):
    aware = moment.replace(tzinfo=zone)

    assert moment_of(aware.isoformat()) == aware.timestamp()
    assert moment_of(format_datetime(aware)) == aware.timestamp()


@given(st.text(max_size=80) | st.text("0123456789-:+TZ. ,JanFebGMT", max_size=40))
def test_no_text_raises(text):
    moment = moment_of(text)

    assert moment is None or moment >= FIRST_WEB_PAGE


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (NOON - 5, NOON - 5),
        (NOON, NOON),
        (NOON + DAY, NOON),
        (NOON + DAY + 1, 0.0),
    ],
)
def test_a_fast_clock_means_now_and_a_far_future_nothing(moment, said):
    assert said_by(moment, NOON) == said
