"""Do all homes keep the promises of `ports.home` and of the ledgers in it?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gossamer.batch.index import index_pending, unindexed, vanished
from gossamer.core.collection import CollectionSettings
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.politeness import Pace
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.messages import Candidate, CrawlRequest, Emission
from gossamer.ports.home import CRAWL
from tests.conftest import EMBEDDED
from tests.indexing import live_ids, writer_of
from tests.life import bring

if TYPE_CHECKING:
    from gossamer.core.ids import DocumentId
    from gossamer.ports.home import Home
    from tests.conftest import Backend

JOB, HOST = "web", "a.test"
A, B = "http://a.test/a", "http://a.test/b"
NOW = 100.0


@pytest.fixture
def home(any_home: Home) -> Home:
    any_home.jobs.configure(JOB, JobConfig(seeds=[A], max_pages=10), NOW)
    return any_home


def know(home: Home, *urls: str, reason: str = "") -> None:
    found = [Discovery(url_id(url), url, HOST, 0, job=JOB, reason=reason) for url in urls]
    home.urls.add(found, b"", NOW)


def park(home: Home, *urls: str, until: float = 0.0) -> None:
    pack = CrawlRequest(job=JOB, host=HOST, urls=[Candidate(url) for url in urls])
    home.frontier.park(pack, until)


def test_a_home_names_its_collection_and_constants(home: Home):
    assert isinstance(home.collection, str)
    assert home.window > 0
    assert home.grace is not None
    assert home.parser is not None
    assert home.settings.get() == CollectionSettings()


def test_what_was_committed_is_found_by_another_process(backend: Backend):
    know(backend.home, A)
    backend.home.commit()

    assert backend.reopen().urls.get(url_id(A)) is not None


async def test_committed_waits_until_all_is_durable(home: Home):
    know(home, A)

    await asyncio.wait_for(home.committed(), 5)


async def test_a_checkpoint_can_be_made_at_any_time(home: Home):
    know(home, A)

    await home.checkpoint()

    assert home.needs_checkpoint() is False
    assert home.urls.get(url_id(A)) is not None


def test_a_home_that_nothing_holds_has_no_holder(home: Home):
    assert home.holder() == ""
    home.lock(CRAWL)


@pytest.mark.only("sqlite-disk")
def test_one_process_at_a_time_holds_the_lock_and_others_learn_what_it_does(
    backend: Backend, tmp_path
):
    from gossamer.adapters.local.home import LocalHome
    from gossamer.homes import decode_body

    backend.home.lock(CRAWL)
    other = LocalHome(backend.folder / "web.db", tmp_path, decode_body)

    assert other.holder() == CRAWL
    with pytest.raises(ConfigurationError, match="crawl"):
        other.lock("index")
    other.close()


@pytest.mark.only("sqlite-disk")  # elsewhere many processes work at once
def test_a_crawl_is_at_work_only_while_its_process_holds_the_lock(backend: Backend):
    home = backend.home
    before = home.is_crawling()

    home.lock(CRAWL)

    assert (before, home.is_crawling()) == (False, True)


@pytest.mark.only("sqlite-disk")  # elsewhere a job's state is the command
def test_a_command_is_taken_once(home: Home):
    home.leave_command(JOB, "pause")

    assert [home.take_command(JOB), home.take_command(JOB)] == ["pause", ""]


def test_without_a_command_there_is_none(home: Home):
    assert home.take_command(JOB) == ""


def test_units_of_parked_urls_are_taken_back(home: Home):
    know(home, A, B)
    home.jobs.reserve(JOB, [url_id(A), url_id(B)])
    park(home, A)

    assert home.free_waiting(JOB, NOW) == 1
    assert home.jobs.get(JOB).pages_left == 9  # type: ignore[union-attr]


def test_units_are_taken_back_and_urls_excluded_in_parts(home: Home):
    know(home, A)
    home.jobs.reserve(JOB, [url_id(A)])
    park(home, A)

    freed = home.free_part(JOB, NOW, b"", lambda: True)
    closed = home.close_part({JOB: "stopped"}, b"", lambda: True)

    assert (freed.count, freed.mark, closed.count, closed.mark) == (1, b"", 1, b"")
    assert not home.frontier.has_packs()


def test_a_check_leaves_counts_exact(home: Home):
    know(home, A, B)
    home.distrust_counts()

    while home.recount_part(NOW, lambda: True, lambda: True):
        pass

    assert home.states()[0] == {"discovered": 2}


def test_what_is_parked_for_a_job_that_ended_is_excluded(home: Home):
    know(home, A)
    park(home, A)

    assert home.close_waiting(JOB, "stopped") == 1

    record = home.urls.get(url_id(A))
    assert record is not None
    assert (record.state, record.reason) == (State.EXCLUDED, "stopped")
    assert not home.frontier.has_packs()


def test_states_and_reasons_are_counted(backend: Backend):
    home = backend.home
    know(home, A)
    know(home, B, reason="depth")

    states, reasons = backend.reopen().states()

    assert {name: n for name, n in states.items() if n} == {"discovered": 1, "excluded": 1}
    assert {name: n for name, n in reasons.items() if n} == {"depth": 1}


def test_a_recount_counts_the_same(home: Home):
    know(home, A)
    know(home, B, reason="depth")

    home.recount()

    assert home.states()[0]["discovered"] == home.states()[0]["excluded"] == 1


def test_a_home_in_which_nothing_was_done_has_no_sums(home: Home):
    sums = home.sums()

    assert (sums["requests"], sums["pages"], sums["bytes"]) == (0, 0, 0)


def test_documents_are_unindexed_until_they_are_live_and_leave_when_they_are_gone(home: Home):
    know(home, A)
    home.documents.put(url_id(A), [Document(url=A, text="silk")], NOW)
    id = document_id(url_id(A))
    writer = writer_of(home.index)
    assert unindexed(home, writer) == [id]

    assert index_pending(home, writer) == 1
    assert (unindexed(home, writer), vanished(home, writer)) == ([], {})

    bring(home.urls, url_id(A), State.REDIRECTED)
    assert (unindexed(home, writer), vanished(home, writer)) == ([], {url_id(A): NOW})
    assert index_pending(home, writer) == 0
    assert (live_ids(home.index), vanished(home, writer)) == ([], {})


def test_the_index_follows_the_documents_of_a_page_as_they_come_and_go(home: Home):
    know(home, A)
    writer = writer_of(home.index)
    versions = [("a", "b", "c"), ("d", "b"), (), ("b",), ("b", "a", "c", "d")]
    known: dict[str, DocumentId] = {}

    for at, keys in enumerate(versions):
        items = [Document(url=A, key=key, text=f"silk {key}") for key in keys]
        home.documents.put(url_id(A), items, NOW + at)
        assert index_pending(home, writer) == len(keys)

        (page,) = home.documents.pages([url_id(A)])
        assert live_ids(home.index) == [version.id for version in page.versions()]
        for version in page.versions():
            assert known.setdefault(version.document.key, version.id) == version.id
        assert (unindexed(home, writer), vanished(home, writer)) == ([], {})


def test_the_ledger_of_urls_reads_all_of_them(home: Home):
    know(home, A)
    know(home, B, reason="depth")

    assert {record.url for record in home.urls.all()} == {A, B}
    assert home.urls.addresses([url_id(A), url_id("http://no.test/")]) == {url_id(A): A}
    assert home.urls.hosts() == {HOST: 2}
    assert home.urls.without_reason() == 0


def test_a_host_that_is_only_linked_to_is_no_host_that_was_asked(home: Home):
    home.hosts.lease_robots(HOST, NOW, NOW + 1)
    home.reputation.set_worth({"linked.test": 4})
    home.reputation.mark_named(["named.test"])
    home.commit()

    assert [record.host for record in home.hosts.all()] == [HOST]
    assert home.hosts.count() == 1


def test_the_ledger_of_hosts_reads_all_of_them(home: Home):
    home.hosts.book(HOST, 3, NOW, Pace(delay=1.0, grace=0.5), 60.0)

    assert [record.host for record in home.hosts.all()] == [HOST]
    assert set(home.hosts.waits(NOW)) == {HOST}
    assert home.hosts.waits(NOW + 1000) == {}


def test_the_ledger_of_the_frontier_reads_all_packs_and_leaves_them(home: Home):
    assert (home.frontier.has_packs(), home.frontier.count()) == (False, 0)
    park(home, A, B, until=NOW + 5)

    ((host, pack),) = home.frontier.all()

    assert (host, len(pack.request.urls)) == (HOST, 2)
    assert home.frontier.has_packs()
    assert home.frontier.count() == 2
    assert home.frontier.next_at() == NOW + 5


def test_a_lease_is_held_by_one_until_it_ends_or_is_given_back(home: Home):
    jobs = home.jobs
    first = jobs.lease("rank", "one", NOW + 10, NOW)
    assert first is not None
    assert jobs.lease("rank", "two", NOW + 10, NOW + 1) is None

    jobs.end_lease("rank", first)
    second = jobs.lease("rank", "two", NOW + 20, NOW + 1)
    assert second is not None
    jobs.end_lease("rank", first)  # lost: a later epoch has it
    assert jobs.lease("rank", "one", NOW + 30, NOW + 2) is None
    assert jobs.lease("rank", "one", NOW + 40, NOW + 21) is not None


def test_depth_counts_what_waits_and_what_is_held(home: Home):
    queues = home.queues
    request = CrawlRequest(job=JOB, host=HOST, urls=[Candidate(A)])
    queues.send([Emission("frontier", request), Emission("frontier", request, 5.0)], NOW)

    assert queues.due_at("frontier") <= NOW
    (delivery,) = queues.peek("frontier", 10, NOW)
    assert queues.depth()["frontier"] == 2

    queues.acknowledge([delivery])
    assert queues.depth()["frontier"] == 1


def test_pages_can_be_gathered_and_read_as_files(home: Home, tmp_path):
    with home.pages.task():
        pass

    assert list(home.pages.download(tmp_path)) == []


def test_what_waits_for_longer_than_it_can_be_let_go_on(home: Home):
    park(home, A, until=NOW + 3600)
    other = CrawlRequest(job=JOB, host="b.test", urls=[Candidate("http://b.test/")])
    home.frontier.park(other, until=NOW + 60)

    home.wake_later_than(NOW + 600, NOW)

    assert home.frontier.waiting(NOW) == [HOST]


def test_messages_that_come_too_late_come_now_unless_somebody_has_them(backend: Backend):
    if backend.kind not in EMBEDDED:
        pytest.skip("SQS counts delays by itself")
    home = backend.home
    links = [
        Emission("links", CrawlRequest(job=JOB, host=HOST, urls=[Candidate(url)]), delay=delay)
        for url, delay in ((A, 0.0), (B, 3600.0))
    ]
    home.queues.send(links, NOW + 3600)
    (held,) = home.queues.receive("links", 1, NOW + 3600)

    home.wake_later_than(NOW + 600, NOW)

    (due,) = home.queues.receive("links", 9, NOW)
    assert due.receipt != held.receipt
