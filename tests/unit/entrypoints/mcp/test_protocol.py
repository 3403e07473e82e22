"""Is every message answered as its revision of the protocol demands?"""

from __future__ import annotations

import base64
import json

import pytest

from gossamer.entrypoints.mcp.protocol import (
    LEGACY,
    MAX_BATCH_MESSAGES,
    MODERN,
    VERSIONS,
    WITH_BATCHES,
    handle,
)
from gossamer.entrypoints.mcp.tools import Tools
from tests.fake_search import FakeSearch, fake_id

NEW = MODERN[0]
META = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOOLS = Tools(FakeSearch)


def message(method, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def said(value, headers=None):
    """The body of an answer, and its status over HTTP."""
    reply = handle(json.dumps(value), TOOLS, headers)
    return json.loads(json.dumps(reply.body)), reply.status


def modern(method, headers=None, meta=None, **params):
    return said(message(method, _meta=META if meta is None else meta, **params), headers)


def headers(method, **more):
    usual = {"mcp-protocol-version": NEW, "mcp-method": method}
    return usual | {name.replace("_", "-"): value for name, value in more.items()}


class TestRevision2026:
    def test_a_server_tells_what_it_is(self):
        body, status = modern("server/discover")

        result = body["result"]
        assert status == 200
        assert result["resultType"] == "complete"
        assert result["supportedVersions"] == list(VERSIONS)
        assert result["capabilities"] == {"tools": {}}
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "gossamer"
        assert result["cacheScope"] == "public"

    def test_tools_are_listed_in_one_order_and_may_be_kept(self):
        result = modern("tools/list")[0]["result"]

        names = [tool["name"] for tool in result["tools"]]
        assert names == ["search", "read", "explain_url", "collections"]
        assert result["ttlMs"] > 0
        assert all(tool["annotations"]["readOnlyHint"] for tool in result["tools"])

    def test_a_tool_is_called_without_a_handshake(self):
        result = modern("tools/call", name="search", arguments={"query": "silk"})[0]["result"]

        assert result["isError"] is False
        assert result["structuredContent"]["total"] == 4
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]

    @pytest.mark.parametrize("missing", META)
    def test_a_request_without_its_declaration_is_malformed(self, missing):
        meta = {name: value for name, value in META.items() if name != missing}

        body, status = modern("tools/list", headers("tools/list"), meta=meta)

        assert (body["error"]["code"], status) == (-32602, 400)

    def test_an_unknown_revision_hears_which_are_known(self):
        meta = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}

        body, status = modern("tools/list", meta=meta)

        assert (body["error"]["code"], status) == (-32022, 400)
        assert body["error"]["data"] == {"supported": list(VERSIONS), "requested": "1900-01-01"}

    def test_an_unknown_method_is_not_found(self):
        body, status = modern("resources/list", headers("resources/list"))

        assert (body["error"]["code"], status) == (-32601, 404)

    @pytest.mark.parametrize(
        "given",
        [
            {"mcp-protocol-version": NEW},
            {"mcp-method": "tools/call", "mcp-name": "search"},
            headers("tools/list", mcp_name="search"),
            headers("tools/call"),
            headers("tools/call", mcp_name="read"),
            headers("tools/call", mcp_name="search") | {"mcp-protocol-version": LEGACY[0]},
        ],
    )
    def test_headers_must_say_what_the_body_says(self, given):
        arguments = {"query": "silk"}

        body, status = modern("tools/call", given, name="search", arguments=arguments)

        assert (body["error"]["code"], status) == (-32020, 400)

    @pytest.mark.parametrize(
        "name", ["search", f"=?base64?{base64.b64encode(b'search').decode()}?="]
    )
    def test_headers_that_agree_are_taken(self, name):
        given = headers("tools/call", mcp_name=name)

        body, status = modern("tools/call", given, name="search", arguments={"query": "silk"})

        assert status == 200
        assert body["result"]["structuredContent"]["total"] == 4


