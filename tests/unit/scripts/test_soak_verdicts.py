"""Do the bounds of a soak see a leak, and only a leak?"""

from __future__ import annotations

import pytest

from scripts.bench.machine.usage import Usage
from scripts.soak.asking import Answered
from scripts.soak.ending import Ending
from scripts.soak.plan import Phase, Plan
from scripts.soak.record import Record
from scripts.soak.sampling import Process, Sample
from scripts.soak.serving import Outage
from scripts.soak.verdicts import (
    CRAWL_MEMORY,
    NEED_TIME,
    SERVER_HANDLES,
    SERVER_MEMORY,
    SLOWDOWN,
    halves,
    unexcused,
    verdicts,
)

AGE = 50.0  # seconds that each crawl of these records lives


def process(task="serve", pid=1, age=500.0, rss=100.0, handles=10):
    return Process(task, pid, age, Usage(rss, handles, 4))


def sample(at, server=None, crawl=None, **facts):
    return Sample(
        at=at,
        server=server,
        crawl=crawl,
        depth=facts.get("depth", 0),
        oldest=facts.get("oldest", 0.0),
        requests=0,
        pages=0,
        database_mb=1.0,
        log_mb=facts.get("log", 1.0),
        warc_mb=1.0,
    )


def record(seconds=600.0, leak=0.0, crawl_leak=0.0, more_handles=0.0, slow=1.0, **facts):
    """Of a soak in which memory grows by so many MB a second."""
    plan = Plan(seconds, seed=1)
    samples = []
    for at in range(int(seconds)):
        server = process(rss=100 + leak * at, handles=int(10 + more_handles * at))
        number, age = divmod(at, AGE)
        rss = 90 + age / 10 + crawl_leak * at
        crawl = process("crawl", pid=int(number), age=age, rss=rss)
        samples.append(sample(float(at), server, crawl, **facts))
    answers = []
    for phase in plan.phases:
        factor = slow if phase.name == "soak" else 1.0
        answers += [
            Answered(phase.begin + n / 20, factor * (1 + n % 10), 200, True)
            for n in range(int(15 * (phase.end - phase.begin)))
        ]
    return Record(plan, 0.0, phases=plan.phases, samples=samples, answers=answers)


@pytest.fixture
def ending():
    done = {"state": "finished", "unexplained": 0, "dead_letters": 0}
    return Ending(done, [done, done], 0, 0, 0, 5, 5, [], [])


def broken(record, ending):
    return {verdict.name for verdict in verdicts(record, ending) if verdict.met is False}


def test_a_steady_soak_meets_every_bound(ending):
    assert {verdict.met for verdict in verdicts(record(), ending)} == {True}


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"leak": 0.05}, SERVER_MEMORY),
        ({"crawl_leak": 0.05}, CRAWL_MEMORY),
        ({"more_handles": 0.02}, SERVER_HANDLES),
        ({"slow": 3.5}, SLOWDOWN),
        ({"oldest": 11.0}, "age of a message that is due"),
        ({"log": 97.0}, "write-ahead log"),
    ],
)
def test_what_grows_or_slows_down_too_much_is_seen(ending, facts, name):
    assert broken(record(**facts), ending) == {name}


def test_a_little_growth_is_allowed(ending):
    assert broken(record(leak=0.008, crawl_leak=0.005, slow=2.5), ending) == set()


def test_in_a_short_soak_what_needs_time_is_not_judged(ending):
    found = verdicts(record(seconds=120.0, leak=1.0, slow=9.0), ending)

    assert {verdict.name for verdict in found if verdict.met is None} == NEED_TIME
    assert {verdict.row()["met?"] for verdict in found if verdict.name in NEED_TIME} == {
        "not judged"
    }


def test_crawls_are_compared_at_equal_age():
    lives = [(1, 5), (1, 20), (2, 10), (3, 21), (4, 30), (4, 31)]
    samples = [
        sample(float(at), crawl=process("crawl", pid, age)) for at, (pid, age) in enumerate(lives)
    ]

    early, late = halves(samples, age=20)

    assert [(crawl.pid, crawl.age) for crawl in (*early, *late)] == [(1, 20), (4, 30)]


def test_a_missing_answer_is_excused_only_while_the_server_is_down():
    outage = Outage("kill the server", 10.0, 12.0)
    before, into, during, after = (
        Answered(at, ms, 0, True) for at, ms in ((9, 500), (9.9, 200), (11, 1), (12.5, 1))
    )

    assert unexcused([before, into, during, after], [outage]) == [before, after]
    assert unexcused([Answered(5, 1, 500, True)], [outage]) == []


def test_an_index_that_differs_from_the_store_is_no_good_end(ending):
    done = ending.resumed
    bad = Ending(done, [done, done | {"unexplained": 1}], 1, 3, 2, 5, 6, ["http://a.test/"], ["x"])

    found = broken(record(), bad)

    assert len(found) == 4


def test_phases_are_told_apart():
    crawled = record()

    idle = crawled.searches("idle")

    assert idle
    (phase,) = [phase for phase in crawled.phases if phase.name == "idle"]
    assert isinstance(phase, Phase)
    assert all(phase.begin <= answer.at <= phase.end for answer in idle)
