"""Does the fetcher survive every server, and keep the port's promises?"""

from __future__ import annotations

import asyncio
import socket
import time
import tracemalloc
from dataclasses import replace

import pytest

from gossamer.ports.fetcher import LATE, PERMANENT_FAULTS, TRANSIENT_FAULTS
from tests.hostile.fetching import (
    AGENT,
    BRIEF_CONNECT,
    BRIEF_SILENCE,
    NO_DRIPPING,
    PATIENT,
    answering,
    get,
    is_whole,
)
from tests.hostile.server import BOMB, ENCODE, MEGABYTE, PAGE

# What only a timer ends; everything else must end by itself.
TIMED = {"/hang": BRIEF_SILENCE, "/drip": NO_DRIPPING, "/drip-headers": NO_DRIPPING}


async def test_a_page_arrives_with_its_headers_in_order(server, fetcher):
    before, began = time.time(), time.monotonic()

    response = await fetcher.fetch(get(server.url("/page")))

    assert is_whole(response)
    assert response.raw == PAGE
    assert response.headers == (
        ("Content-Type", "text/html"),
        ("Content-Length", str(len(PAGE))),
    )
    assert (response.phrase, response.http_version, response.ip) == ("OK", "1.1", "127.0.0.1")
    assert before <= response.started_at <= time.time()
    assert 0 < response.seconds <= time.monotonic() - began


async def test_a_request_says_who_asks_and_carries_the_given_headers(server, fetcher):
    await fetcher.fetch(get(server.url("/page"), headers={"If-None-Match": '"a"\r\nX-Evil: 1'}))

    lines = server.requests[0].split("\r\n")
    assert lines[0] == "GET /page HTTP/1.1"
    assert f"Host: 127.0.0.1:{server.port}" in lines
    assert f"User-Agent: {AGENT}" in lines
    assert "Accept: text/html, */*;q=0.1" in lines
    assert 'If-None-Match: "a"  X-Evil: 1' in lines


@pytest.mark.parametrize(
    ("path", "fault", "code"),
    [
        ("/hang", "timeout", 0),
        ("/drip", "too-slow", 200),
        ("/drip-headers", "too-slow", 0),
        ("/short", "truncated-body", 200),
        ("/short-chunked", "truncated-body", 200),
        ("/half-gzip", "truncated-body", 200),
        ("/gzip-bomb", "decompression-bomb", 200),
        ("/deflate-bomb", "decompression-bomb", 200),
        ("/br-bomb", "decompression-bomb", 200),
        ("/zstd-bomb", "decompression-bomb", 200),
        ("/endless", "too-large", 200),
        ("/endless-gzip", "decompression-bomb", 200),
        ("/endless-trailers", "header-flood", 200),
        ("/endless-extension", "header-flood", 200),
        ("/endless-hints", "header-flood", 0),
        ("/header-flood", "header-flood", 0),
        ("/header-line", "header-flood", 0),
        ("/long-header", "header-flood", 0),
        ("/reset", "connection-reset", 200),
        ("/reset-at-once", "connection-reset", 0),
        ("/garbage", "malformed-response", 0),
        ("/nul-header", "malformed-response", 0),
        ("/switch", "malformed-response", 0),
        ("/video", "content-type", 200),
        ("/huge", "too-large", 200),
        ("/untyped-binary", "content-type", 200),
        ("/not-gzip", "undecodable-body", 200),
    ],
)
async def test_a_hostile_answer_becomes_a_fault(server, fetcher_with, path, fault, code):
    limits = TIMED.get(path, PATIENT)
    async with fetcher_with(AGENT, allow_private=True, limits=limits) as fetcher:
        response = await fetcher.fetch(get(server.url(path)))

    assert (response.fault, response.code) == (fault, code)
    assert response.fault in TRANSIENT_FAULTS | PERMANENT_FAULTS
    assert response.body == b""
    assert len(response.raw) <= get(response.url).max_bytes  # what came is kept, within the cap
    assert len(server.requests) == 1


async def test_after_every_hostile_answer_the_fetcher_still_works(server, fetcher):
    for path in ("/garbage", "/reset", "/short", "/gzip-bomb", "/long", "/header-line"):
        await fetcher.fetch(get(server.url(path)))

        assert is_whole(await fetcher.fetch(get(server.url("/page")))), path


@pytest.mark.parametrize("encoding", ENCODE)
async def test_an_encoded_page_is_kept_raw_and_decoded(server, fetcher, encoding):
    response = await fetcher.fetch(get(server.url(f"/{encoding}")))

    assert is_whole(response)
    assert response.raw == ENCODE[encoding](PAGE)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
async def test_a_bomb_is_never_allocated(server, fetcher, encoding):
    await fetcher.fetch(get(server.url(f"/{encoding}-bomb")))  # the server has it ready now
    tracemalloc.start()

    await fetcher.fetch(get(server.url(f"/{encoding}-bomb")))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < BOMB / 2


