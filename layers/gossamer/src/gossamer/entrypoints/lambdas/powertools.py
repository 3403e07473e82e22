"""Telemetry of a Lambda function: JSON events, and metrics in CloudWatch's embedded format.

Every event names its bolt and its message; every invocation ends with one line of sums: messages,
pages, capacity units and what they cost, from which CloudWatch makes metrics and alarms.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, cast

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from gossamer.entrypoints.lambdas.telemetry import Telemetry, facts_of, to_come
from gossamer.ports.admin.stack import Used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.entrypoints.lambdas.sqs import Case
    from gossamer.entrypoints.lambdas.tracing import MessageTraces
    from gossamer.messages import Stream
    from gossamer.ports.admin.stack import StackHome

# What CloudWatch makes metrics of: each costs $0.30 a month while it is told, and ten are free. All
# else is in the log. One dimension, the stack: a second would double them.
METRICS = str.split(
    "Messages Failures DeadLetters Pages Requests SlowDowns Bytes Documents Revisits"
    " Status4xx Status5xx TemplateAlarms WriteUnits ReadUnits Cost"
)
SEARCHING = ("api", "search")  # functions whose cost counts against SearchBudget
# US dollars. Calls of SCHEDULE and COMPACT that find nothing to do cost less, a few millionths.
# Their metrics would be all that an idle stack sends, for $1.80 a month; `cost` counts them anyway.
NOTHING_DONE = 2e-5
MB_PER_GB = 1024.0
# Bytes that each invocation logs past our count: the line of its metrics (409 on average, of 64
# calls) and Lambda's own of its start and end (an estimate). Our line of sums is in the next count.
LAST_LINES = 409 + 800


class CountedStream:
    """Standard output, counting what is written."""

    def __init__(self) -> None:
        self._bytes = 0

    def write(self, text: str) -> int:
        """Write on."""
        self._bytes += len(text)
        return sys.stdout.write(text)

    def flush(self) -> None:
        """Let it out."""
        sys.stdout.flush()

    def take(self) -> int:
        """The bytes since this was asked last."""
        taken, self._bytes = self._bytes, 0
        return taken


class PowertoolsTelemetry(Telemetry):
    """Logger and Metrics of AWS Lambda Powertools, and its Tracer where a stack asks for it."""

    def __init__(
        self, home: StackHome, clock: Callable[[], float], traces: MessageTraces | None = None
    ) -> None:
        self._home = home
        self._clock = clock
        self._traces = traces
        self._log = CountedStream()
        self._logger = Logger(stream=cast("IO[str]", self._log))
        self._metrics = Metrics(service="")  # no dimension of its own
        self._sums: dict[str, float] = {}
        self._jobs: Counter[str] = Counter()  # messages
        self._to_come: dict[str, float] = {}  # US dollars by job
        self._payload = 0
        self._bolt = ""

    @contextmanager
    def invocation(self, bolt: str, context: object) -> Iterator[None]:
        """Sums of the invocation, told at its end whatever happens."""
        self._sums, self._payload, self._bolt = {}, 0, bolt
        self._jobs.clear()
        self._to_come.clear()
        began = time.monotonic()
        self._logger.append_keys(request_id=getattr(context, "aws_request_id", ""))
        try:
            yield
        except Exception:
            self._logger.exception("the invocation failed")
            raise
        finally:
            self._tell(context, time.monotonic() - began)

    def _tell(self, context: object, seconds: float) -> None:
        gb = float(getattr(context, "memory_limit_in_mb", 0) or 0) / MB_PER_GB
        sums = self._sums | {"Seconds": seconds}
        sums |= self._home.spend(self._sums, self._used(gb * seconds), self._clock())
        self._logger.info("invocation", extra={"calls": self._home.take_calls(), **sums})
        if any(self._sums.values()) or sums.get("Cost", 0.0) >= NOTHING_DONE:
            self._measure(sums)

    def _measure(self, sums: Mapping[str, float]) -> None:
        for name in METRICS:
            if value := sums.get(name):
                self._metrics.add_metric(name, MetricUnit.Count, value)
        self._metrics.add_dimension(name="stack", value=self._home.stack)  # a flush forgets it
        if self._logger.log_level > logging.INFO:
            # Lambda takes a line without a level for INFO and would leave it out of the log, from
            # which metrics are made. It believes a level only beside a time.
            self._metrics.add_metadata("level", "ERROR")
            at = datetime.fromtimestamp(self._clock(), UTC).isoformat()
            self._metrics.add_metadata("timestamp", at)
        self._metrics.flush_metrics()

    def _used(self, gb_seconds: float) -> Used:
        logged = self._log.take() + LAST_LINES
        return Used(
            gb_seconds=gb_seconds,
            jobs=dict(self._jobs),
            to_come=dict(self._to_come),
            payload=self._payload,
            log_bytes=logged,
            for_search=self._bolt in SEARCHING,
        )

    def message(self, stream: Stream, case: Case) -> None:
        """One event per message."""
        self.count("Messages")
        self._payload += len(case.record["body"])
        job = case.message.job if case.message is not None else ""
        self._jobs[job] += 1
        self._to_come[job] = self._to_come.get(job, 0.0) + to_come(stream, case)
        facts = facts_of(stream, case)
        if self._traces is not None:
            self._traces.message(facts, case.seconds, case.error)
        if case.error is None:
            self._logger.info("message", extra=facts)
            return
        self.count("Failures")
        self._logger.error("message failed", exc_info=case.error, extra=facts)

    def buried(self, stream: Stream, case: Case, reason: str) -> None:
        """A message became a dead letter."""
        self.count("DeadLetters")
        self._logger.error("dead letter", extra={"reason": reason, **facts_of(stream, case)})

    def lost(self, stream: Stream, reason: str) -> None:
        """A message that SQS gave up became a dead letter."""
        self.count("DeadLetters")
        self._logger.error("dead letter", extra={"reason": reason, "stream": stream})

    def template(self, name: str, alarms: Sequence[str]) -> None:
        """A template finds less than before."""
        self.count("TemplateAlarms")
        self._logger.warning("template", extra={"template": name, "alarms": [*alarms]})

    def add_up(self) -> None:
        """Put the sums of hours that are over together."""
        self._home.fold_sums(self._clock())

    def count(self, name: str, by: float = 1) -> None:
        """Add to a sum of this invocation."""
        self._sums[name] = self._sums.get(name, 0) + by
