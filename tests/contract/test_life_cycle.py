"""Does every store move a URL exactly as the life cycle says, whatever its state and the event?"""

from __future__ import annotations

from itertools import count, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.core.crawl.claims import Claim, Claimable, is_last_claim, judge_claim
from gossamer.core.crawl.rediscovery import Known, meet_again
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import WAY_REASONS, Event, State, after
from gossamer.core.urls import url_id
from tests.conftest import EMBEDDED
from tests.life import bring

SOURCE, OTHER = b"s" * 16, b"o" * 16
NUMBERS = count()
LONG = pytest.mark.long
TIMES = st.sampled_from([50.0, 99.0, 100.0, 101.0, 200.0])


def found(name, *, depth=2, reason="", job="web") -> Discovery:
    url = f"http://a.test/{name}"
    return Discovery(url_id(url), url, "a.test", depth, reason=reason, job=job)


@pytest.fixture
def urls(any_home):
    return any_home.urls


@pytest.mark.parametrize("state", State)
def test_every_event_in_every_state_leads_where_the_table_says(urls, state):
    for event in Event:
        item = found(f"{state}/{event}")
        urls.add([item], SOURCE, 100.0)
        bring(urls, item.id, state, UrlChange(reason="before", tries=1))

        moved = urls.move(item.id, event, UrlChange(reason="then", tries=2))

        record, then = urls.get(item.id), after(state, event)
        assert moved is (then is not None)
        expected = (then, "then", 2) if moved else (state, "before", 1)
        assert (record.state, record.reason, record.tries) == expected


def telling(state: State) -> list[Event]:
    """The events that a state hears, and one that it does not."""
    deaf = next(event for event in Event if after(state, event) is None)
    return [deaf, *(event for event in Event if after(state, event) is not None)]


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(
    ("events", "slots"),
    [
        (telling, (99.0, 100.0)),
        pytest.param(lambda _: Event, (0.0, 99.0, 100.0, 101.0), marks=LONG),
    ],
    ids=["telling", "all"],
)
def test_an_event_of_one_claim_leaves_another_alone(urls, state, events, slots):
    for event, slot in product(events(state), slots):
        item = found(f"{state}/{event}/{slot}")
        urls.add([item], SOURCE, 100.0)
        bring(urls, item.id, state, UrlChange(slot=100.0))

        moved = urls.move(item.id, event, slot=slot)

        then = after(state, event) if is_last_claim(100.0, slot) else None
        assert moved is (then is not None)
        assert urls.get(item.id).state is (then or state)


def test_a_url_that_was_never_claimed_has_no_claim_to_lose(urls):
    urls.add([found("x")], SOURCE, 100.0)

    assert not urls.move(found("x").id, Event.GIVEN_UP, slot=100.0)
    assert urls.get(found("x").id).state is State.DISCOVERED


@pytest.mark.parametrize("state", State)
def test_a_url_is_found_judged_closed_and_revisited_as_the_table_says(any_home, state):
    """The moves that a store makes by itself."""
    urls = any_home.urls
    makes = {
        Event.READMITTED: lambda id: urls.add([found("x", depth=1)], OTHER, 100.0),
        Event.RULED_IN: lambda id: urls.revise("web", lambda _: ""),
        Event.RULED_OUT: lambda id: urls.revise("web", lambda _: "too-deep"),
        Event.REVISITED: lambda id: urls.revisit("web"),
    }
    item = found("x")
    urls.add([item], SOURCE, 100.0)
    for event, make in makes.items():
        bring(urls, item.id, state, UrlChange(reason="too-deep", slot=50.0))
        make(item.id)
        assert urls.get(item.id).state is (after(state, event) or state), event


@pytest.mark.only(*EMBEDDED)
@pytest.mark.parametrize("state", State)
def test_the_end_of_a_job_closes_what_the_table_says(any_home, state):
    item = found("x")
    any_home.urls.add([item], SOURCE, 100.0)
    bring(any_home.urls, item.id, state)

    any_home.urls.close_open("web", "max-pages")

    assert any_home.urls.get(item.id).state is (after(state, Event.CLOSED) or state)


class TestAClaim:
    """What `judge_claim` says is what a store does, in one write."""

    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.data())
    async def test_is_judged_as_the_core_says(self, any_home, data):
        urls, n = any_home.urls, next(NUMBERS)
        item = found(f"claim/{n}")
        state = data.draw(st.sampled_from(State))
        slot, lease, tries = data.draw(TIMES), data.draw(TIMES), data.draw(st.integers(0, 2))
        asked, now, known = data.draw(TIMES), data.draw(TIMES), data.draw(st.integers(0, 2))
        last = data.draw(st.sampled_from([0.0, 99.0, 100.0]))
        urls.add([item], SOURCE, 100.0)
        bring(urls, item.id, state, UrlChange(slot=slot, lease=lease, tries=tries))

        claim = await urls.claim(item.id, asked, now + 90.0, now, known, last)

        assert claim is judge_claim(Claimable(state, slot, lease, tries), asked, now, known, last)
        record = urls.get(item.id)
        if claim is Claim.TAKEN:
            taken = (State.FETCHING, asked, now + 90.0, known if last else tries)
        else:
            taken = (state, slot, lease, tries)
        assert (record.state, record.slot, record.lease, record.tries) == taken


class TestAnotherWay:
    """What `meet_again` says is what a store writes and tells."""

    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.data())
    def test_changes_what_the_core_says(self, any_home, data):
        urls, n = any_home.urls, next(NUMBERS)
        state = data.draw(st.sampled_from(State))
        reason = data.draw(st.sampled_from(["", "noindex", "robots", *sorted(WAY_REASONS)]))
        slot = data.draw(st.sampled_from([0.0, 100.0]))
        source = data.draw(st.sampled_from([SOURCE, OTHER]))
        depth, verdict = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["", "too-deep"]))
        excluded = reason if state is State.EXCLUDED else ""
        item = found(f"way/{n}", reason=excluded)
        again = found(f"way/{n}", depth=depth, reason=verdict)
        urls.add([item], SOURCE, 100.0)
        if not excluded:  # one that was admitted is never excluded by its way: stores rely on it
            reason = "robots" if state is State.EXCLUDED else reason
            bring(urls, item.id, state, UrlChange(reason=reason, slot=slot))

        for _ in range(2):  # the message comes again
            was = urls.get(item.id)
            way = (was.depth, was.via, was.slot, was.hops, was.nearer_via)
            known = Known(was.state, was.reason, *way)
            worth = urls.unknown([(again.id, again.depth)], source)
            admission = urls.add([again], source, 100.0)

            met, record = meet_again(known, again, source), urls.get(item.id)
            assert worth == ({item.id} if known.is_worth_adding(source, depth) else set())
            assert admission.fresh == ([met.fresh] if met.fresh else [])
            nearer = met.way is not None and met.event is None and known.leads_on
            assert admission.shallower == ([record] if nearer else [])
            assert record.state is (after(was.state, met.event) if met.event else was.state)
            then = (met.way.depth, met.via, met.nearer_via) if met.way else (*way[:2], way[4])
            assert (record.depth, record.via, record.nearer_via) == then
