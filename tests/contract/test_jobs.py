"""Do all job stores keep the promises of `ports.jobs`?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.local.home import open_home
from gossamer.core.job import JobConfig
from gossamer.runtime import decode_body


@pytest.fixture
def jobs(any_home):
    return any_home.jobs


def configure(jobs, job="web", now=100.0, **config):
    jobs.configure(job, JobConfig(**{"seeds": ["http://a.test/"], **config}), now)


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


def test_without_limits_everything_is_granted(jobs):
    configure(jobs)

    assert jobs.reserve("web", 1_000_000) == 1_000_000
    assert left(jobs) == (None, None)


def test_no_more_is_granted_than_is_left(jobs):
    configure(jobs, max_pages=5)

    granted = [jobs.reserve("web", 3) for _ in range(4)]

    assert granted == [3, 2, 0, 0]


def test_the_smaller_of_two_budgets_decides(jobs):
    configure(jobs, max_pages=5, max_documents=2)

    assert jobs.reserve("web", 5) == 2
    assert left(jobs) == (3, 0)


def test_a_page_that_is_no_document_gives_back_only_the_document(jobs):
    configure(jobs, max_pages=5, max_documents=2)
    jobs.reserve("web", 2)

    jobs.refund("web", 0, 1)

    assert jobs.reserve("web", 5) == 1
    assert left(jobs) == (2, 0)


def test_a_refund_to_an_unknown_job_is_nothing(jobs):
    jobs.refund("nobody", 1, 1)

    assert jobs.get("nobody") is None


def test_raising_a_limit_keeps_what_was_spent(jobs):
    configure(jobs, max_pages=5)
    jobs.reserve("web", 5)

    configure(jobs, now=200.0, max_pages=8)

    assert left(jobs) == (3, None)
    assert jobs.get("web").started_at == 100.0


def test_lowering_a_limit_below_what_was_spent_leaves_nothing_and_owes_nothing(jobs):
    configure(jobs, max_pages=5)
    jobs.reserve("web", 5)

    configure(jobs, max_pages=2)

    assert left(jobs) == (0, None)
    assert jobs.reserve("web", 1) == 0


def test_jobs_do_not_share_budgets(jobs):
    configure(jobs, "one", max_pages=1)
    configure(jobs, "two", now=101.0, max_pages=1)

    jobs.reserve("one", 1)

    assert jobs.reserve("two", 1) == 1
    assert jobs.names() == ["one", "two"]


def test_a_job_outlives_its_process(backend):
    configure(backend.home.jobs, max_pages=9, exclude=["x"], delay=2.5)
    before = backend.home.jobs.get("web").config
    backend.home.jobs.reserve("web", 4)
    backend.home.jobs.spend_seconds("web", 12.5)
    backend.home.jobs.set_state("web", "finished", "max-pages")

    record = backend.reopen().jobs.get("web")

    assert record.config == before
    assert record.pages_left == 5
    assert (record.state, record.reason, record.seconds) == ("finished", "max-pages", 12.5)


def test_a_wish_is_read_once(backend):
    configure(backend.home.jobs)
    backend.home.store.commit()

    backend.home.jobs.wish("web", "stop")

    jobs = backend.reopen().jobs
    assert (jobs.read_wish("web"), jobs.read_wish("web")) == ("stop", "")


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.lists(st.tuples(st.sampled_from(["reserve", "page", "document"]), st.integers(1, 4))),
)
def test_what_is_out_never_exceeds_a_limit_whoever_takes_and_gives_back(pages, documents, steps):
    home = open_home(None, Path("unused"), decode_body)
    configure(home.jobs, max_pages=pages, max_documents=documents)
    out_pages = out_documents = 0

    for action, count in steps:
        if action == "reserve":
            granted = home.jobs.reserve("web", count)
            out_pages, out_documents = out_pages + granted, out_documents + granted
        elif action == "page" and min(out_pages, out_documents) >= count:
            home.jobs.refund("web", count, count)
            out_pages, out_documents = out_pages - count, out_documents - count
        elif action == "document" and out_documents >= count:
            home.jobs.refund("web", 0, count)
            out_documents -= count

        assert out_pages <= pages
        assert out_documents <= documents
        assert left(home.jobs) == (pages - out_pages, documents - out_documents)
    home.close()
