"""May every function do what it does, and nothing else? Asked last, when all have worked.

tests/functions/test_rehearsal.py asks the same of a stack whose clock is moved by weeks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any
from urllib.parse import quote

import pytest

from gossamer.entrypoints.api.gateway_event import Head, Resources, event_of
from gossamer.entrypoints.api.routes import ROUTES
from gossamer.topology import TOPOLOGY
from tests.topology.template import BY_LAMBDA, allowed_calls, load

FUNCTIONS = (
    *("schedule", "fetch", "parse", "links", "index", "compact", "merge", "rank", "recrawl"),
    *("search", "api"),
)
QUERY = 'silk "silk thread" thr* site:localhost'
# What a function may do, and does, though not in these tests, with the reason.
RARE = {
    ("schedule", "sqs:SendMessage", "queue:frontier"): "a parked host whose time has come",
    ("schedule", "dynamodb:GetItem", "frontier"): "the same: is there anything to take?",
    ("schedule", "dynamodb:GetItem", "urls"): "a unit that a parked URL holds is taken back",
    ("fetch", "dynamodb:Query", "domains"): "the robots.txt of a host, when another wrote it",
    ("links", "dynamodb:UpdateItem", "urls"): "a URL that was found again by a better way",
    ("links", "dynamodb:GetItem", "urls"): "a URL that another page adds at the same moment",
    ("fetch", "dynamodb:PutItem", "frontier"): "a retry that waits longer than SQS can is parked",
    (
        "links",
        "dynamodb:BatchGetItem",
        "domains",
    ): "what a found host of a thousand URLs has earned",
    ("rank", "dynamodb:UpdateItem", "domains"): "a host that is worth more, or less, than before",
    ("parse", "s3:PutObject", "bucket:documents/"): "a document larger than an item may be",
    ("index", "s3:GetObject", "bucket:documents/"): "the same, read again",
    ("api", "s3:GetObject", "bucket:documents/"): "the same, shown",
    ("links", "dynamodb:BatchWriteItem", "edges"): "a page that has fewer links than before",
    ("links", "sqs:SendMessage", "queue:parse"): "a page that was found again by a shorter way",
    ("index", "s3:AbortMultipartUpload", "bucket:index/"): "a large segment that was not finished",
    ("index", "s3:GetObject", "bucket:similar/"): "founders that another function has written",
    ("index", "s3:DeleteObject", "bucket:similar/"): "founders that were merged an hour ago",
    ("index", "s3:AbortMultipartUpload", "bucket:similar/"): "a large merge of founders",
    ("index", "s3:ListBucket", "bucket:"): "never called: S3 asks for it when a file is missing",
    ("compact", "dynamodb:BatchWriteItem", "inverted_index"): "heads of 8,000 documents or more",
    ("merge", "dynamodb:BatchWriteItem", "inverted_index"): "heads of 8,000 documents or more",
    ("merge", "s3:DeleteObject", "bucket:index/"): "a merge that another process did first",
    ("merge", "s3:AbortMultipartUpload", "bucket:index/"): "a large merge that was not finished",
    ("merge", "s3:ListBucket", "bucket:"): "never called: S3 asks for it when a file is missing",
    ("compact", "s3:DeleteObject", "bucket:index/"): "what was merged, minutes later",
    ("compact", "s3:AbortMultipartUpload", "bucket:index/"): "a large merge that was not finished",
    ("rank", "s3:ListBucket", "bucket:"): "never called: S3 asks for it when a file is missing",
    ("api", "s3:ListBucket", "bucket:"): "the same",
    (
        "api",
        "dynamodb:Query",
        "inverted_index/by_tfidf",
    ): "heads of segments of 8,000 documents or more",
    ("api", "dynamodb:Query", "domains"): "the robots.txt of the host of a URL that is explained",
    ("compact", "dynamodb:PutItem", "stats"): "an hour that is over: tests/functions/stories.py",
    ("api", "dynamodb:Scan", "stats"): "before the first hour was added up",
    ("api", "lambda:InvokeFunction", "function:search"): "beyond two million documents",
    ("search", "dynamodb:Query", "inverted_index/by_tfidf"): "heads, as above",
    ("search", "s3:GetObject", "bucket:documents/"): "a document larger than an item may be",
    ("search", "s3:ListBucket", "bucket:"): "never called, as above",
    ("recrawl", "dynamodb:UpdateItem", "urls"): "a URL whose host was ill, and may be well again",
    ("recrawl", "dynamodb:BatchGetItem", "domains"): "what found hosts have earned, in a job that"
    " goes anywhere",
    ("recrawl", "dynamodb:UpdateItem", "domains"): "the same: URLs that they may give now",
    ("recrawl", "dynamodb:Query", "domains"): "the robots.txt of a host, when another wrote it",
    ("api", "sqs:SendMessage", "queue:frontier"): "a job that is resumed and had parked URLs",
    ("api", "dynamodb:GetItem", "frontier"): "the same",
    ("api", "dynamodb:Query", "frontier"): "the same",
    ("api", "dynamodb:DeleteItem", "frontier"): "the same, stopped",
    ("api", "dynamodb:BatchGetItem", "domains"): "the same: quotas of its hosts",
    ("api", "dynamodb:UpdateItem", "domains"): "the same",
    ("api", "dynamodb:Scan", "urls"): "a limit for a job that had none: what it has is counted",
    ("api", "dynamodb:UpdateItem", "urls"): "the same",
}
for edge in TOPOLOGY:
    RARE[edge.bolt, "sqs:ChangeMessageVisibility", f"queue:{edge.reads}"] = "a message that failed"
    RARE["schedule", "sqs:SendMessage", f"queue:{edge.reads}-dead"] = "what SQS gave up of a stream"

# What depends on chance, or on what other tests did before: a host that is met again, a job that is
# resumed, a budget that comes to its end.
for bolt, action, on in (
    ("schedule", "dynamodb:BatchGetItem", "frontier"),
    ("schedule", "dynamodb:BatchGetItem", "urls"),
    ("schedule", "dynamodb:DeleteItem", "frontier"),
    ("schedule", "dynamodb:Query", "domains"),
    ("schedule", "dynamodb:Query", "frontier"),
    ("schedule", "dynamodb:Scan", "frontier"),
    ("schedule", "dynamodb:Scan", "stats"),
    ("schedule", "dynamodb:UpdateItem", "urls"),
    ("fetch", "dynamodb:BatchGetItem", "urls"),
    ("fetch", "dynamodb:GetItem", "stats"),
    ("fetch", "dynamodb:PutItem", "domains"),
    ("fetch", "dynamodb:PutItem", "urls"),
    ("fetch", "dynamodb:Scan", "stats"),
    ("fetch", "dynamodb:UpdateItem", "jobs"),
    ("fetch", "sqs:SendMessage", "queue:fetch"),
    ("fetch", "sqs:SendMessage", "queue:index"),
    ("fetch", "sqs:SendMessage", "queue:links"),
    ("parse", "dynamodb:GetItem", "urls"),
    ("parse", "dynamodb:PutItem", "urls"),
    ("parse", "dynamodb:UpdateItem", "jobs"),
    ("parse", "sqs:SendMessage", "queue:frontier"),
    ("index", "dynamodb:GetItem", "urls"),
    ("api", "dynamodb:Query", "frontier/by_due"),
    ("api", "dynamodb:Query", "jobs/by_state"),
):
    RARE.setdefault((bolt, action, on), "not in every run of these tests")

EXPLAIN = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


def explain_url(url: str) -> dict[str, object]:
    """What a language model asks."""
    return {"name": "explain_url", "arguments": {"url": url}}


def rest_event(method: str, target: str, key: str, body: str = "") -> dict[str, Any]:
    """What API Gateway would send; an emulator does not log what a function writes for it."""
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    head = Head(method, target, "HTTP/1.1", headers)
    return event_of(head, body.encode(), Resources([route.path for route in ROUTES]), "192.0.2.7")


@pytest.fixture(scope="module")
def called(stack) -> dict[str, set[tuple[str, str]]]:
    """What each function asked of AWS in all its invocations, from its own log."""
    secrets = stack.client("secretsmanager")
    key = secrets.get_secret_value(SecretId=f"{stack.name}-admin-key")["SecretString"]
    best = stack.ask("/search?q=silk").json["hits"][0]
    for method, target, body in (
        ("GET", f"/search?q={quote(QUERY)}&explain=true", ""),
        ("GET", f"/documents/{best['id']}", ""),
        ("GET", f"/documents/{best['id']}/cached", ""),
        ("POST", "/mcp", json.dumps(EXPLAIN | {"params": explain_url(best["url"])})),
        ("GET", "/stats", ""),
        ("GET", "/jobs", ""),
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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_did_what_it_may_do(called, function, emulator):
    if emulator.kind != "ministack":
        pytest.skip("a function's log ends there when it is deployed again")
    rare = {(action, on) for name, action, on in RARE if name == function}
    unused = allowed_calls(load())[function] - called[function] - rare
    unused = {(action, on) for action, on in unused if action not in BY_LAMBDA}

    assert not unused, told(unused)


def told(calls: set[tuple[str, str]]) -> str:
    return ", ".join(f"{action} {on}" for action, on in sorted(calls))
