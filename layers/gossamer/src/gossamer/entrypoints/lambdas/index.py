"""How do documents reach INDEX? A whole batch of messages becomes one delta segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.batch.near_duplicates import clusters_of
from gossamer.bolts.index import due, index, remove, words_of
from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.lambdas.sqs import Case, answer, read
from gossamer.messages import DocumentParsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.collection import Weights
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.entrypoints.lambdas.sqs import Handler, Home, Record
    from gossamer.ports.index import IndexStore


class IndexHome:
    """What INDEX needs beside its home."""

    def __init__(
        self,
        home: Home,
        store: IndexStore,
        analyzer: Callable[[], Analyzer],
        weights: Weights,
    ) -> None:
        self.home = home
        self.store = store
        self.analyzer = analyzer
        self.weights = weights


def index_handler(home: Callable[[], IndexHome]) -> Handler:
    """A Lambda handler for the stream `index`."""

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        opened = home()
        with opened.home.telemetry.invocation("index", context):
            cases = [_case(record) for record in event["Records"]]
            _index_all([case for case in cases if case.error is None], opened)
            return answer("index", cases, opened.home)

    return handler


def _case(record: Record) -> Case:
    case = Case(record)
    try:
        case.message = read("index", record["body"])
    except UndecodableMessage as error:
        case.error = error
    return case


def _index_all(cases: list[Case], opened: IndexHome) -> None:
    home = opened.home
    began = home.clock()
    messages = [case.message for case in cases if isinstance(case.message, DocumentParsed)]
    try:
        versions = due([m for m in messages if not m.gone], home.ports.documents)
        analyzer = opened.analyzer()
        words = words_of(versions, analyzer)
        clusters = clusters_of(versions, words, home.ports.contents, home.ports.documents)
        postings = index(versions, opened.store, analyzer, opened.weights, began, clusters, words)
        removed = remove(messages, home.ports.urls, opened.store)
    except Exception as error:  # noqa: BLE001 — the outermost frame of a batch
        for case in cases:
            case.error = error
        return
    home.telemetry.count("Documents", len(versions))
    home.telemetry.count("Postings", postings)
    if removed:
        home.telemetry.count("Removed", removed)
    for case in cases:
        case.seconds = home.clock() - began
