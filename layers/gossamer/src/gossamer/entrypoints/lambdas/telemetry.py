"""Telemetry of a function: one event per message, and sums per invocation."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.core.cost.following import grown
from gossamer.messages import (
    CrawlRequest,
    DocumentParsed,
    FetchRequest,
    LinksFound,
    MergeTask,
    PageFetched,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.entrypoints.lambdas.sqs import Case
    from gossamer.messages import AnyMessage, Stream

log = logging.getLogger("gossamer")


class Telemetry:
    """Events to the log of the process."""

    @contextmanager
    def invocation(self, bolt: str, context: object) -> Iterator[None]:
        """Around everything that one event of Lambda's causes."""
        yield

    def message(self, stream: Stream, case: Case) -> None:
        """What came of one message."""
        facts = facts_of(stream, case)
        if case.error is not None:
            log.error("%s failed", stream, exc_info=case.error, extra={"facts": facts})
        else:
            log.info("%s done", stream, extra={"facts": facts})

    def buried(self, stream: Stream, case: Case, reason: str) -> None:
        """A message became a dead letter."""
        log.error("%s: dead letter %s: %s", stream, case.record["messageId"], reason)

    def lost(self, stream: Stream, reason: str) -> None:
        """A message that SQS gave up became a dead letter."""
        log.error("%s: dead letter: %s", stream, reason)

    def template(self, name: str, alarms: Sequence[str]) -> None:
        """A template finds less than before."""
        log.warning("template %s: %s", name, "; ".join(alarms))

    def add_up(self) -> None:
        """Put the sums of hours that are over together; functions that only read never do."""

    def count(self, name: str, by: float = 1) -> None:
        """Add to a sum of this invocation."""


def to_come(stream: Stream, case: Case) -> float:
    """US dollars by which a message changed what its job will still cost; it may come back."""
    if case.error is not None:
        return 0.0
    is_seed = isinstance(case.message, LinksFound) and not case.message.source
    return grown("" if is_seed else stream, [emission.stream for emission in case.emissions])


def facts_of(stream: Stream, case: Case) -> dict[str, object]:
    """A message and what came of it, as a log shows it."""
    facts: dict[str, object] = {
        "stream": stream,
        "message_id": case.record["messageId"],
        "received": case.received,
        "seconds": round(case.seconds, 3),
        "emitted": len(case.emissions),
    }
    return facts | (subject_of(case.message) if case.message is not None else {})


def subject_of(message: AnyMessage) -> dict[str, object]:
    """Whom a message is about."""
    match message:
        case CrawlRequest():
            return {"job": message.job, "host": message.host, "urls": len(message.urls)}
        case FetchRequest():
            return {"job": message.job, "host": message.host, "url": message.candidate.url}
        case PageFetched() | DocumentParsed():
            return {"job": message.job, "url": message.url}
        case LinksFound():
            return {"job": message.job, "source": message.source, "links": len(message.links)}
        case MergeTask():
            return {"job": message.job, "merge": message.merge, "part": message.part}
