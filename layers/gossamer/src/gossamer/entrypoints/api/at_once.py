"""Replies to what needs no search, by the process that holds the connections.

Whether the server is alive, its page and its description: no query, however slow, holds these up,
not even when every process is busy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.reply import Replier
from gossamer.entrypoints.api.routes import make_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.api.backend import SearchService
    from gossamer.entrypoints.api.reply import Asked, Reply
    from gossamer.entrypoints.api.server import Repliers

_needs_no_search = re.compile(
    r"/(?:health|openapi\.json|opensearch\.xml|static/[^/?]*)?(?:\?|\Z)"
).match


class AtOnce:
    """Asks others only what they must be asked."""

    def __init__(self, others: Repliers, check: Callable[[], object]) -> None:
        """`check` raises an error if the others cannot reply at all; it takes no time."""
        self._others, self._is_opening = others, False
        # Of a backend, what is answered here only calls this.
        backend = Backend(cast("Callable[[], SearchService]", check))
        self._replier = Replier(make_app(backend))

    async def open(self) -> None:
        """Be ready for requests; until then those that come wait with the others."""
        self._is_opening = True
        await self._others.open()
        self._is_opening = False

    async def close(self) -> None:
        """Stop."""
        await self._others.close()

    async def reply(self, asked: Asked) -> Reply:
        """The reply to a request."""
        if not self._is_opening and _needs_no_search(asked.head.target):
            return self._replier.reply(asked)
        return await self._others.reply(asked)
