from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.politeness import (
    CLOUD_GRACE,
    EMBEDDED_GRACE,
    MANY_STARTS,
    MAX_PENALTY,
    GracePolicy,
    Pace,
    Starts,
    book,
    delay_in_force,
    forgiven,
    penalised,
    slot_times,
)
from tests.effort import often

ROUNDING = 1e-6


@pytest.mark.parametrize(
    ("policy", "delay", "grace"),
    [
        (GracePolicy(0.5, 0.25, 5.0), 1.0, 0.5),
        (GracePolicy(0.5, 0.25, 5.0), 8.0, 2.0),
        (GracePolicy(0.5, 0.25, 5.0), 60.0, 5.0),
        (EMBEDDED_GRACE, 0.0, 0.0),
        (CLOUD_GRACE, 0.0, 0.0),
    ],
)
def test_grace_is_a_share_of_the_delay_between_a_floor_and_a_cap(policy, delay, grace):
    assert policy.grace(delay) == grace


def test_slots_lie_a_delay_and_a_grace_apart():
    booking = book(0.0, 3, 100.0, Pace(1.0, 0.5).spacing, window=10.0)

    assert slot_times(booking, 1.5) == [100.0, 101.5, 103.0]
    assert booking.next_slot == 104.5


def test_a_host_without_delay_needs_no_grace_and_no_spacing():
    booking = book(90.0, 3, 100.0, Pace(0.0, 5.0).spacing, window=10.0)

    assert slot_times(booking, 0.0) == [100.0, 100.0, 100.0]


def test_a_past_slot_is_never_handed_out():
    """An idle host must not give several slots at once for the time it was idle."""
    booking = book(50.0, 5, 100.0, 1.5, window=10.0)

    assert booking.first == 100.0


def test_a_full_window_gives_nothing_and_leaves_the_next_slot_where_it_is():
    booking = book(115.0, 5, 100.0, 1.5, window=10.0)

    assert (booking.count, booking.next_slot) == (0, 115.0)


def test_a_nearly_full_window_gives_what_fits():
    booking = book(106.0, 5, 100.0, 1.5, window=10.0)

    assert slot_times(booking, 1.5) == [106.0, 107.5]


@pytest.mark.parametrize(
    ("minimum", "robots", "cap", "penalty", "delay"),
    [
        (1.0, None, 60.0, 0.0, 1.0),
        (1.0, 0.5, 60.0, 0.0, 1.0),
        (1.0, 5.0, 60.0, 0.0, 5.0),
        (1.0, 600.0, 60.0, 0.0, 60.0),
        (90.0, 600.0, 60.0, 0.0, 90.0),
        (1.0, 5.0, 60.0, 20.0, 20.0),
        (1.0, 5.0, 60.0, 2.0, 5.0),
        (0.0, None, 60.0, 0.0, 0.0),
    ],
)
def test_the_delay_in_force_is_the_longest_that_anyone_demands(
    minimum, robots, cap, penalty, delay
):
    assert delay_in_force(minimum, robots, cap, penalty) == delay


@pytest.mark.parametrize(
    ("delay", "after"), [(0.0, 1.0), (0.25, 1.0), (1.0, 2.0), (8.0, 16.0), (40.0, MAX_PENALTY)]
)
def test_a_penalty_doubles_the_delay_from_a_second_up_to_a_minute(delay, after):
    assert penalised(delay) == after


def test_a_penalty_never_makes_a_host_faster():
    assert penalised(90.0) == 90.0


def test_a_penalty_is_forgiven_by_good_responses_and_then_forgotten():
    penalty, responses = penalised(1.0), 0

    while penalty:
        penalty, responses = forgiven(penalty, base=1.0), responses + 1
        assert penalty == 0.0 or penalty > 1.0

    assert responses == 7


# The proof of docs/politeness.md, played through: a host whose slots are booked in bulk at a delay
# that changes, and whose messages come late, twice, in another order, or never.


