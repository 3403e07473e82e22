"""Is an answer given up when its server drips, and only then? In virtual time."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.adapters.http.limits import FetchLimits
from gossamer.adapters.http.response_reader import Exchange
from gossamer.ports.fetcher import HttpRequest

LIMITS = FetchLimits(min_rate=100.0, rate_window=10.0)
REQUEST = HttpRequest(url="http://a.test/", start_by=0.0, max_bytes=1_000_000)
LENGTH = 20_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % LENGTH


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its clock stands still until it is moved."""

    tenths = 0

    def time(self) -> float:
        return self.tenths / 10

    async def wait(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            self.tenths += 1
            await asyncio.sleep(0)  # timers are put behind what is ready,
            await asyncio.sleep(0)  # which was this coroutine


def outcome(size: int, every: float) -> tuple[str | None, float]:
    """How an answer ends that brings so many bytes every so many seconds, and when."""
    loop = VirtualLoop()

    async def answer() -> tuple[str | None, float]:
        exchange = Exchange(REQUEST, LIMITS, "127.0.0.1", 0.0, loop.time())
        exchange.feed(HEAD)
        for _ in range(LENGTH // size):
            await loop.wait(every)
            exchange.feed(b"a" * size)
            if exchange.fault is not None:
                break
        await exchange.over()
        return exchange.fault, loop.time()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(answer())


@pytest.mark.parametrize(("size", "every"), [(1000, 2.0), (5000, 10.0), (500, 1.4)])
def test_a_slow_but_steady_answer_is_waited_for(size, every):
    fault, seconds = outcome(size, every)

    assert fault == ""
    assert seconds == pytest.approx(LENGTH / size * every)
    assert seconds > 2 * LIMITS.rate_window


@pytest.mark.parametrize(("size", "every"), [(100, 2.0), (1, 0.1), (10_000, 25.0)])
def test_a_dripping_answer_is_given_up_after_its_first_slow_window(size, every):
    fault, seconds = outcome(size, every)

    assert fault == "too-slow"
    assert seconds <= 2 * LIMITS.rate_window + every


def test_an_answer_that_takes_longer_than_everything_may_is_given_up():
    assert outcome(250, 2.0) == ("timeout", LIMITS.total)


@pytest.mark.parametrize(
    ("pieces", "limit", "is_cut", "fault"),
    [
        ([b"a" * 300], 200, False, "too-large"),
        ([b"a" * 300], 200, True, ""),
        ([b"a" * 150, b"a" * 50], 1_000, False, "connection-reset"),
    ],
)
def test_of_half_an_answer_the_bytes_that_came_are_kept(pieces, limit, is_cut, fault):
    async def answer():
        request = HttpRequest(url="http://a.test/", start_by=0.0, max_bytes=limit, cut=is_cut)
        exchange = Exchange(request, LIMITS, "127.0.0.1", 0.0, 0.0, b"GET / HTTP/1.1\r\n\r\n")
        exchange.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in pieces:
            exchange.feed(b"%x\r\n%b\r\n" % (len(piece), piece))
        if exchange.fault is None:
            exchange.lost(ConnectionResetError())
        await exchange.over()
        return exchange.response()

    response = asyncio.run(answer())

    assert (response.fault, response.is_cut) == (fault, is_cut)
    assert response.raw == b"a" * 200
    assert response.body == (b"a" * 200 if is_cut else b"")
    assert response.request == b"GET / HTTP/1.1\r\n\r\n"
