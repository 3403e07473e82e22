"""Do the counts of states reconcile, whatever is killed before it has added its moves?"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import Event
from gossamer.core.urls import url_id
from gossamer.entrypoints.statistics import statistics
from tests.aws_backend import MotoBackend

NOW = 1_000_000.0


@pytest.fixture
def backend():
    made = MotoBackend({})
    yield made
    made.close()


def find(home, names):
    found = [f"http://a.test/{name}" for name in names]
    home.urls.add([Discovery(url_id(u), u, "a.test", 1, job="web") for u in found], b"", NOW)


def skip(home, name):
    home.urls.move(url_id(f"http://a.test/{name}"), Event.SKIPPED, UrlChange(reason="stopped"))


def truth(home):
    return Counter(record.state.value for record in home.urls.all())


def check(home, *, quiet=True, goes_on=lambda: True, now=NOW):
    return home.recount_part(now, lambda: quiet, goes_on)


def is_reconciled(home):
    shown = statistics(home)
    return shown.urls == sum(shown.by_state.values()) and all(
        n > 0 for n in [*shown.by_state.values(), *shown.by_reason.values()]
    )


def test_a_killed_process_leaves_no_negative_count_and_the_check_mends_it(backend):
    killed, home = backend.open(), backend.open()
    find(killed, range(40))  # and it is killed: its sums are lost
    for number in range(30):
        skip(home, number)
    home.add_states()

    assert home.counters.state_sums()["s:discovered"] == -30
    assert is_reconciled(home)

    assert check(home)
    assert home.states() == (Counter(excluded=30, discovered=10), Counter(stopped=30))
    assert not check(home)  # nothing moved since


def test_a_check_goes_on_where_another_process_stopped(backend, monkeypatch):
    home = backend.open()
    find(home, range(10))
    pages = home.counting._urls.page_after
    monkeypatch.setattr(
        "gossamer.adapters.aws.dynamodb.table.Table.call",
        _limited(type(home.counting._urls).call, 3),
    )
    assert pages(b"", ())[1]
    home.distrust_counts()

    calls = 0
    while check(backend.open(), goes_on=lambda: False):
        calls += 1

    assert calls == 4
    assert home.states()[0] == Counter(discovered=10)


def _limited(call, limit):
    def limited(table, operation, **parameters):
        more = {"Limit": limit} if operation == "Scan" else {}
        return call(table, operation, **parameters, **more)

    return limited


def test_a_check_while_urls_move_leaves_right_sums_alone(backend):
    home = backend.open()
    find(home, range(20))
    home.add_states()
    skip(home, 1)  # by a process at work, which has not added it yet

    assert check(home, quiet=False, now=NOW)
    home.add_states()

    assert home.states()[0] == truth(home)


def test_a_check_while_urls_move_mends_what_must_be_wrong(backend, monkeypatch):
    monkeypatch.setattr("gossamer.core.crawl.recount.IN_FLIGHT", 5)
    killed, home = backend.open(), backend.open()
    find(killed, range(20))

    find(home, [100])
    home.add_states()
    assert check(home, quiet=False)

    assert home.states()[0] == Counter(discovered=21)


@pytest.mark.parametrize("seed", range(12))
def test_counts_reconcile_after_kills_at_any_moment_and_are_exact_when_all_is_quiet(backend, seed):
    chance = random.Random(seed)
    home, known = backend.open(), 0
    processes = [backend.open() for _ in range(3)]
    for _ in range(40):
        number = chance.randrange(3)
        process, act = processes[number], chance.randrange(6)
        if act < 2:
            find(process, range(known, known := known + chance.randint(1, 5)))
        elif act == 2 and known:
            skip(process, chance.randrange(known))
        elif act == 3:
            process.add_states()
        elif act == 4:  # killed: what it did is done, what it counted is gone
            processes[number] = backend.open()
        else:
            check(home, quiet=False, goes_on=lambda: False, now=NOW + chance.random() * 1e6)
        assert is_reconciled(home)
    for process in processes:
        process.add_states()
    home.distrust_counts()
    while check(home, now=NOW + 2e6):
        pass

    assert home.states()[0] == truth(home)
    assert statistics(home).urls == known
