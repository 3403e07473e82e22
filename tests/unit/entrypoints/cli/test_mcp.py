"""Does `gossamer mcp` speak the protocol and nothing else on its output?"""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from tests.commands import complains, judged_folder, run_here, said
from tests.topology.template import allowed_calls, load
from tests.unit.entrypoints import moto_stack

LINES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18"}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
     "params": {"name": "search", "arguments": {"query": "silk"}}},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call",
     "params": {"name": "explain_url", "arguments": {"url": "http://a.test/"}}},
    {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "collections"}},
]  # fmt: skip


@pytest.fixture
def speak(monkeypatch):
    """Run the command over lines of input; gives its lines of output."""

    def speak(*arguments):
        lines = "".join(json.dumps(line) + "\n" for line in LINES) + "\n"
        output = io.BytesIO()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines.encode())))
        monkeypatch.setattr("gossamer.entrypoints.cli.mcp.sys", SimpleNamespace(
            stdin=sys.stdin, stdout=SimpleNamespace(buffer=output)))  # fmt: skip
        assert run_here("mcp", *arguments).returncode == 0
        return [json.loads(line) for line in output.getvalue().splitlines()]

    return speak


def test_a_model_searches_this_machine(speak, tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    (data / "other.db").touch()

    opened, found, explained, listed = speak("--data", data)

    assert opened["result"]["protocolVersion"] == "2025-06-18"
    assert found["result"]["structuredContent"]["results"][0]["title"] == "Silk"
    assert explained["result"]["structuredContent"]["state"] == "unknown"
    names = [each["collection"] for each in listed["result"]["structuredContent"]["collections"]]
    assert names == ["web", "other"]


def test_a_model_searches_a_stack(speak):
    with moto_stack.aws():
        moto_stack.deploy()
        moto_stack.add_url("http://a.test/")

        opened, found, explained, listed = speak("--stack", moto_stack.STACK)

    assert opened["id"] == 1
    assert found["result"]["structuredContent"]["total"] == 0
    assert explained["result"]["structuredContent"]["state"] == "discovered"
    assert len(listed["result"]["structuredContent"]["collections"]) == 1


def test_the_function_of_the_api_may_do_what_the_tools_need():
    from gossamer.entrypoints.api.services import stack_search

    with moto_stack.aws():
        moto_stack.deploy()
        moto_stack.add_url("http://a.test/")
        moto_stack.begin_job()
        home = moto_stack.home()
        home.meter.reset()

        service = stack_search(home)
        service.explain("http://a.test/")
        service.stats()

    assert set(home.meter.calls) <= allowed_calls(load())["api"]


def test_a_collection_that_does_not_exist_is_named(tmp_path):
    assert str(tmp_path) in complains("mcp", "--data", tmp_path / "none")