@pytest.mark.parametrize("path", ["/early-hints", "/no-length", "/untyped", "/closing"])
async def test_an_unusual_answer_is_still_an_answer(server, fetcher, path):
    response = await fetcher.fetch(get(server.url(path)))

    assert is_whole(response)
    assert "Link" not in dict(response.headers)


async def test_of_two_lengths_the_chunks_win_and_the_connection_goes(server, fetcher):
    response = await fetcher.fetch(get(server.url("/both-lengths")))
    await fetcher.fetch(get(server.url("/page")))

    assert (response.fault, response.body) == ("", b"hello")
    assert server.connections == 2


async def test_a_redirect_is_returned_and_not_followed(server, fetcher):
    response = await fetcher.fetch(get(server.url("/redirect")))

    assert (response.fault, response.code) == ("", 302)
    assert response.header("location") == "/page"
    assert len(server.requests) == 1


async def test_not_modified_has_no_body_whatever_its_length_says(server, fetcher):
    response = await fetcher.fetch(get(server.url("/not-modified")))

    assert (response.fault, response.code, response.raw) == ("", 304, b"")


async def test_the_type_of_an_error_page_does_not_matter(server, fetcher):
    response = await fetcher.fetch(get(server.url("/missing-video")))

    assert (response.fault, response.code, response.body) == ("", 404, b"none")


@pytest.mark.parametrize("accepted", [(), ("video/*",), ("text/html", "video/mp4")])
async def test_accepted_types_can_be_any_or_a_family(server, fetcher, accepted):
    response = await fetcher.fetch(get(server.url("/video"), accept_types=accepted))

    assert response.fault == "too-large"  # it was read


@pytest.mark.parametrize("path", ["/video", "/huge"])
async def test_an_unwanted_body_is_hung_up_on(server, fetcher, path):
    await fetcher.fetch(get(server.url(path)))
    await server.hung_up()

    assert server.sent < 16 * MEGABYTE  # what loopback's buffers hold, not what was meant to come


async def test_a_late_request_makes_no_connection(server, fetcher):
    response = await fetcher.fetch(get(server.url("/page"), start_by=time.time() - 0.001))

    assert (response.fault, response.code) == (LATE, 0)
    assert server.connections == 0


async def test_a_late_request_is_not_made_on_a_kept_connection(server, fetcher):
    await fetcher.fetch(get(server.url("/page")))

    late = await fetcher.fetch(get(server.url("/page"), start_by=time.time() - 0.001))
    in_time = await fetcher.fetch(get(server.url("/page")))

    assert (late.fault, in_time.fault) == (LATE, "")
    assert (server.connections, len(server.requests)) == (1, 2)


async def test_the_clock_is_read_again_after_a_slow_lookup(server, fetcher_with):
    now = 100.0

    async def slow(host: str) -> list[str]:
        nonlocal now
        now = 105.0
        return ["127.0.0.1"]

    async with fetcher_with(AGENT, allow_private=True, resolve=slow, clock=lambda: now) as fetcher:
        late = await fetcher.fetch(get(server.url("/page", host="a.test"), start_by=101.0))
        in_time = await fetcher.fetch(get(server.url("/page", host="a.test"), start_by=106.0))

    assert late.fault == LATE
    assert (in_time.fault, in_time.started_at) == ("", 105.0)
    assert server.connections == 1


async def test_a_request_that_waits_for_room_can_become_late(server, fetcher_with):
    async with fetcher_with(
        AGENT, allow_private=True, limits=BRIEF_SILENCE, max_connections=1
    ) as fetcher:
        slow, queued = await asyncio.gather(
            fetcher.fetch(get(server.url("/hang"))),
            fetcher.fetch(get(server.url("/page"), start_by=time.time() + 0.1)),
        )

    assert (slow.fault, queued.fault) == ("timeout", LATE)
    assert len(server.requests) == 1


async def test_a_connection_is_used_again(server, fetcher):
    for _ in range(5):
        assert is_whole(await fetcher.fetch(get(server.url("/page"))))

    assert (server.connections, len(server.requests)) == (1, 5)


async def test_two_hosts_share_no_connection(server, fetcher_with):
    async with fetcher_with(AGENT, allow_private=True, resolve=answering("127.0.0.1")) as fetcher:
        for host in ("a.test", "b.test", "A.test"):
            await fetcher.fetch(get(server.url("/page", host=host)))

    assert server.connections == 2


async def test_no_more_connections_are_kept_than_allowed(server, fetcher_with):
    limits = replace(PATIENT, idle_connections=2)
    async with fetcher_with(
        AGENT, allow_private=True, limits=limits, resolve=answering("127.0.0.1")
    ) as fetcher:
        for host in ("a.test", "b.test", "c.test", "c.test", "b.test", "a.test"):
            await fetcher.fetch(get(server.url("/page", host=host)))

    assert server.connections == 4


