"""Which bolt reads which stream and emits to which.

template.yaml says the same for AWS; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.messages import Stream


@dataclass(frozen=True, slots=True)
class Edge:
    """One bolt of the pipeline."""

    bolt: str
    reads: Stream
    emits: tuple[Stream, ...]
    visibility: float  # seconds a message stays hidden while it is worked on
    max_receives: int  # of a message that fails, before it becomes a dead letter


# After so many receives SQS itself gives a message up, without a reason: one that kills its
# function, or is throttled for hours. It goes to the queue LOST, where SCHEDULE finds it.
SQS_RECEIVES = 20
LOST = "lost"

TOPOLOGY: tuple[Edge, ...] = (
    Edge("schedule", "frontier", ("fetch", "frontier"), 120.0, 4),
    Edge("fetch", "fetch", ("fetch", "frontier", "parse", "links", "index"), 490.0, 4),
    Edge("parse", "parse", ("links", "frontier", "index"), 360.0, 4),
    Edge("links", "links", ("frontier", "parse"), 180.0, 4),
    Edge("index", "index", (), 1020.0, 4),
    Edge("merge", "merge", ("merge",), 1800.0, 4),
)

STREAMS: dict[Stream, Edge] = {edge.reads: edge for edge in TOPOLOGY}

# The streams of a crawl, in the order in which a loop serves them: slots can be missed, so requests
# come first, and new work comes last. A crawl that closes only reads the pages it has fetched.
CRAWL_STREAMS: tuple[Stream, ...] = ("fetch", "links", "parse", "frontier")
CLOSING_STREAMS: tuple[Stream, ...] = ("links", "parse")
