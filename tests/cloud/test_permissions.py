"""May every function do what it did? Asked last, when all have worked.

That each does everything that it may do is held by tests/functions/test_rehearsal.py, by stories.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any
from urllib.parse import quote

import pytest

from gossamer.entrypoints.api.gateway_event import Head, Resources, event_of
from gossamer.entrypoints.api.routes import ROUTES
from tests.cloud import crawls
from tests.topology.template import allowed_calls, load

FUNCTIONS = (
    *("schedule", "fetch", "parse", "links", "index", "compact", "merge", "rank", "recrawl"),
    *("search", "api"),
)
QUERY = 'silk "silk thread" thr* site:localhost'
EXPLAIN = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


def explain_url(url: str) -> dict[str, object]:
    """What a language model asks."""
    return {"name": "explain_url", "arguments": {"url": url}}


def rest_event(method: str, target: str, key: str, body: str = "") -> dict[str, Any]:
    """What API Gateway would send; an emulator does not log what a function writes for it."""
    kind = "text/plain" if target == "/synonyms" else "application/json"
    headers = {"authorization": f"Bearer {key}", "content-type": kind, "if-match": "*"}
    head = Head(method, target, "HTTP/1.1", headers)
    return event_of(head, body.encode(), Resources([route.path for route in ROUTES]), "192.0.2.7")


@pytest.fixture(scope="module")
def called(stack) -> dict[str, set[tuple[str, str]]]:
    """What each function asked of AWS in all its invocations, from its own log."""
    secrets = stack.client("secretsmanager")
    key = secrets.get_secret_value(SecretId=f"{stack.name}-admin-key")["SecretString"]
    best = crawls.search(stack, "silk").json["hits"][0]
    for method, target, body in (
        ("GET", f"/search?q={quote(QUERY)}&explain=true", ""),
        ("GET", f"/documents/{best['id']}", ""),
        ("GET", f"/documents/{best['id']}/cached", ""),
        ("POST", "/mcp", json.dumps(EXPLAIN | {"params": explain_url(best["url"])})),
        ("GET", "/stats", ""),
        ("GET", "/jobs", ""),
        ("PUT", "/synonyms", "cocoon, pupa"),
        ("DELETE", "/synonyms", ""),
        ("PATCH", "/settings", "{}"),
        ("POST", "/seeds", '{"urls": ["https://a.test/"], "job": "permitted"}'),
        ("POST", "/jobs/permitted/stop", "{}"),
    ):
        answer = stack.invoke("api", rest_event(method, target, key, body))
        assert answer.payload["statusCode"] == 200, (target, answer)
    stack.invoke("rank", {"rank": True})
    calls: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for function in FUNCTIONS:
        for entry in stack.logs(function):
            for call in entry.get("calls", {}):
                action, _, resource = call.partition(" ")
                calls[function].add((action, resource))
    return calls


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_what_it_did(called, function):
    forbidden = called[function] - allowed_calls(load())[function]

    assert not forbidden, told(forbidden)


def told(calls: set[tuple[str, str]]) -> str:
    return ", ".join(f"{action} {on}" for action, on in sorted(calls))
