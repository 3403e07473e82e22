"""INDEX in the cloud: a whole batch of messages becomes one segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.batch.index_parsed import index_parsed
from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.lambdas.sqs import Case, answer, read
from gossamer.messages import DocumentParsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Record, Worker


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
        done = index_parsed(messages, worker.home, worker.writer)
    except Exception as error:  # noqa: BLE001 — the outermost frame of a batch
        for case in cases:
            case.error = error
        return
    worker.telemetry.count("Documents", done.documents)
    worker.telemetry.count("Postings", done.postings)
    if done.removed:
        worker.telemetry.count("Removed", done.removed)
    for case in cases:
        case.seconds = worker.clock() - began
