"""Do all frontiers keep the promises of `ports.frontier`?"""

from __future__ import annotations

import pytest

from gossamer.messages import Candidate, CrawlRequest


@pytest.fixture
def frontier(any_home):
    return any_home.frontier


def pack(*paths, host="a.test", depth=0, purpose="page"):
    urls = [Candidate(f"http://{host}{path}", depth) for path in paths or ("/",)]
    return CrawlRequest(job="web", host=host, urls=urls, purpose=purpose)


def test_a_parked_pack_is_taken_once_and_whole(frontier):
    frontier.park(pack("/a", "/b", purpose="sitemap"))

    assert frontier.take("a.test", 100.0) == pack("/a", "/b", purpose="sitemap")
    assert frontier.take("a.test", 100.0) is None


def test_a_host_without_packs_gives_none(frontier):
    frontier.park(pack(host="b.test"))

    assert frontier.take("a.test", 100.0) is None


def test_shallow_packs_come_first_and_equal_ones_in_order(frontier):
    for path, depth in (("/deep", 3), ("/one", 1), ("/two", 1), ("/seed", 0)):
        frontier.park(pack(path, depth=depth))

    taken = [frontier.take("a.test", 100.0).urls[0].url for _ in range(4)]

    assert taken == [f"http://a.test/{name}" for name in ("seed", "one", "two", "deep")]


def test_a_pack_waits_until_its_time(frontier):
    frontier.park(pack(), until=110.0)

    assert frontier.take("a.test", 109.9) is None
    assert frontier.waiting(109.9) == []
    assert frontier.waiting(110.0) == ["a.test"]
    assert frontier.take("a.test", 110.0) == pack()


def test_a_woken_host_does_not_wait_any_longer(frontier):
    frontier.park(pack(), until=1000.0)

    frontier.wake("a.test")

    assert frontier.take("a.test", 100.0) == pack()


def test_waking_an_unknown_host_is_nothing(frontier):
    frontier.wake("a.test")

    assert frontier.waiting(100.0) == []


def test_only_hosts_with_packs_are_waiting_and_no_more_than_asked_for(frontier):
    for host in ("a.test", "b.test", "c.test"):
        frontier.park(pack(host=host))
    frontier.take("b.test", 100.0)

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
    assert [frontier.take("a.test", 110.0) for _ in range(3)] == [pack("/a"), pack("/b"), None]


def test_a_cleared_frontier_is_empty(backend):
    backend.home.frontier.park(pack())

    backend.home.frontier.clear()

    assert backend.reopen().frontier.take("a.test", 1000.0) is None