async def test_a_connection_that_idled_too_long_is_not_used(server, fetcher_with):
    limits = replace(PATIENT, idle_seconds=0.05)
    async with fetcher_with(AGENT, allow_private=True, limits=limits) as fetcher:
        await fetcher.fetch(get(server.url("/page")))
        await asyncio.sleep(0.06)
        await fetcher.fetch(get(server.url("/page")))

    assert server.connections == 2


async def test_a_connection_closed_while_idle_is_noticed(server, fetcher):
    await fetcher.fetch(get(server.url("/closing")))
    await server.hung_up()

    response = await fetcher.fetch(get(server.url("/page")))

    assert is_whole(response)
    assert len(server.requests) == 2


async def test_a_connection_closed_as_we_write_is_replaced(server, fetcher):
    await fetcher.fetch(get(server.url("/once")))

    response = await fetcher.fetch(get(server.url("/once")))

    assert is_whole(response)
    assert server.connections == 2


async def test_a_connection_closed_as_we_write_is_not_replaced_after_the_slot(server, fetcher_with):
    def clock() -> float:
        return 101.0 if len(server.requests) < 2 else 105.0

    async with fetcher_with(AGENT, allow_private=True, clock=clock) as fetcher:
        await fetcher.fetch(get(server.url("/once"), start_by=102.0))
        response = await fetcher.fetch(get(server.url("/once"), start_by=102.0))

    assert (response.fault, response.started_at) == ("connection-reset", 101.0)
    assert server.connections == 1


@pytest.mark.parametrize("path", ["/long", "/long-later"])
async def test_unrequested_bytes_never_answer_the_next_request(server, fetcher, path):
    await fetcher.fetch(get(server.url(path)))
    await server.hung_up()

    assert is_whole(await fetcher.fetch(get(server.url("/page"))))
    assert server.connections == 2


async def test_a_cancelled_fetch_hangs_up_and_makes_room(server, fetcher_with):
    async with fetcher_with(AGENT, allow_private=True, max_connections=1) as fetcher:
        hanging = asyncio.create_task(fetcher.fetch(get(server.url("/hang"))))
        while not server.requests:
            await asyncio.sleep(0.01)

        hanging.cancel()

        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert is_whole(await fetcher.fetch(get(server.url("/page"))))


async def test_a_closed_port_is_refused(fetcher):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"

        response = await fetcher.fetch(get(url))

    assert (response.fault, response.code) == ("connection-refused", 0)


async def test_a_server_that_hangs_up_on_everybody_is_a_reset(fetcher):
    def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as rude:
        port = rude.sockets[0].getsockname()[1]
        for _ in range(20):
            response = await fetcher.fetch(get(f"http://127.0.0.1:{port}/"))

            assert response.fault == "connection-reset"


async def test_a_backlog_that_never_accepts_times_out(fetcher_with):
    with socket.socket() as deaf, socket.socket() as first:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        first.connect(deaf.getsockname())  # fills the backlog: the next one is half-open

        async with fetcher_with(AGENT, allow_private=True, limits=BRIEF_CONNECT) as fetcher:
            response = await fetcher.fetch(get(f"http://127.0.0.1:{deaf.getsockname()[1]}/"))

    assert response.fault == "timeout"


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no such name"), "dns"),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), "dns-busy"),
        (UnicodeError("label too long"), "dns"),
    ],
)
async def test_a_failed_lookup_says_whether_to_try_again(fetcher_with, error, fault):
    async def failing(host: str) -> list[str]:
        raise error

    async with fetcher_with(AGENT, resolve=failing) as fetcher:
        assert (await fetcher.fetch(get("http://a.test/"))).fault == fault


async def test_a_resolver_that_hangs_is_busy(fetcher_with):
    async def hanging(host: str) -> list[str]:
        await asyncio.sleep(3600)
        return []

    async with fetcher_with(AGENT, limits=BRIEF_CONNECT, resolve=hanging) as fetcher:
        assert (await fetcher.fetch(get("http://a.test/"))).fault == "dns-busy"


async def test_a_body_that_may_be_cut_ends_at_the_cap_without_a_fault(server, fetcher):
    response = await fetcher.fetch(get(server.url("/endless"), max_bytes=1000, cut=True))

    assert (response.fault, response.code) == ("", 200)
    assert len(response.body) == 1000


async def test_a_body_that_may_be_cut_is_not_refused_for_its_announced_length(server, fetcher):
    response = await fetcher.fetch(get(server.url("/huge"), cut=True))

    assert (response.fault, response.code) == ("", 200)
    assert len(response.body) == MEGABYTE
