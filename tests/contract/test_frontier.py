"""Do all frontiers keep the promises of `ports.frontier`?"""

from __future__ import annotations

import pytest

from gossamer.messages import Candidate, CrawlRequest
from gossamer.ports.frontier import PACK_LEASE, SLEEP
from tests.conftest import EMBEDDED


@pytest.fixture
def frontier(any_home):
    return any_home.frontier


def pack(*paths, host="a.test", depth=0, purpose="page", job="web"):
    urls = [Candidate(f"http://{host}{path}", depth) for path in paths or ("/",)]
    return CrawlRequest(job=job, host=host, urls=urls, purpose=purpose)


def take(frontier, now=100.0, host="a.test"):
    """What a caller takes and sends on."""
    taken = frontier.take(host, now)
    if taken is None:
        return None
    frontier.forget(host, taken.key)
    return taken.request


def test_a_parked_pack_is_taken_once_and_whole(frontier):
    frontier.park(pack("/a", "/b", purpose="sitemap"))

    assert frontier.take("a.test", 100.0).request == pack("/a", "/b", purpose="sitemap")
    assert frontier.take("a.test", 100.0) is None


def test_a_pack_that_was_taken_and_not_sent_on_comes_back(frontier):
    frontier.park(pack("/a"))
    first = frontier.take("a.test", 100.0)

    assert frontier.take("a.test", 99.9 + PACK_LEASE) is None
    assert frontier.take("a.test", 100.0 + PACK_LEASE) == first


def test_the_same_pack_parked_twice_is_one_pack(frontier):
    frontier.park(pack("/a", "/b"))
    frontier.park(pack("/a", "/b"))

    assert [take(frontier), take(frontier)] == [pack("/a", "/b"), None]


def test_a_pack_parked_again_after_it_was_taken_cannot_be_forgotten_with_the_old_key(frontier):
    frontier.park(pack("/a"))
    old = frontier.take("a.test", 100.0)
    frontier.park(pack("/a"))  # what was sent on came back before its sender could forget it

    frontier.forget("a.test", old.key)

    assert [take(frontier), take(frontier)] == [pack("/a"), None]


def test_a_pack_parked_again_need_not_wait_for_the_lease_of_the_old_one(frontier):
    frontier.park(pack("/a"))
    frontier.take("a.test", 100.0)

    frontier.park(pack("/a"))

    assert take(frontier, 100.0) == pack("/a")


def test_a_pack_that_was_sent_on_never_comes_back(frontier):
    frontier.park(pack("/a"))
    take(frontier)

    assert frontier.take("a.test", 1000.0 + PACK_LEASE) is None
    assert frontier.waiting(1000.0 + PACK_LEASE) == []


def test_forgetting_twice_changes_nothing_else(frontier):
    frontier.park(pack("/a"))
    frontier.park(pack("/b"))
    first = frontier.take("a.test", 100.0)

    frontier.forget("a.test", first.key)
    frontier.forget("a.test", first.key)

    second = take(frontier)
    assert {second.urls[0].url, first.request.urls[0].url} == {"http://a.test/a", "http://a.test/b"}
    assert take(frontier) is None


def test_what_is_parked_while_all_else_is_taken_is_found(frontier):
    frontier.park(pack("/a"))
    held = frontier.take("a.test", 100.0)
    frontier.park(pack("/b"))
    frontier.forget("a.test", held.key)

    assert frontier.waiting(100.0) == ["a.test"]
    assert take(frontier) == pack("/b")


def test_many_packs_that_are_all_taken_hide_none_that_is_not(frontier):
    for i in range(12):
        frontier.park(pack(f"/{i}"))

    taken = [frontier.take("a.test", 100.0) for _ in range(13)]

    assert {t.request.urls[0].url for t in taken[:12]} == {f"http://a.test/{i}" for i in range(12)}
    assert taken[12] is None


def test_a_host_without_packs_gives_none(frontier):
    frontier.park(pack(host="b.test"))

    assert frontier.take("a.test", 100.0) is None


def test_shallow_packs_come_first(frontier):
    for path, depth in (("/deep", 3), ("/one", 1), ("/two", 1), ("/seed", 0)):
        frontier.park(pack(path, depth=depth))

    taken = [take(frontier).urls[0].depth for _ in range(4)]

    assert taken == [0, 1, 1, 3]


