"""Parser in this process: a Lambda is its own sandbox, but its time is not the page's.

A page that takes longer than PATIENCE is given up by an alarm. Without it the function itself would
run out of time, its whole batch would come back, and the same page would stop it again.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.core.crawl.job import Rules
from gossamer.core.errors import CorruptRecord
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.page.document import ParsedPage
    from gossamer.messages import PageFetched
    from gossamer.ports.pages import PageStore, StoredPage

PATIENCE = 20.0  # seconds, where a real page takes milliseconds
AGAIN = 1.0  # seconds after which an alarm that was swallowed rings again


class _TooLong(BaseException):
    """Not an Exception: parsers catch those."""


class StoredParser:
    """Reads a page from its store and parses it."""

    def __init__(self, pages: PageStore, patience: float = PATIENCE) -> None:
        self._pages = pages
        self._patience = patience
        self._config: JobConfig | None = None
        self._rules: Rules | None = None

    async def parse(self, page: PageFetched, config: JobConfig) -> ParsedPage | Unparsed:
        try:
            stored = await asyncio.to_thread(self._pages.read, page.page)
        except CorruptRecord:
            return Unparsed("corrupt-record")
        return self._parse(page, stored, self._rules_of(config))

    def _parse(self, page: PageFetched, stored: StoredPage, rules: Rules) -> ParsedPage | Unparsed:
        # The parsers of HTML lie in a layer that only PARSE has.
        from gossamer.core.page.read_response import read_response

        try:
            with _alarm(self._patience):
                return read_response(page.purpose, stored.body, page.url, stored.headers, rules)
        except (Exception, _TooLong):  # noqa: BLE001 whatever a page does, the batch goes on
            return Unparsed("parser-gave-up")

    def _rules_of(self, config: JobConfig) -> Rules:
        if self._rules is None or self._config is not config:
            self._config, self._rules = config, Rules(config)
        return self._rules


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise _TooLong in what runs inside. Only the main thread, which a Lambda runs in, can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
