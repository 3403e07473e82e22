"""Does the server speak HTTP as it should, also to those who do not?"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from threading import Event, Thread, Timer
from urllib.parse import urlsplit

import pytest

from gossamer.entrypoints.api import connections
from gossamer.entrypoints.api import server as module
from gossamer.entrypoints.api.access import access_of
from gossamer.entrypoints.api.parameters import MAX_ENCODED
from gossamer.entrypoints.api.reply import Reply
from tests.background_server import background
from tests.fake_search import Served

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is


def place(url):
    """The host and the port of an address."""
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


@pytest.fixture(scope="module")
def address():
    with background(Served().app()) as url:
        yield place(url)


@pytest.fixture
def connection(address):
    host, port = address
    with closing(http.client.HTTPConnection(host, port, timeout=SECONDS)) as connection:
        yield connection


def get(connection, path, method="GET", **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=names)
    response = connection.getresponse()
    return response, response.read()


def raw(address, data):
    """Everything the server says to these bytes until it closes."""
    with socket.create_connection(address, timeout=SECONDS) as line:
        line.sendall(data)
        said = b""
        while piece := line.recv(65536):
            said += piece
        return said


def status(said):
    return int(said.split(b" ", 2)[1])


def test_requests_share_a_connection(connection):
    first, _ = get(connection, "/health")
    line = connection.sock
    second, body = get(connection, "/search?q=silk+moth&limit=1")

    assert [first.status, second.status] == [200, 200]
    assert connection.sock is line
    assert json.loads(body)["query"] == "silk moth"


def test_percent_encoding_is_decoded_once(connection):
    _, body = get(connection, "/search?q=%2541+caf%C3%A9")

    assert json.loads(body)["query"] == "%41 café"


def test_wide_characters_count_as_the_bytes_that_an_address_has_for_them(connection):
    wide = "%F0%9F%95%B8"
    most = MAX_ENCODED // len(wide)

    response, _ = get(connection, "/search?q=" + wide * most)
    refused, body = get(connection, "/search?q=" + wide * (most + 1))

    assert (response.status, refused.status) == (200, 400)
    assert "POST /search" in json.loads(body)["error"]["message"]


def test_a_query_of_ten_thousand_letters_hears_what_is_wrong(connection):
    response, body = get(connection, "/search?q=" + "a" * 10_000)

    assert response.status == 400
    assert json.loads(body)["error"]["field"] == "q"


def test_bytes_that_are_no_text_do_no_harm(connection):
    response, _ = get(connection, "/search?q=%ff%fe")

    assert response.status == 200


def test_a_long_answer_is_compressed_for_those_who_can_read_it(connection):
    plain, body = get(connection, "/search?q=thread&limit=50")
    packed, compressed = get(connection, "/search?q=thread&limit=50", Accept_Encoding="br, gzip")

    assert plain.getheader("Content-Encoding") is None
    assert packed.getheader("Content-Encoding") == "gzip"
    assert packed.getheader("Vary") == "Accept-Encoding"
    assert packed.getheader("ETag") == plain.getheader("ETag")
    assert gzip.decompress(compressed) == body
    assert len(compressed) < len(body) / 3


@pytest.mark.parametrize("accepted", ["gzip;q=0", "br", "identity"])
def test_no_client_is_sent_an_encoding_that_it_refuses(connection, accepted):
    response, _ = get(connection, "/search?q=thread&limit=50", Accept_Encoding=accepted)

    assert response.getheader("Content-Encoding") is None


def test_a_short_answer_is_not_worth_compressing(connection):
    response, _ = get(connection, "/health", Accept_Encoding="gzip")

    assert response.getheader("Content-Encoding") is None


def test_head_tells_the_length_and_sends_nothing(connection):
    _, body = get(connection, "/static/app.css")
    response, nothing = get(connection, "/static/app.css", method="HEAD")

    assert nothing == b""
    assert int(response.getheader("Content-Length")) == len(body)


def test_what_is_known_is_not_sent_again(connection):
    first, _ = get(connection, "/static/app.js")
    again, body = get(connection, "/static/app.js", If_None_Match=first.getheader("ETag"))
    after, _ = get(connection, "/health")

    assert [again.status, body, after.status] == [304, b"", 200]


@pytest.mark.parametrize(
    "path", ["/nope", "/search/", "/documents/", "/documents/1/2", "//", "/%00"]
)
def test_an_unknown_address_is_not_found(connection, path):
    response, body = get(connection, path)

    assert response.status == 404
    assert json.loads(body)["error"]["code"] == "not_found"
    assert response.getheader("Content-Security-Policy")


def test_a_slash_hidden_in_a_name_stays_in_the_name(connection):
    response, _ = get(connection, "/static/..%2F..%2Fetc%2Fpasswd")

    assert response.status == 404


def test_the_wrong_method_is_refused(connection):
    response, body = get(connection, "/search?q=a", method="PUT")

    assert response.status == 405
    assert response.getheader("Allow") == "GET, HEAD, OPTIONS, POST"
    assert json.loads(body)["error"]["code"] == "method_not_allowed"


def test_a_body_is_read_and_the_next_request_understood(connection):
    connection.request("POST", "/stats", body=b"x" * 1000)
    refused = connection.getresponse()
    refused.read()
    after, _ = get(connection, "/health")

    assert [refused.status, after.status] == [405, 200]


HOST = b"Host: 127.0.0.1\r\n"
CLOSE = b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "expected"),
    [
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET /health\r\n\r\n", 400),
        (b"GET  /health HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /health HTTP/1.1\r\n\r\n", 400),
        (b"GET /health HTTP/2.0\r\n" + HOST + b"\r\n", 505),
        (b"GET /he\xc3\xa9 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /health HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost : a.test\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n" + HOST + b" folded: x\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n" + HOST + b"X: a\nY: b\r\n\r\n", 400),
        (b"POST /search HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", 400),
        (b"POST /search HTTP/1.1\r\n" + HOST + b"Content-Length: 1_0\r\n\r\n", 400),
        (
            b"POST /search HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            400,
        ),
        (b"POST /search HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999\r\n\r\n", 413),
        (
            b"POST /search HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            411,
        ),
        (b"GET /" + b"a" * 66_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 200_000 + b"\r\n\r\n", 431),
        (b"GET ftp://a.test/ HTTP/1.1\r\n" + HOST + CLOSE, 400),
        (
            b"GET /search?"
            + b"a=1&" * 200
            + b" HTTP/1.1\r\n"
            + HOST
            + b"Connection: close\r\n\r\n",
            400,
        ),
        (
            b"POST /search HTTP/1.1\r\n" + HOST + b"Expect: tea\r\nContent-Length: 1\r\n\r\na",
            417,
        ),
    ],
)
def test_a_bad_request_is_refused_and_the_line_closed(address, request_bytes, expected):
    said = raw(address, request_bytes)

    assert status(said) == expected
    head, _, body = said.partition(b"\r\n\r\n")
    assert json.loads(body)["error"]["code"]
    assert b"Connection: close" in head
    assert b"Content-Security-Policy" in head


def test_a_refused_upload_still_hears_why(address):
    head = b"POST /search HTTP/1.1\r\n" + HOST + b"Content-Length: 300000\r\n\r\n"

    assert status(raw(address, head + b"x" * 300_000)) == 413


def test_requests_may_be_sent_in_one_go(address):
    one = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
    last = b"GET /health HTTP/1.1\r\n" + HOST + CLOSE

    assert raw(address, one + one + last).count(b"HTTP/1.1 200 OK") == 3


def test_a_name_that_a_stranger_made_lead_here_is_refused(address):
    said = raw(address, b"GET /search?q=silk HTTP/1.1\r\nHost: evil.test\r\n\r\n")

    assert status(said) == 421
    assert b"--allow-host" in said
    assert b"Silk moth" not in said


def test_a_foreign_page_reads_nothing_and_posts_nothing(connection, address):
    read, _ = get(connection, "/search?q=silk", Origin="https://evil.test")
    head = b"POST /seeds HTTP/1.1\r\n" + HOST + b"Origin: https://evil.test\r\n"
    said = raw(address, head + b"Content-Length: 2\r\n\r\n{}")

    assert read.getheader("Access-Control-Allow-Origin") is None
    assert status(said) == 403
    assert b"--allow-origin" in said


def test_a_page_of_an_allowed_origin_reads_and_caches_tell_origins_apart():
    allowed = access_of(["search.test"], ["https://blog.test"])
    with (
        background(Served().app(), access=allowed) as url,
        closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)) as line,
    ):
        read, _ = get(line, "/search?q=silk", Origin="https://blog.test", Host="search.test")
        other, _ = get(line, "/search?q=silk", Origin="https://evil.test")

    assert read.getheader("Access-Control-Allow-Origin") == "https://blog.test"
    assert other.getheader("Access-Control-Allow-Origin") is None
    assert read.getheader("Vary") == other.getheader("Vary") == "Accept-Encoding, Origin"


def test_a_language_model_calls_a_tool(connection):
    call = {"name": "search", "arguments": {"query": "silk moth"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    connection.request(
        "POST", "/mcp", json.dumps(message), {"Content-Type": "application/json; charset=utf-8"}
    )
    called = connection.getresponse()
    body = json.loads(called.read())
    told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    connection.request("POST", "/mcp", told, {"Content-Type": "application/json"})
    noted = connection.getresponse()

    assert called.status == 200
    assert body["result"]["structuredContent"]["results"][0]["title"] == "Silk moth"
    assert (noted.status, noted.read()) == (202, b"")
    refused, _ = get(connection, "/mcp")
    assert (refused.status, refused.getheader("Allow")) == (405, "POST, OPTIONS")


def test_old_clients_are_answered_and_left(address):
    said = raw(address, b"GET /health HTTP/1.0\r\n\r\n")

    assert status(said) == 200
    assert b"Connection: close" in said


def test_a_proxy_may_send_the_whole_address(address):
    said = raw(address, b"GET http://127.0.0.1/health HTTP/1.1\r\n" + HOST + CLOSE)

    assert status(said) == 200


@pytest.mark.parametrize("target", [b"http://evil.test/health", b"HTTPS://evil.test?x=1"])
def test_the_name_in_a_whole_address_counts_and_not_the_header(address, target):
    said = raw(address, b"GET " + target + b" HTTP/1.1\r\n" + HOST + CLOSE)

    assert status(said) == 421
    assert b"evil.test" in said


def test_no_other_page_can_embed_an_answer_that_says_what_was_crawled(connection):
    for path in ("/documents/00/picture", "/search?q=web", "/nothing"):
        answer, _ = get(connection, path)
        assert answer.getheader("Cross-Origin-Resource-Policy") == "same-origin"


@pytest.mark.parametrize("path", ["/health", "/static/widget.js"])
def test_what_the_search_box_of_another_page_needs_can_be_embedded(connection, path):
    answer, _ = get(connection, path)

    assert answer.getheader("Cross-Origin-Resource-Policy") == "cross-origin"


def test_who_waits_for_permission_gets_it(address):
    body = b'{"q": "silk"}'
    head = b"POST /search HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n" % len(body)
    said = raw(address, head + b"Expect: 100-continue\r\n" + CLOSE + body)

    assert said.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ")
    assert b"Silk moth" in said


def test_silence_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with background(Served().app()) as url:
        assert raw(place(url), b"GET / HTTP/1.1\r\nHo") == b""


REQUEST = b"GET /search?q=web HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


async def test_silent_connections_of_one_client_stop_nobody(monkeypatch):
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 8)
    repliers = Patient()
    repliers.go.set()
    async with served(repliers) as port:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(8)]
        silent[0][1].write(REQUEST)
        await silent[0][0].readuntil(b"done")  # it waits again, and is the last of them to do so
        for _, writer in silent[1:]:
            writer.write(b"GET / HTTP/1.1\r\nHo")

        for request in (REQUEST, HEALTH):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            assert b"200 OK" in await reader.readuntil(b"done")
            writer.close()

        assert await silent[1][0].read() == b""  # the one that had waited longest
        silent[0][1].write(REQUEST)
        assert b"200 OK" in await silent[0][0].readuntil(b"done")
        for _, writer in silent:
            writer.close()


async def test_more_requests_at_once_than_connections_are_told_to_come_back(monkeypatch):
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 1)
    repliers = Patient()
    async with served(repliers) as port:
        busy_reader, busy = await asyncio.open_connection("127.0.0.1", port)
        busy.write(REQUEST)
        await repliers.is_asked.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST)
        refusal = await reader.read()
        watcher, asking = await asyncio.open_connection("127.0.0.1", port)
        asking.write(HEALTH)
        while repliers.count < 2:
            await asyncio.sleep(0)
        repliers.go.set()

        assert status(refusal) == 503
        assert b"Retry-After" in refusal
        assert b"200 OK" in await watcher.read()
        assert b"200 OK" in await busy_reader.readuntil(b"done")
        for each in (busy, writer, asking):
            each.close()


class Slow:
    """An app that answers when it is told to."""

    routes = {"/": None}  # noqa: RUF012 — as Chalice has it

    def __init__(self):
        self.asked, self.go = Event(), Event()

    def __call__(self, _event, _context):
        self.asked.set()
        self.go.wait(SECONDS)
        return {"statusCode": 200, "headers": {}, "body": "done"}


class Patient:
    """Repliers that answer once they are told to, and know whose request was dropped."""

    def __init__(self):
        self.is_asked, self.is_dropped, self.go = (asyncio.Event() for _ in range(3))
        self.count = 0

    async def open(self):
        """Nothing to do."""

    close = open

    async def reply(self, asked):
        self.count += 1
        self.is_asked.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.is_dropped.set()
            raise
        return Reply(200, {}, b"done")


@contextlib.asynccontextmanager
async def served(repliers):
    """A server in this loop; gives its port."""
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    running = asyncio.ensure_future(
        module.Server(repliers).run("127.0.0.1", 0, stop, ready.set_result)
    )
    try:
        async with asyncio.timeout(60):
            yield urlsplit(await ready).port
    finally:
        stop.set()
        await running


@pytest.mark.parametrize("how", ["close", "write_eof"])
async def test_the_request_of_a_client_that_hangs_up_is_dropped(how):
    repliers = Patient()
    async with served(repliers) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /search?q=web HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await repliers.is_asked.wait()

        getattr(writer, how)()

        await repliers.is_dropped.wait()
        writer.close()


async def test_a_client_that_goes_on_sending_is_answered():
    repliers = Patient()
    async with served(repliers) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = b"GET /search?q=web HTTP/1.1\r\nHost: localhost\r\n\r\n"
        writer.write(request)
        await repliers.is_asked.wait()
        writer.write(request)
        repliers.go.set()

        assert b"200 OK" in await reader.readuntil(b"done")
        assert b"200 OK" in await reader.readuntil(b"done")
        assert not repliers.is_dropped.is_set()
        writer.close()


def test_a_request_under_way_is_answered_before_the_end():
    slow, said = Slow(), []
    with background(slow) as url:
        data = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
        asker = Thread(target=lambda: said.append(raw(place(url), data)))
        asker.start()
        slow.asked.wait(SECONDS)
        Timer(0.2, slow.go.set).start()
    asker.join()

    assert said[0].endswith(b"done")
    assert b"Connection: close" in said[0]


def test_an_app_that_raises_is_an_answer_too(caplog):
    class Broken(Slow):
        def __call__(self, _event, _context):
            raise ValueError("a secret")

    with background(Broken()) as url:
        data = b"GET / HTTP/1.1\r\n" + HOST + CLOSE
        said = raw(place(url), data)

    assert status(said) == 500
    assert b"secret" not in said


def test_a_port_that_is_taken_is_an_error(address):
    with pytest.raises(OSError, match="in use"), background(Served().app(), *address):
        pass


PROGRAM = """
from gossamer.entrypoints.api.server import serve
from gossamer.entrypoints.api.threads import Threads
from tests.fake_search import Served
serve(Threads(Served().app()), "127.0.0.1", 0, lambda url: print(url, flush=True))
print("stopped", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_though_a_client_is_connected(number):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        assert program.stdout
        host, port = place(program.stdout.readline().strip())
        with closing(http.client.HTTPConnection(host, port, timeout=SECONDS)) as idle:
            assert get(idle, "/health")[0].status == 200

            program.send_signal(number)

            assert program.wait(SECONDS) == 0
            assert program.stdout.read() == "stopped\n"
