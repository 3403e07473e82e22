"""Does a client library of others understand our Model Context Protocol, old and new, both ways?"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.background_server import background
from tests.commands import judged_folder, said
from tests.fake_search import Served

if TYPE_CHECKING:
    from pathlib import Path

mcp = pytest.importorskip("mcp", reason="the client library mcp is not installed")

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is
ERAS = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]


async def converse(server: object, mode: str, query: str) -> tuple[str, list[str], str, str]:
    """The revision, the tools, the first title found, and the beginning of its document."""
    async with (
        asyncio.timeout(SECONDS),
        mcp.Client(server, mode=mode, read_timeout_seconds=SECONDS) as client,
    ):
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("search", {"query": query})
        first = found.structured_content["results"][0]
        read = await client.call_tool("read", {"id": first["id"]})
        wrong = await client.call_tool("search", {"query": query, "limit": 1000})
        assert wrong.is_error
        return client.protocol_version, names, first["title"], read.content[0].text


@pytest.mark.parametrize(("mode", "version"), ERAS)
def test_over_http(mode: str, version: str) -> None:
    with background(Served().app()) as address:
        said_ = asyncio.run(converse(f"{address}mcp", mode, "silk moth"))

    assert said_[:3] == (version, ["search", "read", "explain_url", "collections"], "Silk moth")
    assert said_[3].startswith("# Silk moth\n")


@pytest.mark.parametrize(("mode", "version"), ERAS)
def test_over_stdio(mode: str, version: str, tmp_path: Path) -> None:
    said("index", "--data", tmp_path / "data", judged_folder(tmp_path / "judged"))
    command = ["-m", "gossamer.entrypoints.cli.main", "mcp", "--data", str(tmp_path / "data")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    server = mcp.StdioServerParameters(command=sys.executable, args=command, env=environment)

    version_, _, title, text = asyncio.run(converse(server, mode, "silk"))

    assert (version_, title) == (version, "Silk")
    assert "Silk is stronger than steel." in text
