"""Send the stored pages of templates to PARSE of a stack, which reads them again.

How far this has come is kept on this machine, so that a command that was interrupted goes on there.
A page that is sent twice is read twice, and has the same documents.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.transfer.collection import lots
from gossamer.entrypoints.cli.stack.transfer_journal import FileJournal
from gossamer.entrypoints.cli.templates.applying import Applied, forget_counts, stored_pages
from gossamer.entrypoints.local.report import counted
from gossamer.messages import Emission

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gossamer.ports.home import Home

AT_ONCE = 1_000  # URLs that are looked at between two entries of the journal


class Sent(msgspec.Struct, kw_only=True):
    """How far the pages of a template have been sent; of other settings it is begun anew."""

    stack: str
    template: str
    settings: int  # their version
    mark: bytes = b""
    pages: int = 0

    def is_like(self, other: Sent) -> bool:
        """Whether it is about the same pages."""
        ours, theirs = (self.stack, self.template), (other.stack, other.template)
        return (*ours, self.settings) == (*theirs, other.settings)


class Sending:
    """Pages on their way to PARSE."""

    def __init__(self, home: Home, stack: str, name: str, folder: Path) -> None:
        self._home, self._name = home, name
        where = f"{stack}/{home.collection}"
        plan = Sent(stack=where, template=name, settings=home.settings.get().version)
        self._journal = FileJournal(folder / f"{home.collection}.reread.json", Sent)
        before = self._journal.load()
        self.resumed = before is not None and before.is_like(plan)
        self._sent = before if before is not None and self.resumed else plan

    def run(self, show: Callable[[str], None]) -> Applied:
        """Send what has not been sent."""
        began = time.perf_counter()
        if not self.resumed:
            forget_counts(self._home, self._name, time.time())
        pages = stored_pages(self._home, self._name).messages(self._sent.mark)
        for lot in lots(pages, AT_ONCE):
            sent = [Emission("parse", message) for _, message in lot if message is not None]
            self._home.queues.send(sent, time.time())
            self._sent.pages += len(sent)
            self._sent.mark = lot[-1][0]
            if len(lot) == AT_ONCE:  # else it was the last one
                self._journal.save(self._sent)
            show(f"{counted(self._sent.pages, 'page')} sent to PARSE")
        self._journal.forget()
        seconds = round(time.perf_counter() - began, 3)
        count = self._sent.pages
        return Applied(pages=count, sent=count, resumed=self.resumed, seconds=seconds)
