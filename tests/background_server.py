"""The API's server beside a test."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from gossamer.entrypoints.api.server import OWN, Server
from gossamer.entrypoints.api.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.entrypoints.api.access import Access
    from gossamer.entrypoints.api.gateway_event import App


@contextlib.contextmanager
def background(
    app: App, host: str = "127.0.0.1", port: int = 0, access: Access = OWN
) -> Iterator[str]:
    """Serve beside the caller for as long as the block lasts; gives the address."""
    address: Future[str] = Future()
    stopper: Future[Callable[[], object]] = Future()

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        stopper.set_result(lambda: loop.call_soon_threadsafe(stop.set))
        await Server(Threads(app), access).run(host, port, stop, address.set_result)

    def run() -> None:
        try:
            asyncio.run(main())
        except OSError as error:
            address.set_exception(error)

    thread = threading.Thread(target=run, name="serve", daemon=True)
    thread.start()
    try:
        yield address.result()
    finally:
        if not address.exception():
            stopper.result()()
        thread.join()
