"""The Model Context Protocol over the standard streams: a message per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.mcp.protocol import handle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from gossamer.entrypoints.mcp.tools import Tools


def converse(lines: Iterable[bytes], output: BinaryIO, tools: Tools) -> None:
    """Answer message after message until the client closes the stream."""
    for line in lines:
        reply = handle(line, tools).body if line.strip() else None
        if reply is not None:
            output.write(msgspec.json.encode(reply) + b"\n")
            output.flush()
