from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.claims import (
    MAX_CLOCK_SKEW,
    Claim,
    Claimable,
    claim_event,
    is_last_claim,
    is_leased,
    judge_claim,
)
from gossamer.core.crawl.url_state import END_STATES, Event, State, after

TIMES = st.sampled_from([0.0, 50.0, 99.0, 100.0, 101.0, 200.0])
CLAIMABLE = st.builds(Claimable, st.sampled_from(State), TIMES, TIMES, st.integers(0, 3))
TRIES = st.integers(0, 3)


@given(CLAIMABLE, TIMES, TIMES, TRIES, TIMES)
def test_only_a_later_slot_is_taken_and_never_one_that_another_holds(url, slot, now, tries, last):
    if judge_claim(url, slot, now, tries, last) is Claim.TAKEN:
        assert url.slot < slot or url.slot > now + MAX_CLOCK_SKEW
        assert not (url.state is State.FETCHING and is_leased(url.lease, now))
        assert after(url.state, claim_event(last)) is State.FETCHING


@given(CLAIMABLE, TIMES, TIMES, TRIES, TIMES)
def test_a_slot_that_has_begun_is_taken_once(url, slot, now, tries, last):
    if slot <= now and judge_claim(url, slot, now, tries, last) is Claim.TAKEN:
        taken = Claimable(State.FETCHING, slot, now + 90.0, url.tries)
        for later in (now, now + 90.0, now + 91.0):
            assert judge_claim(taken, slot, later, tries, last) is not Claim.TAKEN


@given(CLAIMABLE, TIMES, TIMES, TRIES)
def test_what_has_ended_is_taken_only_by_who_knows_its_last_request(url, slot, now, tries):
    if url.state in END_STATES:
        assert judge_claim(url, slot, now, tries, 0.0) is Claim.ENDED
        assert judge_claim(url, slot, now, tries, url.slot + 1.0) is Claim.ENDED


@pytest.mark.parametrize(
    ("state", "lease", "claim"),
    [
        (State.FETCHING, 150.0, Claim.BUSY),
        (State.FETCHING, 99.0, Claim.STALE),
        (State.DISCOVERED, 0.0, Claim.ENDED),
        (State.FETCHED, 0.0, Claim.ENDED),
    ],
)
def test_a_second_copy_of_a_message_is_told_why(state, lease, claim):
    assert judge_claim(Claimable(state, 100.0, lease, 0), 100.0, 120.0, 0, 0.0) is claim


def test_an_old_copy_that_knows_of_fewer_tries_has_nothing_left_to_do():
    url = Claimable(State.DISCOVERED, 100.0, 0.0, 2)

    assert judge_claim(url, 200.0, 200.0, 1, 0.0) is Claim.ENDED
    assert judge_claim(url, 200.0, 200.0, 2, 0.0) is Claim.TAKEN


HOUR = 3600.0


@pytest.mark.parametrize(
    ("state", "slot", "lease"),
    [
        (State.DISCOVERED, 100.0 + HOUR, 0.0),
        (State.FETCHING, 100.0 + HOUR, 190.0 + HOUR),
        (State.FETCHING, 50.0, 190.0 + HOUR),
    ],
)
def test_what_a_clock_that_was_ahead_has_claimed_keeps_nobody_away(state, slot, lease):
    url = Claimable(state, slot, lease, 0)

    assert judge_claim(url, 100.0, 100.0, 0, 0.0) is Claim.TAKEN


def test_a_revisit_is_an_event_of_its_own():
    assert (claim_event(0.0), claim_event(9.0)) == (Event.CLAIMED, Event.CLAIMED_REVISIT)


@pytest.mark.parametrize(
    ("slot", "is_last"), [(0.0, True), (100.0, True), (99.0, False), (101.0, False)]
)
def test_an_event_of_a_claim_concerns_only_the_last_one(slot, is_last):
    assert is_last_claim(100.0, slot) is is_last
