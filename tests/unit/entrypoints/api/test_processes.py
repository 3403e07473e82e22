"""Do several processes share the requests, and do requests survive the death of one?"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager

import msgspec
import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.api import child
from gossamer.entrypoints.api import processes as module
from gossamer.entrypoints.api.at_once import AtOnce
from gossamer.entrypoints.api.gateway_event import Head
from gossamer.entrypoints.api.processes import Processes
from gossamer.entrypoints.api.reply import Asked
from gossamer.entrypoints.line import framed
from gossamer.settings import Settings
from tests.commands import judged_folder, said

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is


def asked(target, method="GET", body=b""):
    return Asked(Head(method, target, "HTTP/1.1", {}), body)


def message(method):
    """A message of a language model, of which the first process to take it may be held up."""
    return b'{"jsonrpc": "2.0", "id": 1, "method": "%b"}' % method


@pytest.fixture
def obedient(monkeypatch):
    """Processes that do as they are told, instead of searching."""
    monkeypatch.setattr(module, "CHILD", "tests.serving_child")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


@asynccontextmanager
async def opened(count=2, settings=None):
    found = Processes(settings or Settings(), count)
    try:
        async with asyncio.timeout(SECONDS):
            await found.open()
            yield found
    finally:
        await found.close()


async def pids(processes, count=2):
    """The numbers of all processes: each is asked one of as many requests."""
    replies = await asyncio.gather(*(processes.reply(asked(f"/{n}")) for n in range(count)))
    return {int(reply.body) for reply in replies}


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_requests_at_once_go_to_different_processes(obedient):
    async with opened(3) as processes:
        assert len(await pids(processes, 3)) == 3


async def test_more_requests_than_processes_wait_for_their_turn(obedient):
    async with opened(2) as processes:
        replies = await asyncio.gather(*(processes.reply(asked(f"/{n}")) for n in range(50)))

    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == 2


async def test_the_same_request_goes_to_the_same_process_while_it_is_free(obedient):
    async with opened(3) as processes:
        replies = [await processes.reply(asked("/search?q=silk")) for _ in range(5)]

    assert len({reply.body for reply in replies}) == 1


async def test_slow_queries_leave_a_process_to_others(obedient, tmp_path):
    go = tmp_path / "go"
    slow = f"/search?q=a*+b*+c*&file={go}"
    async with opened(2) as processes:
        waiting = [asyncio.ensure_future(processes.reply(asked(slow))) for _ in range(3)]

        quick = await processes.reply(asked("/search?q=silk"))

        assert quick.status == 200
        assert not any(future.done() for future in waiting)
        go.touch()
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {200}


async def test_what_turns_out_to_be_slow_leaves_a_process_to_others_too(obedient, tmp_path):
    go = tmp_path / "go"
    slow = [f"/search?q=surprise{number}&file={go}" for number in range(8)]
    async with opened(2) as processes:
        waiting = [asyncio.ensure_future(processes.reply(asked(target))) for target in slow]

        replies = [await processes.reply(asked("/search?q=silk")) for _ in range(3)]

        assert {reply.status for reply in replies} == {200}
        assert not any(future.done() for future in waiting)
        go.touch()
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {200}


async def test_what_turned_out_to_be_slow_is_asked_among_the_slow_the_next_time(obedient):
    async with opened(2) as processes:
        await processes.reply(asked("/search?q=surprise"))

        assert processes._known_slow == {"/search?q=surprise"}
        assert (await processes.reply(asked("/search?q=surprise"))).status == 200


async def test_more_slow_queries_than_may_wait_are_refused_and_quick_ones_are_not(
    obedient, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "MOST_WAITING", 2)
    go = tmp_path / "go"
    async with opened(2) as processes:
        waiting = [
            asyncio.ensure_future(processes.reply(asked(f"/search?q=a*b*c*{n}&file={go}")))
            for n in range(3)
        ]
        await asyncio.sleep(0)  # one is under way, two wait

        refused = await processes.reply(asked("/search?q=a*b*c*"))
        quick = await processes.reply(asked("/search?q=silk"))

        assert (refused.status, refused.headers["Retry-After"], quick.status) == (503, "1", 200)
        assert b"too many expensive queries wait" in refused.body
        go.touch()
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {200}


BATCH = b"[%b]" % b",".join([message(b"tools/call")] * 10)


@pytest.mark.parametrize(
    "hostile",
    [("/mcp?file=", "POST", BATCH), ("/documents/00/cached?since=1&file=", "GET", b"")],
    ids=["batch", "changes"],
)
async def test_what_a_hostile_client_asks_leaves_a_process_to_searches_and_pings(
    obedient, tmp_path, hostile
):
    go, (target, *rest) = tmp_path / "go", hostile
    async with opened(2) as processes:
        server = AtOnce(processes, processes.check)
        waiting = [
            asyncio.ensure_future(server.reply(asked(f"{target}{go}", *rest))) for _ in range(3)
        ]

        others = [
            await server.reply(asked("/health")),
            await server.reply(asked("/search?q=silk")),
            *[
                await server.reply(asked("/mcp", "POST", message(method)))
                for method in (b"ping", b"initialize", b"tools/list")
            ],
        ]

        assert {reply.status for reply in others} == {200}
        assert not any(future.done() for future in waiting)
        go.touch()
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {200}


async def test_clients_take_turns_with_what_is_slow():
    processes, loop = Processes(Settings(), 2), asyncio.get_running_loop()
    clients = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "2001:db8::1", "192.0.2.1", "2001:db8::2"]
    for number, client in enumerate(clients):
        request = msgspec.structs.replace(asked("/search?q=a*b*c*"), client=client)
        question = module._Question(number, request, loop.create_future(), is_slow=True)
        processes._slow.append(question)

    order = [question.number for question in iter(processes._next, None)]

    assert order == [0, 3, 1, 5, 2, 4]  # the last two of an IPv6 network are one client


async def test_what_a_client_that_hung_up_was_waiting_for_is_dropped(obedient, tmp_path):
    never = tmp_path / "never"
    slow = f"/search?q=a*b*c*&file={never}"
    async with opened(2) as processes:
        waiting = [asyncio.ensure_future(processes.reply(asked(slow))) for _ in range(5)]
        await asyncio.sleep(0)
        assert len(processes._slow) == 4  # and one is under way

        for future in waiting:
            future.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

        assert not processes._slow
        # The process that was at it has ended it: there is but one for what is slow.
        assert (await processes.reply(asked("/search?q=a*b*c*"))).status == 200


def test_what_was_dropped_is_the_request_before_and_not_the_next():
    ours, theirs = socket.socketpair()
    with ours, theirs, theirs.makefile("rwb") as stream:
        requests = child.Requests(stream)
        ours.sendall(framed(b"one") + framed(child.ABANDON) + framed(b"two"))

        assert (requests.next(), requests.next()) == (b"one", b"two")
        assert requests.clock() < math.inf
        ours.shutdown(socket.SHUT_RDWR)
        assert requests.next() is None


async def test_health_is_answered_while_every_process_is_held_by_a_query(obedient, tmp_path):
    go = tmp_path / "go"
    async with opened(2) as processes:
        server = AtOnce(processes, processes.check)
        held = [f"/search?q=silk&n={number}&file={go}" for number in range(8)]
        waiting = [asyncio.ensure_future(server.reply(asked(target))) for target in held]
        await asyncio.sleep(0)
        assert not processes._idle

        assert (await server.reply(asked("/health"))).status == 200

        assert not any(future.done() for future in waiting)
        go.touch()
        await asyncio.gather(*waiting)


async def test_without_a_process_the_server_does_not_call_itself_healthy():
    processes = Processes(Settings(), 2)

    assert (await AtOnce(processes, processes.check).reply(asked("/health"))).status == 503


async def test_one_process_alone_answers_slow_queries_too(obedient):
    async with opened(1) as processes:
        assert (await processes.reply(asked("/search?q=a*+b*+c*"))).status == 200


async def test_a_killed_process_is_replaced(obedient):
    async with opened(2) as processes:
        before = await pids(processes)
        victim = min(before)

        os.kill(victim, signal.SIGKILL)

        while len(now := await pids(processes)) < 2 or victim in now:
            await asyncio.sleep(0.05)
        assert len(now & before) == 1


async def test_what_a_killed_process_was_asked_is_asked_of_another(obedient, tmp_path):
    go = tmp_path / "go"
    async with opened(2) as processes:
        before = await pids(processes)
        waiting = [
            asyncio.ensure_future(processes.reply(asked(f"/{n}?file={go}"))) for n in range(2)
        ]
        await asyncio.sleep(0)  # both are sent

        os.kill(min(before), signal.SIGKILL)
        await asyncio.sleep(0.1)
        go.touch()

        assert [reply.status for reply in await asyncio.gather(*waiting)] == [200, 200]


async def test_a_request_that_changes_something_is_not_repeated(obedient):
    async with opened(2) as processes:
        assert (await processes.reply(asked("/die", "POST"))).status == 500


async def test_what_changes_something_is_not_asked_more_patiently(obedient):
    async with opened(2) as processes:
        assert (await processes.reply(asked("/surprise", "POST"))).status == 503


async def test_a_request_that_kills_every_process_is_an_error_and_others_are_answered(
    obedient, monkeypatch
):
    monkeypatch.setattr(module, "RESTART_PAUSE", 0.0)
    async with opened(2) as processes:
        assert (await processes.reply(asked("/die"))).status == 500
        assert (await processes.reply(asked("/"))).status == 200


async def test_a_process_that_cannot_start_is_named(monkeypatch):
    monkeypatch.setattr(module, "CHILD", "tests.there_is_no_such_module")
    with pytest.raises(ConfigurationError, match="--processes 1"):
        async with opened(2):
            pass


async def test_none_is_left_behind(obedient, tmp_path):
    async with opened(2) as processes:
        all_of_them = await pids(processes)
        never = asyncio.ensure_future(processes.reply(asked(f"/?file={tmp_path}/never")))
        await asyncio.sleep(0)

    assert not any(map(is_alive, all_of_them))
    never.cancel()


async def test_a_page_that_is_indexed_meanwhile_is_found_by_every_process(tmp_path):
    folder, data = judged_folder(tmp_path / "judged"), tmp_path / "data"
    said("index", "--data", data, folder)
    async with opened(2, Settings(data=str(data))) as processes:
        assert await _totals(processes, "funnel") == [0, 0]
        (folder / "corpus.jsonl").write_text('{"_id": "d9", "title": "Funnel", "text": "webs"}\n')

        said("index", "--data", data, folder)

        assert await _totals(processes, "funnel") == [1, 1]


async def _totals(processes, word):
    """How many documents every process finds."""
    replies = await asyncio.gather(
        *(processes.reply(asked(f"/search?q={word}&limit={limit}")) for limit in (1, 2))
    )
    return [int(reply.body.partition(b'"total":')[2].partition(b",")[0]) for reply in replies]


async def test_statistics_are_the_same_from_every_process(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    async with opened(2, Settings(data=str(data))) as processes:
        one, other = await asyncio.gather(*(processes.reply(asked("/stats")) for _ in range(2)))

    assert one.status == 200
    assert one.body == other.body
