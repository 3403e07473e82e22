"""Is seen by its address what takes long, and nothing else?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.api.expensive import looks_slow
from scripts.bench.worlds.worst_queries import worst


@pytest.mark.parametrize("target", worst(0).values(), ids=worst(0))
def test_the_worst_queries_look_slow(target):
    assert looks_slow(target)


@pytest.mark.parametrize(
    "target",
    [
        "/search?q=a*+b*+c*",
        "/search?q=a%2A%20b%2a%20c%2A",
        "/search.rss?q=a*|b*|c*",
        "/html?q=a*|b*|c*",
        "/search?q=url:a|url:b|url%3Ac",
        "/search?q=web&explain=true&limit=20",
        "/search?q=web&limit=100",
        "/search?q=web&page=120&limit=10",
        "/search?q=" + "+".join(["web"] * 30),
        "/documents/0123/cached",
    ],
)
def test_what_does_much_looks_slow(target):
    assert looks_slow(target)


CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search"}}'
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


@pytest.mark.parametrize("body", [CALL, b"[%b, %b]" % (PING, CALL), CALL[:-2] + b', "\xff": 1}}'])
def test_a_call_of_a_tool_looks_slow(body):
    assert looks_slow("/mcp", body)
    assert looks_slow("/mcp?x=1", body)


@pytest.mark.parametrize("body", [PING, b"[%b]" % PING, b"", b"{", b"[[]]", b"[" * 60_000, b"\xff"])
def test_other_messages_of_a_model_do_not_look_slow(body):
    assert not looks_slow("/mcp", body)


@pytest.mark.parametrize(
    "target",
    [
        "/search?q=web",
        "/search?q=s*",
        "/search?q=web&facets=site&sort=-date&exact_total=true",
        "/search?q=web&explain=true",
        "/search?q=web&page=2&limit=50&similar=all",
        "/search?q=web&limit=\u00b2&page=x&explain=",
        "/search",
        "/search?q=***&q=web",
        "/html?q=url:a",
        "/documents/0123.md",
        "/stats",
        "/static/app.js?q=a*b*c*",
    ],
)
def test_what_is_usual_does_not_look_slow(target):
    assert not looks_slow(target)
