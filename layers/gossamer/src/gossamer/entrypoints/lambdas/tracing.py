"""Traces of messages with X-Ray, so that a URL can be followed through functions and queues.

A batch has messages of many URLs, so each is a subsegment of its own, with what one searches for
as annotations: `annotation.url = "https://…"` finds every function that had it. Lambda itself hands
the trace on to SQS. Loaded only where a stack is traced, because of X-Ray's SDK.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Tracer

if TYPE_CHECKING:
    from collections.abc import Mapping

SEARCHED = ("job", "url", "source", "host", "stream")  # of the facts of a message
LONGEST = 500  # characters of an annotation; X-Ray takes 1,000


class MessageTraces:
    """One subsegment for each message."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        # Calls of AWS are not patched: they would be as many subsegments again.
        self._provider: Any = (tracer or Tracer(auto_patch=False)).provider

    def message(
        self, facts: Mapping[str, object], seconds: float, error: Exception | None = None
    ) -> None:
        """A message that was dealt with just now. Messages overlap, so each is told at its end."""
        with self._provider.in_subsegment(name=str(facts["stream"])) as subsegment:
            subsegment.start_time = time.time() - seconds
            for name in SEARCHED:
                if name in facts:
                    # a page that links on is searched for by its URL too
                    key = "url" if name == "source" else name
                    subsegment.put_annotation(key=key, value=str(facts[name])[:LONGEST])
            if error is not None:
                subsegment.add_exception(error, [])
