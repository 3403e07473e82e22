"""Are budgets exact though they are handed out in blocks, by processes that may be killed?"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from gossamer.adapters.aws.jobs import DynamoJobStore
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import url_id
from tests.aws_backend import MotoBackend

NOW = 100.0


@pytest.fixture
def backend():
    made = MotoBackend({})
    yield made
    made.close()


def find(home, count):
    urls = [f"http://a.test/{n}" for n in range(count)]
    home.urls.add([Discovery(url_id(u), u, "a.test", 1, job="web") for u in urls], b"", NOW)
    return [url_id(u) for u in urls]


def held(home, ids):
    units = [item.units or 0 for item in home.jobs._urls.scan()]
    return sum(u & 1 for u in units), sum(u >> 1 for u in units)


def pages_left(jobs):
    record = jobs.get("web")
    assert record is not None
    return record.pages_left


def test_many_reservations_touch_the_job_once(backend):
    home = backend.open()
    home.jobs.configure("web", JobConfig(max_pages=100_000), NOW)
    ids = find(home, 40)
    changed = []

    def note(params, **_):
        changed.append([c["Update"]["Key"]["k"] for c in params["TransactItems"]])

    # Clients are shared by all tests: what listens to one must stop.
    events, name = home.clients.client("dynamodb").meta.events, "provide-client-params.dynamodb"
    events.register(f"{name}.TransactWriteItems", note)
    try:
        for id in ids:
            assert home.jobs.reserve("web", [id]) == {id}
    finally:
        events.unregister(f"{name}.TransactWriteItems", note)

    touched = Counter(key.get("S") for keys in changed for key in keys)
    assert touched["web#web"] == 1
    assert home.jobs.get("web").used == (40, 40)
    assert home.jobs.get("web").pages_left == 100_000 - 40


def test_a_job_with_a_limit_is_read_once_in_a_while_whatever_it_is_asked(backend):
    home = backend.open()
    jobs = DynamoJobStore(home.clients, home.stack, home.collection, memory=3600.0)
    jobs.configure("web", JobConfig(max_pages=100_000), NOW)
    jobs.reserve("web", find(home, 1))  # from now on, units lie in blocks
    first = jobs.get("web")
    home.meter.reset()

    assert [jobs.get("web") for _ in range(50)] == [first] * 50
    assert home.meter.totals().get("rru", 0.0) == 0.0


def test_a_reservation_reads_the_job_and_its_block_once(backend):
    home = backend.open()
    home.jobs.configure("web", JobConfig(max_pages=100_000), NOW)
    ids = find(home, 40)
    home.jobs.reserve("web", ids[:1])
    home.meter.reset()

    home.jobs.reserve("web", ids)

    read = {on: n for (kind, on, _), n in home.meter.units.items() if kind == "rru"}
    assert read["jobs"] == 2.0


def test_who_gets_no_unit_sees_at_once_what_is_left(backend):
    home, other = backend.open(), backend.open()
    jobs = DynamoJobStore(home.clients, home.stack, home.collection, memory=3600.0)
    jobs.configure("web", JobConfig(max_pages=10), NOW)
    ids = find(home, 20)
    assert pages_left(jobs) == 10
    other.jobs.reserve("web", ids[:10])

    assert jobs.reserve("web", ids[10:]) == set()
    assert pages_left(jobs) == 0


def test_what_a_killed_process_had_taken_ahead_is_used_by_others(backend):
    killed, home = backend.open(), backend.open()
    home.jobs.configure("web", JobConfig(max_pages=70), NOW)
    killed.jobs._budgets._number, home.jobs._budgets._number = 1, 2
    ids = find(home, 80)
    killed.jobs.reserve("web", ids[:1])  # and two lie in its block

    assert len(home.jobs.reserve("web", ids)) == 70
    assert home.jobs.get("web").pages_left == 0
    assert held(home, ids) == (70, 70)


def test_a_page_in_one_block_and_a_document_in_another_come_together(backend):
    home, other = backend.open(), backend.open()
    home.jobs.configure("web", JobConfig(max_pages=64, max_documents=64), NOW)
    home.jobs._budgets._number, other.jobs._budgets._number = 1, 2
    ids = find(home, 70)
    other.jobs.reserve("web", ids[:1])
    home.jobs.reserve("web", ids[1:63])
    other.jobs.release("web", ids[0], NOW, pages=False)
    home.jobs.reserve("web", [ids[0]])

    assert len(home.jobs.reserve("web", ids)) == 64
    assert home.jobs.get("web").used == (64, 64)


def test_a_smaller_limit_counts_at_once(backend):
    home = backend.open()
    home.jobs.configure("web", JobConfig(max_pages=10_000), NOW)
    ids = find(home, 60)
    home.jobs.reserve("web", ids[:10])

    home.jobs.configure("web", JobConfig(max_pages=15), NOW)

    assert home.jobs.get("web").pages_left == 5
    assert len(home.jobs.reserve("web", ids)) == 15


@pytest.mark.parametrize("seed", range(10))
def test_a_limit_is_never_passed_and_reached_exactly(backend, seed, monkeypatch):
    chance = random.Random(seed)
    monkeypatch.setattr("gossamer.adapters.aws.counting.budgets.SHARE", 4)
    most_pages, most_documents = chance.randint(5, 60), chance.choice([None, 30])
    home = backend.open()
    config = JobConfig(max_pages=most_pages, max_documents=most_documents)
    home.jobs.configure("web", config, NOW)
    processes = [backend.open() for _ in range(4)]
    ids = find(home, 80)
    for _ in range(25):
        number = chance.randrange(4)
        if chance.random() < 0.2:
            processes[number] = backend.open()  # the old one was killed
        jobs, some = processes[number].jobs, chance.sample(ids, chance.randint(1, 8))
        if chance.random() < 0.3:
            jobs.release("web", some[0], NOW, pages=chance.random() < 0.5)
        else:
            jobs.reserve("web", some)
        pages, documents = held(home, ids)
        assert pages <= most_pages
        assert documents <= (most_documents or 80)
        assert home.jobs.get("web").used == (pages, documents)
    for start in range(0, 80, 7):
        chance.choice(processes).jobs.reserve("web", ids[start : start + 7])

    pages, documents = held(home, ids)
    assert pages == most_pages or documents == most_documents
    assert 0 in (home.jobs.get("web").pages_left, home.jobs.get("web").documents_left)