@dataclass
class Host:
    """One host and the requests it sees. A booking follows the promise of the host store."""

    next_slot: float = 0.0
    last_slot: float = 0.0
    delay: float = 1.0
    requests: list[tuple[float, float]] = field(default_factory=list)  # start, delay in force
    claimed: set[float] = field(default_factory=set)

    def book(self, wanted: int, now: float, pace: Pace, window: float) -> list[float]:
        start = max(self.next_slot, self.last_slot + pace.spacing)
        booking = book(start, wanted, now, pace.spacing, window)
        slots = slot_times(booking, pace.spacing)
        self.next_slot = booking.next_slot
        self.last_slot = max([self.last_slot, *slots])
        return slots

    def ask(self, slot: float, pace: Pace, now: float) -> None:
        """What FETCH does: inside the window, at the pace in force, once per slot."""
        is_open = slot <= now <= slot + pace.grace
        if is_open and pace.delay >= self.delay and slot not in self.claimed:
            self.claimed.add(slot)
            self.requests.append((now, pace.delay))


@dataclass(frozen=True)
class Bulk:
    """Some slots wanted at one moment; each message's lateness, None if it never arrives."""

    after: float
    delay: float
    lateness: list[list[float | None]]


LATENESS = st.lists(
    st.one_of(st.none(), st.just(0.0), st.floats(0.0, 3.0), st.just(40.0)), min_size=1, max_size=3
)
BULKS = st.lists(
    st.builds(
        Bulk,
        after=st.one_of(st.just(0.0), st.floats(0.0, 5.0), st.just(30.0)),
        delay=st.sampled_from([0.2, 1.0, 1.0, 2.0, 10.0]),
        lateness=st.lists(LATENESS, min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=12,
)


def play(bulks, policy, window):
    """Book every bulk, deliver every message in the order of time, and return all requests."""
    host, now = Host(), 100.0
    moments: list[tuple[float, int, object]] = []
    for number, bulk in enumerate(bulks):
        now += bulk.after
        moments.append((now, number, bulk))
    order = len(moments)
    while moments:
        moments.sort(key=lambda moment: moment[:2])
        now, _, what = moments.pop(0)
        if isinstance(what, Bulk):
            host.delay = what.delay
            pace = Pace(what.delay, policy.grace(what.delay))
            slots = host.book(len(what.lateness), now, pace, window)
            for slot, deliveries in zip(slots, what.lateness, strict=False):
                for late in deliveries:
                    if late is not None:
                        order += 1
                        moments.append((slot + late, order, (slot, pace)))
        else:
            slot, pace = what  # type: ignore[misc]
            host.ask(slot, pace, now)
    return host.requests


@often(300)
@given(
    BULKS,
    st.sampled_from([EMBEDDED_GRACE, CLOUD_GRACE, GracePolicy(0.5, 0.5, 5.0)]),
    st.sampled_from([10.0, 900.0]),
)
def test_no_two_requests_start_closer_than_the_delay_in_force(bulks, policy, window):
    requests = play(bulks, policy, window)

    for (before, _), (after, delay) in itertools.pairwise(requests):
        assert after - before >= delay - ROUNDING


def test_the_proof_is_about_something():
    """The same play makes requests, and some of them exactly a delay apart."""
    bulks = [Bulk(0.0, 1.0, [[0.5], [0.0], [0.4, 0.5], [None], [0.0]])]

    polite = play(bulks, GracePolicy(0.5, 0.5, 0.5), 10.0)

    assert [round(start, 2) for start, _ in polite] == [100.5, 101.5, 103.4, 106.0]
    assert min(b[0] - a[0] for a, b in itertools.pairwise(polite)) == pytest.approx(1.0)


def test_slots_of_a_short_delay_lie_no_further_apart_where_the_fetcher_keeps_it():
    assert EMBEDDED_GRACE.pace(0.02).spacing == 0.02
    assert EMBEDDED_GRACE.pace(0.5).spacing == 0.52
    assert CLOUD_GRACE.pace(0.02).spacing == 1.02


def test_a_host_is_free_a_gap_after_its_last_start_or_after_the_beginning():
    starts = Starts(began=100.0)
    starts.note("a.test", 103.0, 0.1)

    assert starts.free_at("a.test", 0.2) == 103.2
    assert starts.free_at("b.test", 0.2) == 100.2
    assert starts.free_at("a.test", 0.0) == 0.0


def test_hosts_that_were_asked_long_ago_are_forgotten():
    starts = Starts(began=0.0)
    starts.note("old.test", 100.0, 0.1)
    for number in range(MANY_STARTS):
        starts.note(f"{number}.test", 200.0, 0.1)

    assert len(starts._last) == MANY_STARTS
    assert starts.free_at("1.test", 0.1) == 200.1
