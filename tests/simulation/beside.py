"""INDEX as it works beside a crawl on one machine: what it was told is in memory only.

A process indexes lot after lot. When it dies, the crawl hands its lot to another one; when the
crawl dies, all that waited is forgotten. What is forgotten is made up for when the crawl has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.batch.index import index_pending
from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.sqs import read
from gossamer.entrypoints.local.index_beside import EVERY
from gossamer.entrypoints.local.index_child import Lot, index_lot
from gossamer.messages import DocumentParsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from tests.simulation.account import Account

MOST_DEATHS = 20  # of processes that make up for what was forgotten


class Beside:
    """Hands what was parsed to a process that indexes, lot by lot."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._waiting: list[DocumentParsed] = []
        self._is_busy = False

    def handler(self, worker: Callable[[], Worker]) -> Handler:
        """A message is acknowledged as soon as it is known of; what cannot be read is buried."""

        def handle(event: Json, context: object) -> Json:
            try:
                found = [read("index", record["body"]) for record in event["Records"]]
            except UndecodableMessage:
                return index_handler(worker)(event, context)
            self._waiting += [message for message in found if isinstance(message, DocumentParsed)]
            self._later()
            return {"batchItemFailures": []}

        return handle

    def _later(self) -> None:
        kernel = self._account.kernel
        kernel.at(kernel.now + EVERY, self._hand_out)

    def _hand_out(self) -> None:
        if self._waiting and not self._is_busy:
            lot, self._waiting, self._is_busy = self._waiting, [], True
            self._account.call("beside", lambda opened: self._index(lot, opened))

    def _index(self, lot: list[DocumentParsed], opened: Worker) -> None:
        done = False
        try:
            index_lot(Lot(lot), opened.home, opened.writer)
            done = True
        finally:
            self._is_busy = False
            if not done:
                self._died(lot)
            self._later()

    def _died(self, lot: list[DocumentParsed]) -> None:
        """The process died: by itself, or with the whole crawl."""
        alone = self._account.kernel.chance.random() < 0.5
        self._waiting = [*lot, *self._waiting] if alone else []

    def make_up(self) -> Made:
        """Index what is not indexed, in a process that may die."""
        made = Made()

        def work(opened: Worker) -> None:
            index_pending(opened.home, opened.writer)
            made.whole = True

        self._account.call("index", work)
        return made


class Made:
    """Whether everything was made up for; not, if the process died."""

    whole = False
