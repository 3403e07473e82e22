"""The Model Context Protocol over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.api.answers import Content, Request

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend


def mcp(backend: Backend, request: Request) -> Content:
    """The Model Context Protocol: one message, one answer, no session."""
    from gossamer.entrypoints.mcp.protocol import handle
    from gossamer.entrypoints.mcp.tools import Tools

    reply = handle(request.body, Tools(backend.search), request.headers)
    body = "" if reply.body is None else msgspec.json.encode(reply.body).decode()
    return Content(body, status=reply.status)