@pytest.mark.only(*EMBEDDED)
def test_equally_deep_packs_come_in_order(frontier):
    for number in range(8):
        frontier.park(pack(f"/{number}"))

    taken = [take(frontier).urls[0].url for _ in range(8)]

    assert taken == [f"http://a.test/{number}" for number in range(8)]


def test_a_pack_waits_until_its_time(frontier):
    frontier.park(pack(), until=110.0)

    assert frontier.take("a.test", 109.9) is None
    assert frontier.waiting(109.9) == []
    assert frontier.waiting(110.0) == ["a.test"]
    assert take(frontier, 110.0) == pack()


def test_a_woken_host_does_not_wait_any_longer(frontier):
    frontier.park(pack(), until=1000.0)

    frontier.wake("a.test")

    assert take(frontier) == pack()


def test_waking_an_unknown_host_is_nothing(frontier):
    frontier.wake("a.test")

    assert frontier.waiting(100.0) == []


def test_only_hosts_with_packs_are_waiting_and_no_more_than_asked_for(frontier):
    for host in ("a.test", "b.test", "c.test"):
        frontier.park(pack(host=host))
    take(frontier, host="b.test")

    assert sorted(frontier.waiting(100.0)) == ["a.test", "c.test"]
    assert len(frontier.waiting(100.0, limit=1)) == 1


def test_the_next_moment_is_that_of_the_first_host(frontier):
    assert frontier.next_at() is None
    frontier.park(pack(host="a.test"), until=120.0)
    frontier.park(pack(host="b.test"), until=110.0)

    assert frontier.next_at() == 110.0


def test_packs_outlive_the_process_with_their_time(backend):
    backend.home.frontier.park(pack("/a"), until=110.0)
    backend.home.frontier.park(pack("/b"), until=110.0)

    frontier = backend.reopen().frontier

    assert frontier.take("a.test", 109.0) is None
    taken = [take(frontier, 110.0) for _ in range(3)]
    assert sorted(t.urls[0].url for t in taken[:2]) == ["http://a.test/a", "http://a.test/b"]
    assert taken[2] is None


@pytest.mark.only(*EMBEDDED)
def test_a_drained_frontier_is_empty(backend):
    backend.home.frontier.park(pack())

    assert len(backend.home.frontier.drain()) == 1

    assert backend.reopen().frontier.take("a.test", 1000.0) is None


def test_packs_of_several_hosts_are_taken_at_once(frontier):
    for host in ("a.test", "b.test", "late.test"):
        frontier.park(pack("/x", host=host), until=200.0 if host == "late.test" else 0.0)

    taken = frontier.take_many(["a.test", "b.test", "late.test", "none.test"], 100.0)

    assert sorted(p.request.host for p in taken) == ["a.test", "b.test"]
    assert frontier.take_many(["a.test", "b.test"], 100.0) == []
    frontier.forget_many([(p.request.host, p.key) for p in taken])
    assert [host for host, _ in frontier.all()] == ["late.test"]


def test_packs_of_a_job_that_sleeps_stay_and_others_of_the_host_go(frontier):
    frontier.park(pack("/first", depth=0, job="asleep"))
    frontier.park(pack("/second", depth=1))

    (taken,) = frontier.take_many(["a.test"], 100.0, frozenset(["asleep"]))

    assert taken.request == pack("/second", depth=1)
    frontier.forget("a.test", taken.key)
    assert frontier.take_many(["a.test"], 300.0, frozenset(["asleep"])) == []
    assert frontier.waiting(301.0) == []
    assert frontier.waiting(300.0 + SLEEP) == ["a.test"]
    (taken,) = frontier.take_many(["a.test"], 300.0 + SLEEP)
    assert taken.request.job == "asleep"


def test_packs_can_be_read_in_several_parts(frontier):
    for host in ("a.test", "b.test", "c.test"):
        frontier.park(pack("/x", host=host))

    mark, first, _ = next(iter(frontier.entries()))
    rest = [host for _, host, _ in frontier.entries(mark)]

    assert sorted([first, *rest]) == ["a.test", "b.test", "c.test"]