class TestRevisions2025:
    @pytest.mark.parametrize(
        ("asked", "agreed"), [*((each, each) for each in LEGACY), ("1999-01-01", LEGACY[0]),
                              (NEW, LEGACY[0])]
    )  # fmt: skip
    def test_a_handshake_agrees_on_a_revision(self, asked, agreed):
        body, status = said(message("initialize", protocolVersion=asked, capabilities={}))

        assert status == 200
        assert body["result"]["protocolVersion"] == agreed
        assert body["result"]["serverInfo"]["name"] == "gossamer"
        assert "resultType" not in body["result"]

    def test_what_follows_needs_no_session(self):
        listed, _ = said(message("tools/list"), {"mcp-protocol-version": LEGACY[0]})
        called, _ = said(message("tools/call", name="read", arguments={"id": fake_id(1)}))
        alive, _ = said(message("ping", id="p"))

        assert len(listed["result"]["tools"]) == 4
        assert "ttlMs" not in listed["result"]
        assert called["result"]["content"][0]["text"].startswith("# Silk moth\n")
        assert alive == {"jsonrpc": "2.0", "id": "p", "result": {}}

    def test_a_notification_is_taken_in_silence(self):
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}

        assert said(told) == (None, 202)

    def test_a_batch_is_answered_as_one(self):
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}

        body, status = said([message("ping"), told, message("nope", id=2)])

        assert status == 200
        assert [each["id"] for each in body] == [1, 2]
        assert said([told]) == (None, 202)

    def test_a_batch_of_more_messages_than_allowed_is_refused_as_a_whole(self):
        full = [message("ping", id=n) for n in range(MAX_BATCH_MESSAGES)]
        assert len(said(full)[0]) == MAX_BATCH_MESSAGES

        body, status = said([*full, message("ping", id="one more")])

        assert (body["error"]["code"], status) == (-32600, 400)
        assert "at most 10" in body["error"]["message"]

    @pytest.mark.parametrize("version", [v for v in VERSIONS if v != WITH_BATCHES])
    def test_only_one_revision_has_batches(self, version):
        batch = [message("ping")]
        assert said(batch, {"mcp-protocol-version": WITH_BATCHES})[1] == 200

        body, status = said(batch, {"mcp-protocol-version": version})

        assert (body["error"]["code"], status) == (-32600, 400)
        assert WITH_BATCHES in body["error"]["message"]

    def test_a_batch_whose_messages_declare_a_later_revision_is_refused(self):
        assert said([message("ping", _meta=META)])[1] == 400

    def test_an_unknown_header_of_a_revision_is_refused(self):
        body, status = said(message("tools/list"), {"mcp-protocol-version": "2030-01-01"})

        assert (body["error"]["code"], status) == (-32022, 400)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("{", -32700),
        ("", -32700),
        ("\ud800", -32700),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a":' + "[" * 100_000, -32700),
        ("[]", -32600),
        ("1", -32600),
        ("{}", -32600),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "result": {}}', -32600),
    ],
)
def test_what_is_no_request_is_told_so_without_an_id(raw, code):
    reply = handle(raw.encode(errors="surrogatepass"), TOOLS)

    assert isinstance(reply.body, dict)
    assert (reply.body["error"]["code"], reply.status) == (code, 400)
    assert "id" not in reply.body


def test_a_tool_that_is_not_there_is_named_with_those_that_are():
    body, _ = said(message("tools/call", name="delete", arguments={}))

    assert body["error"]["code"] == -32602
    assert "search, read" in body["error"]["message"]


def test_a_defect_is_an_error_of_the_protocol_and_says_nothing_private(caplog):
    def broken():
        raise ValueError("a secret")

    reply = handle(json.dumps(message("tools/call", name="collections")), Tools(broken))

    assert isinstance(reply.body, dict)
    assert reply.body["error"]["code"] == -32603
    assert "secret" not in str(reply.body)
