from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.response_outcome import (
    REMEMBERED,
    SET_ASIDE_ROW,
    Outcome,
    forgotten,
    is_ill,
    judge,
    retry_after,
    retry_wait,
)
from gossamer.ports.fetcher import PERMANENT_FAULTS, TRANSIENT_FAULTS


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (200, "page", "document"),
        (203, "page", "document"),
        (204, "excluded", "http-204"),
        (301, "redirect", "redirect"),
        (302, "redirect", "redirect"),
        (303, "redirect", "redirect"),
        (307, "redirect", "redirect"),
        (308, "redirect", "redirect"),
        (300, "failed", "http-300"),
        (304, "unchanged", "not-modified"),
        (401, "failed", "http-401"),
        (403, "failed", "http-403"),
        (404, "gone", "http-404"),
        (410, "gone", "http-410"),
        (408, "retry", "http-408"),
        (429, "throttled", "http-429"),
        (500, "retry", "http-500"),
        (501, "failed", "http-501"),
        (502, "retry", "http-502"),
        (503, "throttled", "http-503"),
        (504, "retry", "http-504"),
        (599, "failed", "http-599"),
    ],
)
def test_a_code_decides_what_becomes_of_its_url(code, kind, reason):
    assert judge(code, "", transient=False) == Outcome(kind, reason)


@pytest.mark.parametrize("fault", sorted(TRANSIENT_FAULTS))
def test_a_transient_fault_is_tried_again_and_is_the_hosts(fault):
    outcome = judge(0, fault, transient=True)

    assert outcome == Outcome("retry", fault)
    assert outcome.is_bad


@pytest.mark.parametrize("fault", sorted(PERMANENT_FAULTS))
def test_a_permanent_fault_is_never_tried_again(fault):
    assert judge(200, fault, transient=False).kind in ("failed", "excluded")


@pytest.mark.parametrize("fault", ["content-type", "too-large", "unsafe-address"])
def test_what_we_do_not_want_is_excluded_and_does_not_count_against_the_host(fault):
    outcome = judge(200, fault, transient=False)

    assert outcome.kind == "excluded"
    assert not outcome.is_bad


def test_a_fault_outweighs_the_code_that_came_before_it():
    assert judge(200, "truncated-body", transient=False) == Outcome("failed", "truncated-body")


@pytest.mark.parametrize("code", [200, 204, 301, 304, 403, 404, 410])
def test_a_host_is_not_to_blame_for_an_orderly_answer(code):
    assert not judge(code, "", transient=False).is_bad


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_host_is_to_blame_for_its_trouble(code):
    assert judge(code, "", transient=False).is_bad


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0.0),
        ("", 0.0),
        ("soon", 0.0),
        ("-5", 0.0),
        ("1.5", 0.0),
        ("²", 0.0),
        ("9" * 400, 999_999_999.0),
        ("Thu, 99 Foo 0000 99:99:99 GMT", 0.0),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(header, seconds):
    assert retry_after(header, now=100.0) == seconds


@given(st.one_of(st.text(), st.from_regex(r"\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ [+-]?\w+")))
def test_no_retry_after_header_can_make_us_stumble(header):
    assert retry_after(header, now=100.0) >= 0.0


@pytest.mark.parametrize(
    ("requests", "bad", "ill"),
    [(9, 9, False), (10, 10, True), (12, 10, True), (13, 10, False), (1000, 500, False)],
)
def test_a_host_is_ill_after_ten_bad_answers_that_are_four_of_five(requests, bad, ill):
    assert is_ill(requests, bad) is ill


def test_each_retry_waits_four_times_longer():
    assert [retry_wait(5.0, tries) for tries in (1, 2, 3)] == [5.0, 20.0, 80.0]


def test_a_host_that_was_well_for_long_is_ill_after_so_many_bad_answers_in_a_row():
    assert not is_ill(100_000, SET_ASIDE_ROW, SET_ASIDE_ROW - 1)
    assert is_ill(100_000, SET_ASIDE_ROW, SET_ASIDE_ROW)


@pytest.mark.parametrize(
    ("requests", "bad", "left"),
    [(12, 10, (6, 5)), (20, 19, (5, 5)), (5001, 4001, (6, 5)), (7, 1, (0, 0)), (9, 0, (4, 0))],
)
def test_little_is_remembered_of_a_host_that_gets_another_chance(requests, bad, left):
    assert forgotten(requests, bad) == left
    assert left[1] <= REMEMBERED
    assert not is_ill(left[0] + 4, left[1] + 4)
