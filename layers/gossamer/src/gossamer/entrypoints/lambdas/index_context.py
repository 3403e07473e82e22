"""Which index does a Lambda function write? Apart from lambda_home: a crawl needs no numpy."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.lambdas import context
from gossamer.entrypoints.lambdas.index import IndexHome

if TYPE_CHECKING:
    from gossamer.ports.index import IndexStore


def store() -> IndexStore:
    """The index of the stack's collection."""
    return context.aws().index


@lru_cache(maxsize=1)
def home() -> IndexHome:
    """What INDEX works with. The analyzer is asked for each time: the first batch decides it."""
    aws = context.aws()
    weights = aws.settings.get().weights
    return IndexHome(context.home(), aws.index, lambda: homes.analyzer_of(aws), weights)
