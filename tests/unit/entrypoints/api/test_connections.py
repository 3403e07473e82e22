"""Does a client have its share of the connections, and does the one that waits longest give way?"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from gossamer.entrypoints.api.connections import (
    CONNECTIONS_PER_CLIENT,
    MAX_CONNECTIONS,
    Connections,
    client_address,
    client_network,
)


class Task:
    """Stands in for the task of a connection."""

    def __init__(self):
        self.is_cancelled = False

    def cancel(self):
        self.is_cancelled = True


def opened(room, address, count, waiting=None):
    """Connections of a client, which wait as long as a stack of contexts lasts."""
    tasks = [Task() for _ in range(count)]
    admitted = []
    for task in tasks:
        admitted.append(room.add(task, address))
        if waiting is not None:
            waiting.enter_context(room.waiting(task))
    return tasks, admitted


@pytest.fixture
def waiting():
    with ExitStack() as stack:
        yield stack


def test_the_oldest_silent_connection_of_a_client_gives_way_to_its_next(waiting):
    room = Connections()
    (other,), _ = opened(room, "192.0.2.9", 1, waiting)

    tasks, admitted = opened(room, "192.0.2.1", CONNECTIONS_PER_CLIENT + 3, waiting)

    assert all(admitted)
    assert [task.is_cancelled for task in tasks[:4]] == [True, True, True, False]
    assert not other.is_cancelled


def test_a_client_whose_connections_all_work_gets_no_more():
    room = Connections()

    tasks, admitted = opened(room, "192.0.2.1", CONNECTIONS_PER_CLIENT + 1)

    assert admitted == [True] * CONNECTIONS_PER_CLIENT + [False]
    assert not any(task.is_cancelled for task in tasks)
    assert room.add(Task(), "192.0.2.2")
    room.remove(tasks[0])
    room.remove(tasks[0])
    room.remove(tasks[-1])
    assert room.add(Task(), "192.0.2.1")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_a_proxy_on_this_machine_may_have_all_connections(address):
    room = Connections()

    _, admitted = opened(room, address, MAX_CONNECTIONS + 1)

    assert admitted == [True] * MAX_CONNECTIONS + [False]


def test_of_all_connections_the_oldest_silent_one_gives_way(waiting):
    room = Connections()
    silent, _ = opened(room, "127.0.0.1", 2, waiting)
    opened(room, "127.0.0.1", MAX_CONNECTIONS - 2)

    assert room.add(Task(), "192.0.2.1")

    assert [task.is_cancelled for task in silent] == [True, False]


@pytest.mark.parametrize(
    ("one", "other", "are_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "no address", False),
    ],
)
def test_a_client_is_an_address_or_the_network_of_one_customer(one, other, are_one):
    assert (client_network(one) == client_network(other)) is are_one


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("::1", "2001:db8::7", "2001:db8::7"),
        ("127.0.0.1", "198.51.100.1, 192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "no address", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.7, ", "127.0.0.1"),
        ("127.0.0.1", None, "127.0.0.1"),
        ("192.0.2.1", "192.0.2.7", "192.0.2.1"),
    ],
)
def test_only_a_proxy_on_this_machine_says_who_asks(peer, forwarded, client):
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}

    assert client_address(peer, headers) == client
