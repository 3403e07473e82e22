"""SEARCH in the cloud: one of several functions that share a query over a large index."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer import homes
from gossamer.entrypoints.lambdas.context import stack, worker
from gossamer.search.groups.questions import Question

if TYPE_CHECKING:
    from gossamer.search.groups.group import Group


@lru_cache(maxsize=1)
def group() -> Group:
    """What answers; it keeps open what it was asked about before."""
    return homes.search_group(stack())


def handler(event: dict[str, Any], context: object) -> object:
    """Answer one question; one event in the log, without what was asked."""
    with worker().telemetry.invocation("search", context):
        worker().telemetry.count("Questions")
        question = msgspec.convert(event, type=Question)
        return msgspec.to_builtins(group().answer(question))
