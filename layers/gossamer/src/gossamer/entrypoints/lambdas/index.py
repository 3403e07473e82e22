"""INDEX in the cloud: a whole batch of messages becomes one segment.

Or several, if its pages have very many documents: memory is bounded.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from gossamer.batch.index import index_batch
from gossamer.bolts.index import analyzer_of, due, gone_of, without
from gossamer.core.errors import UndecodableMessage
from gossamer.core.ids import page_of
from gossamer.entrypoints.lambdas.sqs import Case, answer, read
from gossamer.messages import DocumentParsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Record, Worker
    from gossamer.ports.documents import Version

LOT = 10_000  # documents; a batch of messages has as many only if its pages hold long lists


def index_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler for the stream `index`."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("index", context):
            cases = [_case(record) for record in event["Records"]]
            _index_all([case for case in cases if case.error is None], opened)
            return answer("index", cases, opened)

    return handler


def _case(record: Record) -> Case:
    case = Case(record)
    try:
        case.message = read("index", record["body"])
    except UndecodableMessage as error:
        case.error = error
    return case


def _index_all(cases: list[Case], worker: Worker) -> None:
    began = worker.clock()
    messages = [case.message for case in cases if isinstance(case.message, DocumentParsed)]
    try:
        counts = _index(messages, worker)
    except Exception as error:  # noqa: BLE001 — the outermost frame of a batch
        for case in cases:
            case.error = error
        return
    for name, count in counts.items():
        worker.telemetry.count(name, count)
    for case in cases:
        case.seconds = worker.clock() - began


def _index(messages: list[DocumentParsed], worker: Worker) -> dict[str, int]:
    """Index what was parsed and remove what is gone; returns how much."""
    home = worker.home
    gone = gone_of(messages, home.urls)
    versions = without(due([m for m in messages if not m.gone], home.documents), gone)
    counts = {"Documents": len(versions), "Postings": 0}
    schema = home.settings.get().schema  # each time: after a change all documents are sent again
    for number, lot in enumerate(_lots(versions) or [[]]):
        # The analyzer is asked for each time: the first batch of a collection decides it.
        counts["Postings"] += index_batch(
            lot, home, worker.writer, analyzer_of(home), schema, {} if number else gone
        )
    return counts | ({"Removed": len(gone)} if gone else {})


def _lots(versions: Sequence[Version]) -> list[list[Version]]:
    """Documents in lots that fit into memory, each with all documents of its pages."""
    lots: list[list[Version]] = []
    for _, page in groupby(versions, lambda version: page_of(version.id)):
        if not lots or len(lots[-1]) >= LOT:
            lots.append([])
        lots[-1] += page
    return lots
