"""Can a request make the server fail? Through the real router, over a real index."""

from __future__ import annotations

import json
import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.entrypoints.api import answers
from gossamer.entrypoints.api.gateway_event import (
    MAX_BODY,
    Head,
    Refused,
    Resources,
    event_of,
    parse_head,
)
from gossamer.entrypoints.api.services import local_search
from tests.background_server import background
from tests.effort import often
from tests.fake_search import Served
from tests.fuzz.bounds import attempt, damaged, within
from tests.fuzz.collection import make_collection

SERVED = Served()
APP = SERVED.app()
RESOURCES = Resources(list(APP.routes))
PATHS = [
    "/", "/search", "/documents/" + "0" * 32, "/documents/0", "/documents/-1",
    "/documents/99999999999999999999", "/documents/x", "/stats", "/health", "/openapi.json",
    "/static/app.js", "/static/%2e%2e%2fapi.py", "/seeds", "/jobs", "/jobs/web", "/jobs/%00/stop",
    "/jobs/a/b", "/documents/%D9%A3", "/static/%ff",
]  # fmt: skip
NAMES = ["q", "page", "limit", "explain", "profile", "x", "", "\0", "é", "\ud800", "Q", "q "]
TEXTS = [
    "silk", "", " ", "0", "1", "-1", "1e3", "1" * 17, "9" * 400, "٣", "true", "True", "bm25", "(",
    '"', "\0", "\ud800", "\u202e", "ﷺ" * 50, "a*", "*", "%", "+", "<script>", "1,000", "0x1",
    "NaN",
]  # fmt: skip
VALUES = st.sampled_from(TEXTS) | st.text(max_size=20)
QUERIES = st.dictionaries(
    st.sampled_from(NAMES), st.lists(VALUES, min_size=1, max_size=2), max_size=4
)
METHODS = st.sampled_from(["GET", "HEAD", "OPTIONS", "POST", "PUT", "get", "TRACE", "X"])
HEADERS = st.dictionaries(
    st.sampled_from(["if-none-match", "authorization", "content-type", "accept", "host"]),
    st.sampled_from([
        "*", 'W/"x"', "Bearer ", "Bearer x", "Bearer \ud800", "application/json", "\xff",
    ]),
    max_size=3,
)  # fmt: skip
BODIES = st.sampled_from(["", "{}", "[" * 5_000, "\0", '{"urls": [1]}']) | st.text(max_size=20)


@pytest.fixture(scope="module", autouse=True)
def _service(tmp_path_factory):
    SERVED.service = local_search(make_collection(tmp_path_factory.mktemp("collection")))


def check(said):
    """What must hold for every answer."""
    assert 200 <= said["statusCode"] < 500, said
    for name, value in answers.SECURITY.items():
        assert (name, said["headers"][name]) in ((name, value), answers.EMBEDDABLE)
    if said["headers"].get("Content-Type") == answers.JSON and said["body"]:
        json.loads(said["body"])
    return said


def ask(event):
    with within():
        return check(APP(event, None))


def event(method, path, query, headers, body):
    """As API Gateway sends it, which need not be as our own server would."""
    resource, arguments = RESOURCES.match(path)
    return {
        "resource": resource,
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: texts[-1] for name, texts in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": arguments,
        "stageVariables": None,
        "requestContext": {"resourcePath": resource, "httpMethod": method, "path": path},
        "body": body,
        "isBase64Encoded": False,
    }


@often(250)
@given(METHODS, st.sampled_from(PATHS), QUERIES, HEADERS, BODIES)
@example("GET", "/search", {"\ud800": ["x"]}, {}, "")
@example("GET", "/jobs", {}, {"authorization": "Bearer \ud800"}, "")
@example("POST", "/seeds", {}, {"content-type": "application/json"}, "[" * 100_000)
def test_no_event_of_the_gateway_is_our_fault(method, path, query, headers, body):
    ask(event(method, path, query, headers, body))


TARGETS = st.tuples(
    st.sampled_from(PATHS),
    st.lists(
        st.sampled_from([
            "?", "&", "=", "q=", "q", "%", "%zz", "%00", "%ff", "%F0%9F%95%B8", "+", ";", "page=2",
            "é",
        ])
        | st.text(max_size=8),
        max_size=10,
    ).map("".join),
).map("".join)  # fmt: skip


@often(200)
@given(TARGETS)
@example("/search?" + "&".join(f"a{n}=1" for n in range(100_000)))
@example("/search?" + "q=silk&" * 90)
@example("/search?q=" + "%28" * 20_000)
@example("/search?q=" + "%C3%A9" * 1_000)
@example("/search?" + "&" * 60_000)
@example("/search?" + "%" * 60_000)
def test_no_address_is_our_fault(target):
    head = Head("GET", target, "HTTP/1.1", {})

    made, refused = attempt(Refused, lambda: event_of(head, b"", RESOURCES, "192.0.2.1"))

    if made is not None:
        ask(made)
    assert refused is None or refused.status in (400, 404)


HEAD = (
    b"GET /search?q=silk HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n"
    b"Accept-Encoding: gzip;q=0.5, *\r\nConnection: keep-alive\r\n\r\n"
)


@often(300)
@given(damaged(HEAD) | st.binary(max_size=60))
@example(b"\r\n" * 30_000)
@example(b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 10_000)
@example(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: " + "٣".encode() + b"\r\n\r\n")
def test_bytes_are_a_request_or_are_refused(data):
    head, refused = attempt(Refused, lambda: parse_head(data))
    length, refused_body = attempt(Refused, lambda: head.length if head else 0)

    for each in (refused, refused_body):
        assert each is None or each.status in (400, 411, 413, 414, 505)
    if head is None:
        return
    assert 0 <= (length or 0) <= MAX_BODY
    assert {head.keeps_alive, head.takes_gzip} <= {True, False}
    assert not any(
        sign in name + value for name, value in head.headers.items() for sign in "\r\n\0"
    )


OUTSIDE = [
    "/../../../../etc/passwd",
    "/static/../../../../etc/passwd",
    "/static/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/static/%2e%2e/%2e%2e/etc/passwd",
    "/static/..%5c..%5cetc%5cpasswd",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/....//....//etc/passwd",
    "/static/app.js%00.html",
    "/static/..",
    "/static/../entrypoints/api/admin.py",
    "/static/%252e%252e%252fadmin.py",
    "http://127.0.0.1/../../etc/passwd",
    "file:///etc/passwd",
    "/documents/..%2f..%2fetc%2fpasswd",
    "/jobs/..%2f..%2fetc%2fpasswd",
]


@pytest.fixture(scope="module")
def address():
    with background(APP) as url:
        yield urlsplit(url)


@pytest.mark.parametrize("target", OUTSIDE)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_nothing_outside_of_the_page_is_served(address, method, target):
    with socket.create_connection((address.hostname, address.port), timeout=60) as line:
        line.sendall(
            f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        said = b"".join(iter(lambda: line.recv(65_536), b""))

    status = int(said.split(b" ", 2)[1])
    assert 400 <= status < 500
    assert status != 421, "the name is known, so the path was looked at"
    assert b"root:" not in said
    assert b"import" not in said
    assert b"nosniff" in said


@often(100)
@given(st.text(max_size=40))
def test_what_was_asked_comes_back_as_text_only(text):
    said = ask(event("GET", "/search", {"q": [text]}, {}, ""))

    assert said["headers"]["Content-Type"] == answers.JSON
