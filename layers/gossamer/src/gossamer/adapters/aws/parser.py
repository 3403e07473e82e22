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

from gossamer.adapters.native_reader import NATIVE_TYPES, read_in_child
from gossamer.core.crawl.job import Rules
from gossamer.core.errors import CorruptRecord
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.templates.collected import Templates
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
        self._rules: Rules | None = None

    async def parse(
        self, page: PageFetched, config: JobConfig, templates: Templates = ()
    ) -> ParsedPage | Unparsed:
        try:
            stored = await asyncio.to_thread(self._pages.read, page.page)
        except CorruptRecord:
            return Unparsed("corrupt-record")
        return self._parse(page, stored, self._rules_of(config, templates))

    def _parse(self, page: PageFetched, stored: StoredPage, rules: Rules) -> ParsedPage | Unparsed:
        # The parsers of HTML lie in a layer that only PARSE has.
        from gossamer.core.page.read_response import read_response

        def read() -> ParsedPage:
            return read_response(page.purpose, stored.body, page.url, stored.headers, rules)

        try:
            if _is_native(stored) or _has_selectors(rules, page.url):
                return read_in_child(read, self._patience) or Unparsed("parser-gave-up")
            with _alarm(self._patience):
                return read()
        except (Exception, _TooLong):  # noqa: BLE001 whatever a page does, the batch goes on
            return Unparsed("parser-gave-up")

    def _rules_of(self, config: JobConfig, templates: Templates) -> Rules:
        known = self._rules
        if known is None or known.config is not config or known.templates is not templates:
            self._rules = known = Rules(config, templates)
        return known


def _is_native(stored: StoredPage) -> bool:
    """Whether native code that no alarm interrupts reads it."""
    said = (value for name, value in stored.headers if name.lower() == "content-type")
    return next(said, "").partition(";")[0].strip().lower() in NATIVE_TYPES


def _has_selectors(rules: Rules, url: str) -> bool:
    """Whether selectors of people are asked of a page, which libxml2 may never end."""
    return bool(rules.config.link_scope) or rules.template_for(url) is not None


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
