"""Replies by a few threads of this process.

The app is called by several threads at once, which is safe because ours keeps no request on itself
(see routes.py); its search service must be safe too. Threads do not make a search faster, as they
share an interpreter: they keep a slow one from blocking the quick.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from gossamer.entrypoints.api.reply import Replier

if TYPE_CHECKING:
    from gossamer.entrypoints.api.gateway_event import App
    from gossamer.entrypoints.api.reply import Asked, Reply

THREADS = 4


class Threads:
    """Some threads that ask one app."""

    def __init__(self, app: App, count: int = THREADS) -> None:
        self._replier = Replier(app)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="api")

    async def open(self) -> None:
        """Nothing: threads start with the first requests."""

    async def reply(self, asked: Asked) -> Reply:
        """The reply of the next thread that is free."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._replier.reply, asked)

    async def close(self) -> None:
        """Wait for none of them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
