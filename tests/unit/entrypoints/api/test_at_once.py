"""Is the server alive, whatever its processes are busy with?"""

from __future__ import annotations

import asyncio

import pytest

from gossamer.core.errors import TransientError
from gossamer.entrypoints.api.at_once import AtOnce
from gossamer.entrypoints.api.gateway_event import Head
from gossamer.entrypoints.api.reply import Asked, Reply
from tests.fake_search import Served
from tests.unit.entrypoints.api.asking import event

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is


class Held:
    """Others that reply once they are let go."""

    def __init__(self):
        self.go = asyncio.Event()
        self.asked = []

    async def reply(self, asked):
        self.asked.append(asked.head.target)
        await self.go.wait()
        return Reply(200, {}, b"late")

    async def open(self):
        """Nothing to do."""

    close = open


class Starting(Held):
    """Others that take a while to start."""

    def __init__(self):
        super().__init__()
        self.ready = asyncio.Event()

    async def open(self):
        await self.ready.wait()


def asked(target, method="GET"):
    return Asked(Head(method, target, "HTTP/1.1", {}))


@pytest.mark.parametrize(
    "target", ["/health", "/", "/?q=s*", "/static/app.js", "/openapi.json", "/opensearch.xml"]
)
async def test_what_needs_no_search_is_answered_while_all_others_are_held(target):
    others = Held()
    server = AtOnce(others, lambda: None)
    held = [asyncio.ensure_future(server.reply(asked(f"/search?q={n}"))) for n in range(8)]
    await asyncio.sleep(0)

    async with asyncio.timeout(SECONDS):
        reply = await server.reply(asked(target))

    assert reply.status == 200
    assert len(others.asked) == 8
    others.go.set()
    assert {each.body for each in await asyncio.gather(*held)} == {b"late"}


async def test_whoever_asks_while_the_server_starts_waits_until_it_can_answer():
    others = Starting()
    server = AtOnce(others, lambda: None)
    start = asyncio.ensure_future(server.open())
    await asyncio.sleep(0)

    early = asyncio.ensure_future(server.reply(asked("/health")))
    await asyncio.sleep(0)
    assert others.asked == ["/health"]
    others.ready.set()
    await start
    others.go.set()

    assert (await early).body == b"late"
    assert (await server.reply(asked("/health"))).body != b"late"


async def test_health_is_answered_as_the_app_answers_it():
    reply = await AtOnce(Held(), lambda: None).reply(asked("/health"))

    said = Served().app()(event("/health"), None)
    assert reply.body.decode() == said["body"]
    assert reply.headers.items() >= {
        ("Content-Type", "application/json"),
        ("Cache-Control", "no-store"),
    }


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [("/health?x=1", "GET", 400), ("/health", "POST", 405), ("/static/none.js", "GET", 404)],
)
async def test_what_is_wrong_with_such_a_request_is_said(target, method, status):
    assert (await AtOnce(Held(), lambda: None).reply(asked(target, method))).status == status


async def test_a_server_that_cannot_answer_says_so():
    def check():
        raise TransientError("no process answers")

    reply = await AtOnce(Held(), check).reply(asked("/health"))

    assert reply.status == 503
    assert b"no process answers" in reply.body


@pytest.mark.parametrize("target", ["/search?q=silk", "/stats", "/documents/12", "/html?q=s", "/x"])
async def test_others_are_asked_everything_else(target):
    others = Held()
    others.go.set()

    assert (await AtOnce(others, lambda: None).reply(asked(target))).body == b"late"
