from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gossamer.core.crawl.rediscovery import Known, Rediscovery, first_state, meet_again
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import REASONS, WAY_REASONS, Event, State, after

A, B = b"a" * 16, b"b" * 16
KNOWN = st.builds(
    Known,
    st.sampled_from(State),
    st.sampled_from(["", *REASONS]),
    st.integers(0, 4),
    st.sampled_from([A, B]),
    st.sampled_from([0.0, 100.0]),
    st.integers(0, 3),
    st.sampled_from([None, b"", A, B]),
)
WAYS = st.tuples(st.integers(0, 4), st.sampled_from(["", "too-deep", "host-quota"]))


def found(depth=1, reason="", hops=0) -> Discovery:
    return Discovery(b"x" * 16, "http://a.test/x", "a.test", depth, hops, reason)


def test_a_url_begins_as_it_was_judged():
    assert first_state(found()) is State.DISCOVERED
    assert first_state(found(reason="robots")) is State.EXCLUDED


@given(KNOWN, WAYS, st.sampled_from([A, B]))
def test_a_way_that_is_not_worth_adding_changes_nothing(known, way, source):
    depth, reason = way

    if not known.is_worth_adding(source, depth):
        assert meet_again(known, found(depth, reason), source) == Rediscovery()


@given(KNOWN, WAYS, st.sampled_from([A, B]))
def test_depths_never_grow_unless_a_url_is_admitted_after_all(known, way, source):
    met = meet_again(known, found(*way), source)

    assert met.way is None or met.event or met.way.depth <= known.depth


@given(KNOWN, st.integers(1, 3), st.integers(0, 3), st.sampled_from([A, B, b""]))
def test_a_source_that_made_a_page_nearer_does_so_again_until_a_shorter_way_is_found(
    known, less, hops, source
):
    nearer = found(known.depth - less, hops=hops)
    met = meet_again(known, nearer, source)
    assume(met.way is nearer and known.leads_on)
    then = known._replace(depth=nearer.depth, hops=hops, via=met.via, nearer_via=met.nearer_via)

    again = found(nearer.depth, "host-quota", hops)  # whatever is full now
    assert meet_again(then, again, source) == met._replace(way=again)
    for other in {A, B, b""} - {source}:
        assert meet_again(then, nearer, other) == Rediscovery()
    nearest = then._replace(depth=nearer.depth - 1)
    assert meet_again(nearest, again, source) == Rediscovery()


@pytest.mark.parametrize("state", [State.DISCOVERED, State.FETCHING, State.FAILED])
def test_what_has_no_links_yet_tells_its_depth_when_it_is_fetched(state):
    met = meet_again(Known(state, "", 3, A, 100.0), found(1), B)

    assert met == Rediscovery(way=found(1), via=A)


def test_urls_that_redirect_to_each_other_do_not_make_each_other_nearer_for_ever():
    one = Known(State.REDIRECTED, "redirect", 1, b"", 100.0, 2, nearer_via=B)
    two = Known(State.REDIRECTED, "redirect", 1, b"", 100.0, 1, nearer_via=A)

    assert meet_again(one, found(1, hops=two.hops + 1), B).way is not None
    assert meet_again(two, found(1, hops=one.hops + 1), A) == Rediscovery()


@pytest.mark.parametrize("reason", ["noindex", "no-document", "robots", "too-deep"])
def test_of_what_is_excluded_only_a_page_that_was_read_leads_on(reason):
    known = Known(State.EXCLUDED, reason, 3, A, 100.0)

    assert known.leads_on == (reason in ("noindex", "no-document"))


@given(KNOWN, WAYS, st.sampled_from([A, B]))
def test_only_what_its_way_had_excluded_is_readmitted(known, way, source):
    met = meet_again(known, found(*way), source)

    if met.event:
        assert (known.state, known.reason in WAY_REASONS) == (State.EXCLUDED, True)
        assert after(known.state, met.event) is State.DISCOVERED
        assert met.fresh is not None
        assert met.via == source


@given(KNOWN, st.integers(0, 4))
def test_a_source_that_is_read_again_sends_on_again_what_was_not_claimed(known, more):
    waits = known._replace(state=State.DISCOVERED, via=A, slot=0.0)
    again = found(known.depth + more, "host-quota")  # whatever is full now

    assert meet_again(waits, again, A) == Rediscovery(fresh=again)
    assert meet_again(waits._replace(slot=100.0), again, A) == Rediscovery()


def test_the_source_that_found_a_url_first_stays_the_one_that_sends_it_on():
    known = Known(State.DISCOVERED, "", 3, A, 0.0)

    assert meet_again(known, found(1), B) == Rediscovery(way=found(1), via=A)


@pytest.mark.parametrize(("reason", "depth"), [("host-quota", 1), ("too-deep", 3), ("nofollow", 3)])
def test_of_two_ways_the_shorter_counts_if_both_may_be_followed(reason, depth):
    known = Known(State.EXCLUDED, reason, 1, A, 0.0, hops=2)

    met = meet_again(known, found(3), B)

    assert met.event is Event.READMITTED
    assert met.way is not None
    assert (met.way.depth, met.way.hops) == (depth, 2 if depth == 1 else 0)
