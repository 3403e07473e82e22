"""Days as people and programs write them."""

from datetime import date
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.value_texts import read_day
from gossamer.core.page.value_texts.months import month_of
from gossamer.core.page.values import Date


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("2023-10-04", ""),
        ("2023-10-04T23:59:00+02:00", ""),
        ("20231004", ""),
        ("2023/10/4", ""),
        ("04.10.2023", ""),
        ("4.10.23", "de"),
        ("10/4/2023", "en"),
        ("4/10/2023", "en-GB"),
        ("4/10/2023", "fr"),
        ("Wed, 04 Oct 2023 08:00:00 GMT", ""),
        ("Wednesday, 04-Oct-23 08:00:00 GMT", ""),
        ("Wed Oct  4 08:00:00 2023", ""),
        ("October 4th, 2023, 8:30 p.m.", "en"),
        ("4 de octubre de 2023", "es"),
        ("4. Oktober 2023", "de"),
        ("4 octobre 2023", "fr"),
        ("4 ottobre 2023", "it"),
        ("4 de outubro de 2023", "pt"),
        ("4 oktober 2023", "nl"),
        ("4 października 2023", "pl"),
        ("4 октября 2023 г.", "ru"),
        ("4. října 2023", "cs"),
        ("4 okt. 2023", "sv"),
        ("4. lokakuuta 2023", "fi"),
        ("4 Ekim 2023", "tr"),
        ("2023. október 4.", "hu"),
        ("4. listopada 2023", "hr"),
        ("4 Οκτωβρίου 2023", "el"),
        ("2023年10月4日", "ja"),
        ("2023년 10월 4일", "ko"),
        ("4 tháng 10, 2023", "vi"),
        ("٤ أكتوبر ٢٠٢٣", "ar"),
        ("4 ต.ค. 2566", "th"),
        ("Published on 4 October 2023 by A. Writer", "en"),
    ],
)
def test_a_day_is_read_as_it_is_written(text, language):
    assert read_day(text, language) == Date("2023-10-04")


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2 days ago", "gestern", "October 2023", "4 October", "31/02/2023", "1.2.3"],
)
def test_what_names_no_day_is_refused(text):
    assert read_day(text, "en") is None


def test_a_day_that_can_be_either_needs_a_language():
    assert read_day("5/6/2023") is None
    assert read_day("25/6/2023") == read_day("6/25/2023") == Date("2023-06-25")
    assert read_day("6/6/2023") == Date("2023-06-06")


def test_a_month_that_is_another_one_elsewhere_needs_a_language():
    assert (month_of("listopad", "pl"), month_of("listopad", "hr")) == (11, 10)
    assert month_of("listopad") is None


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 1, 1)))
def test_every_day_is_read_back_from_each_form(day):
    forms = [day.isoformat(), day.strftime("%d %B %Y"), day.strftime("%B %d, %Y")]
    forms.append(f"{day.day}.{day.month}.{day.year}")

    for form in forms:
        assert read_day(form, "en") == Date(day.isoformat())


@given(st.datetimes())
def test_what_mail_writes_is_read_back(moment):
    expected = Date(moment.date().isoformat()) if 1000 <= moment.year <= 2399 else None

    if expected:
        assert read_day(format_datetime(moment)) == expected


@given(st.text())
def test_no_text_raises(text):
    read_day(text, "en")
