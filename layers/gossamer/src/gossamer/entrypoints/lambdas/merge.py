"""MERGE in the cloud: one task of a large merge at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.merge import merge_task
from gossamer.entrypoints.lambdas.sqs import Case, answer, read
from gossamer.messages import MergeTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker


def merge_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler for the stream `merge`."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("merge", context):
            cases = [Case(record) for record in event["Records"]]
            for case in cases:
                _deal_with(case, opened)
            return answer("merge", cases, opened)

    return handler


def _deal_with(case: Case, worker: Worker) -> None:
    began = worker.clock()
    try:
        case.message = read("merge", case.record["body"])
        if isinstance(case.message, MergeTask):
            case.emissions = merge_task(case.message, worker.writer)
    except Exception as error:  # noqa: BLE001 — the outermost frame of a message
        case.error = error
    case.seconds = worker.clock() - began
