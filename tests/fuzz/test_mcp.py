"""Is every message of a stranger to the tools for language models answered by the protocol?"""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gossamer.entrypoints.api.views.markdown import prefers_markdown
from gossamer.entrypoints.mcp.protocol import MODERN, VERSIONS, handle
from gossamer.entrypoints.mcp.tools import TOOLS, Tools
from tests.effort import often
from tests.fake_search import FakeSearch

STATUSES = {200, 202, 400, 404}  # a 500 would be a defect of ours
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
META = st.fixed_dictionaries(
    {},
    optional={
        "io.modelcontextprotocol/protocolVersion": st.sampled_from(VERSIONS) | ANYTHING,
        "io.modelcontextprotocol/clientCapabilities": ANYTHING,
    },
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["query", "limit", "page", "sort", "id", "url", "offset", "x"]), ANYTHING
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "_meta": META | ANYTHING,
        "name": st.sampled_from(sorted(TOOLS)) | ANYTHING,
        "arguments": ARGUMENTS | ANYTHING,
        "protocolVersion": ANYTHING,
    },
)
MESSAGES = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "method": st.sampled_from(["tools/call", "tools/list", "initialize", "server/discover"])
        | st.text(max_size=20),
    },
    optional={"id": st.integers() | st.text(max_size=5) | ANYTHING, "params": PARAMS | ANYTHING},
)
HEADERS = st.none() | st.dictionaries(
    st.sampled_from(["mcp-protocol-version", "mcp-method", "mcp-name"]),
    st.sampled_from([*MODERN, "tools/call", "search", "=?base64?!?="]) | st.text(max_size=20),
)


@often(200)
@given(MESSAGES | st.lists(MESSAGES, max_size=3), HEADERS)
def test_every_message_is_answered(message, headers):
    reply = handle(json.dumps(message), Tools(FakeSearch), headers)

    assert reply.status in STATUSES
    bodies = reply.body if isinstance(reply.body, list) else [reply.body] if reply.body else []
    for body in bodies:
        assert body["jsonrpc"] == "2.0"
        assert ("result" in body) != ("error" in body)
        assert body.get("error", {}).get("code") != -32603
        json.dumps(body)


@often(200)
@given(st.binary(max_size=60))
def test_bytes_are_a_message_or_are_refused(data):
    assert handle(data, Tools(FakeSearch)).status in STATUSES


@often(200)
@given(st.text(alphabet="text/markdown,;q=01. *json", max_size=60))
def test_whatever_is_accepted_is_read(accept):
    assert prefers_markdown(accept) in (True, False)
