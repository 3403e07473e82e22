"""Do all job stores keep the promises of `ports.jobs`?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.claims import Claim
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.urls import url_id
from gossamer.messages import Candidate, CrawlRequest
from tests.conftest import CLOUD, Backend
from tests.effort import often
from tests.life import bring

NOW = 100.0


@pytest.fixture
def jobs(any_home):
    return any_home.jobs


def url(number):
    return url_id(f"http://a.test/{number}")


def configure(jobs, job="web", now=NOW, **config):
    return jobs.configure(job, JobConfig(**{"seeds": ["http://a.test/"], **config}), now)


def know(home, *numbers, job="web"):
    """URLs that the store knows; returns their ids."""
    found = [
        Discovery(url(n), f"http://a.test/{n}", "a.test", 0, job=job)
        for n in dict.fromkeys(numbers)
    ]
    home.urls.add(found, b"", NOW)
    return [url(n) for n in numbers]


def left(jobs, job="web"):
    record = jobs.get(job)
    return record.pages_left, record.documents_left


def test_an_unknown_job_is_none(jobs):
    assert jobs.get("web") is None


def test_a_new_job_runs_with_its_whole_budget(jobs):
    configure(jobs, max_pages=7)

    record = jobs.get("web")

    assert (record.state, record.started_at, record.config.max_pages) == ("running", 100.0, 7)
    assert left(jobs) == (7, None)


def test_only_another_configuration_is_a_change(jobs):
    changes = [configure(jobs, max_pages=n) for n in (5, 5, 6, 5)]

    assert changes == [False, False, True, True]


def test_without_limits_everything_is_granted(any_home):
    configure(any_home.jobs)
    ids = know(any_home, *range(60))

    assert any_home.jobs.reserve("web", ids) == set(ids)
    assert left(any_home.jobs) == (None, None)


def test_no_more_is_granted_than_is_left_and_the_first_come_first(any_home):
    configure(any_home.jobs, max_pages=5)
    ids = know(any_home, *range(9))

    granted = [any_home.jobs.reserve("web", ids[i : i + 3]) for i in (0, 3, 6)]

    assert granted == [set(ids[:3]), set(ids[3:5]), set()]


def test_a_url_that_holds_its_units_is_granted_them_again_and_counts_once(any_home):
    configure(any_home.jobs, max_pages=3)
    ids = know(any_home, 1, 2, 3, 4)

    any_home.jobs.reserve("web", ids[:2])
    again = any_home.jobs.reserve("web", [ids[1], ids[0], ids[2], ids[3], ids[1]])

    assert again == set(ids[:3])
    assert left(any_home.jobs) == (0, None)


def test_an_unknown_url_is_granted_nothing(any_home):
    configure(any_home.jobs, max_pages=3)
    ids = know(any_home, 1)

    assert any_home.jobs.reserve("web", [url("never"), *ids]) == set(ids)
    assert left(any_home.jobs) == (2, None)


def test_more_at_once_than_a_transaction_takes(any_home):
    configure(any_home.jobs, max_pages=120)
    ids = know(any_home, *range(130))

    assert any_home.jobs.reserve("web", ids) == set(ids[:120])


def test_the_smaller_of_two_budgets_decides(any_home):
    configure(any_home.jobs, max_pages=5, max_documents=2)
    ids = know(any_home, *range(5))

    assert any_home.jobs.reserve("web", ids) == set(ids[:2])
    assert left(any_home.jobs) == (3, 0)


def test_what_is_released_is_free_again_once(any_home):
    configure(any_home.jobs, max_pages=2)
    ids = know(any_home, 1, 2, 3)
    any_home.jobs.reserve("web", ids[:2])

    for _ in range(3):
        any_home.jobs.release("web", ids[0], NOW)

    assert left(any_home.jobs) == (1, None)
    assert any_home.jobs.reserve("web", [ids[2], ids[0]]) == {ids[2]}


def test_a_page_that_is_no_document_gives_back_only_the_document(any_home):
    configure(any_home.jobs, max_pages=5, max_documents=2)
    ids = know(any_home, 1, 2, 3, 4)
    any_home.jobs.reserve("web", ids[:2])

    any_home.jobs.release("web", ids[0], NOW, pages=False)
    any_home.jobs.release("web", ids[0], NOW, pages=False)

    assert left(any_home.jobs) == (3, 1)
    assert any_home.jobs.reserve("web", ids[2:]) == {ids[2]}
    assert left(any_home.jobs) == (2, 0)


def test_what_gave_back_its_document_gives_back_its_page_as_well(any_home):
    configure(any_home.jobs, max_pages=2, max_documents=2)
    (id,) = know(any_home, 1)
    any_home.jobs.reserve("web", [id])

    any_home.jobs.release("web", id, NOW, pages=False)
    any_home.jobs.release("web", id, NOW)

    assert left(any_home.jobs) == (2, 2)


async def test_a_url_under_way_keeps_its_units(any_home):
    configure(any_home.jobs, max_pages=2)
    (id,) = know(any_home, 1)
    any_home.jobs.reserve("web", [id])
    assert await any_home.urls.claim(id, 100.0, 150.0, 100.0) is Claim.TAKEN

    any_home.jobs.release("web", id, 149.0)
    kept = left(any_home.jobs)
    any_home.jobs.release("web", id, 151.0)

    assert kept == (1, None)
    assert left(any_home.jobs) == (2, None)


async def test_a_parked_url_whose_fetcher_died_gives_back_what_it_holds(any_home):
    """Its budget may be the last: then the job would end with a page too few."""
    configure(any_home.jobs, max_pages=1)
    (id,) = know(any_home, 1)
    any_home.jobs.reserve("web", [id])
    await any_home.urls.claim(id, 100.0, 150.0, 100.0)
    parked = CrawlRequest(job="web", host="a.test", urls=[Candidate("http://a.test/1")])
    any_home.frontier.park(parked)

    under_way, dead = (any_home.free_waiting("web", now) for now in (149.0, 151.0))

    assert (under_way, dead) == (0, 1)
    assert left(any_home.jobs) == (1, None)


async def test_a_url_that_ended_gives_back_what_it_holds(any_home):
    configure(any_home.jobs, max_pages=2)
    (id,) = know(any_home, 1)
    any_home.jobs.reserve("web", [id])
    await any_home.urls.claim(id, 100.0, 150.0, 100.0)
    any_home.urls.move(id, Event.MISSED, UrlChange(reason="http-404"))

    any_home.jobs.release("web", id, 101.0)

    assert left(any_home.jobs) == (2, None)


def test_a_release_for_an_unknown_job_or_url_is_nothing(any_home):
    configure(any_home.jobs, max_pages=2)

    any_home.jobs.release("unknown", url(1), NOW)
    any_home.jobs.release("web", url("never"), NOW)

    assert any_home.jobs.get("unknown") is None
    assert left(any_home.jobs) == (2, None)


def test_raising_a_limit_keeps_what_was_spent(any_home):
    configure(any_home.jobs, max_pages=5)
    any_home.jobs.reserve("web", know(any_home, *range(5)))

    configure(any_home.jobs, now=200.0, max_pages=8)

    assert left(any_home.jobs) == (3, None)
    assert any_home.jobs.get("web").started_at == 100.0


def test_lowering_a_limit_below_what_was_spent_leaves_nothing_and_owes_nothing(any_home):
    configure(any_home.jobs, max_pages=5)
    ids = know(any_home, *range(6))
    any_home.jobs.reserve("web", ids[:5])

    configure(any_home.jobs, max_pages=2)

    assert left(any_home.jobs) == (0, None)
    assert any_home.jobs.reserve("web", [ids[5]]) == set()


async def test_limits_given_to_a_job_that_had_none_count_what_it_has_fetched(any_home):
    configure(any_home.jobs)
    ids = know(any_home, 1, 2, 3)
    ends = (State.FETCHED, ""), (State.DUPLICATE, "same-content"), (State.GONE, "http-404")
    for id, (state, reason) in zip(ids, ends, strict=True):
        await any_home.urls.claim(id, 100.0, 150.0, 100.0)
        bring(any_home.urls, id, state, UrlChange(reason=reason))

    configure(any_home.jobs, max_pages=5, max_documents=5)

    assert left(any_home.jobs) == (3, 4)


def test_a_new_round_has_the_whole_budget(any_home):
    configure(any_home.jobs, max_pages=2)
    ids = know(any_home, 1, 2)
    any_home.jobs.reserve("web", ids)
    any_home.jobs.spend_seconds("web", 5.0)

    any_home.jobs.begin_round("web", 700.0)

    assert (left(any_home.jobs), any_home.jobs.get("web").seconds) == ((2, None), 0.0)
    assert any_home.jobs.get("web").started_at == 700.0
    assert any_home.jobs.reserve("web", ids) == set(ids)
    assert left(any_home.jobs) == (0, None)


def test_jobs_do_not_share_budgets(any_home):
    configure(any_home.jobs, "one", max_pages=1)
    configure(any_home.jobs, "two", now=101.0, max_pages=1)
    ids = know(any_home, 1, 2)

    any_home.jobs.reserve("one", ids[:1])

    assert any_home.jobs.reserve("two", ids[1:]) == {ids[1]}
    assert any_home.jobs.names() == ["one", "two"]


def test_a_job_outlives_its_process(backend):
    configure(backend.home.jobs, max_pages=9, exclude=["x"], delay=2.5)
    before = backend.home.jobs.get("web").config
    backend.home.jobs.reserve("web", know(backend.home, *range(4)))
    backend.home.jobs.spend_seconds("web", 12.5)
    backend.home.jobs.set_state("web", "finished", "max-pages")

    record = backend.reopen().jobs.get("web")

    assert record.config == before
    assert record.pages_left == 5
    assert (record.state, record.reason, record.seconds) == ("finished", "max-pages", 12.5)


def test_a_state_changes_only_from_the_one_that_was_seen(jobs):
    jobs.configure("one", JobConfig(), 100.0)
    running = jobs.get("one")

    assert jobs.set_state("one", "paused", "max-usd", before=running)
    assert not jobs.set_state("one", "stopped", "stopped", before=running)
    assert jobs.set_state("one", "running", before=jobs.get("one"))
    assert (jobs.get("one").state, jobs.get("one").reason) == ("running", "")


def test_only_jobs_that_have_not_ended_are_unfinished(jobs):
    for name in ("one", "two", "three"):
        configure(jobs, name)
    jobs.set_state("one", "paused")
    jobs.set_state("two", "finished", "done")

    assert sorted(jobs.unfinished()) == ["one", "three"]


URLS = st.integers(0, 5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("reserve"), st.lists(URLS, min_size=1, max_size=4)),
        st.tuples(st.sampled_from(["release", "document"]), URLS),
    ),
    max_size=15,
)


LIMITS = st.integers(1, 4)


@given(pages=LIMITS, documents=LIMITS, steps=STEPS)
def test_counters_equal_the_units_held_and_never_exceed_a_limit(pages, documents, steps):
    _hold_any_to_it("sqlite-memory", pages, documents, steps)


@pytest.mark.parametrize("kind", CLOUD)
@often(10)  # each of them makes tables
@given(pages=LIMITS, documents=LIMITS, steps=STEPS)
def test_counters_equal_the_units_held_in_the_cloud_as_well(kind, pages, documents, steps):
    _hold_any_to_it(kind, pages, documents, steps)


def _hold_any_to_it(kind, pages, documents, steps):
    """Whatever is asked for or given back, in whatever order and how often."""
    backend = Backend(kind, Path("unused"))
    try:
        _hold_to_it(backend.home, pages, documents, steps)
    finally:
        backend.close()


def _hold_to_it(home, pages, documents, steps):
    configure(home.jobs, max_pages=pages, max_documents=documents)
    know(home, *range(6))
    held: Counter[bytes] = Counter()  # 3 = both, 1 = the page alone

    for action, value in steps:
        if action == "reserve":
            asked = [url(n) for n in value]
            granted = home.jobs.reserve("web", asked)
            assert {id for id in asked if held[id] == 3} <= granted
            held |= dict.fromkeys(granted, 3)
        else:
            home.jobs.release("web", url(value), NOW, pages=action == "release")
            held[url(value)] &= 0 if action == "release" else 1

        out_pages = sum(units & 1 for units in held.values())
        out_documents = sum(units >> 1 for units in held.values())
        assert out_pages <= pages
        assert out_documents <= documents
        assert left(home.jobs) == (pages - out_pages, documents - out_documents)
