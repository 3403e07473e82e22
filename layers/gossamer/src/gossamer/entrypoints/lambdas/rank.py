"""RANK: rank the pages of a stack, in the function or from another machine.

INDEX gets a message for each page that others now call by other names. (On one machine it is
indexed at once: cli/rank.py.)
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict

import msgspec

from gossamer.batch.rank import Ranking, rank
from gossamer.entrypoints.lambdas.lease import under_lease
from gossamer.homes import index_writer
from gossamer.messages import DocumentParsed, Emission

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.batch.indexed_pages import IndexedPage
    from gossamer.core.links.graph import Graph
    from gossamer.core.links.pagerank import Ranks
    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.ports.home import Home

    Tell = Callable[[str], None]

LEASE_NAME = "rank"
SEGMENTS = 8  # of a table, read at once


class Weighing(TypedDict, total=False):
    """How links are weighed: see `rank`."""

    damping: float
    internal: float  # what a link inside of a host weighs
    engine: Callable[[Graph], Ranks] | None  # who has done it already


class Ranked(Ranking, frozen=True):
    """What came of ranking a collection, and how long it took."""

    seconds: float


def quiet(_text: str) -> None:
    """Report nothing."""


def ranked(done: Ranking, began: float) -> Ranked:
    """A ranking with the time since it began."""
    seconds = round(time.perf_counter() - began, 3)
    return Ranked(**msgspec.structs.asdict(done), seconds=seconds)


def rank_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler called by a schedule."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("rank", context):
            done = rank_cloud(opened.home, Weighing(), opened.clock, segments=SEGMENTS)
            opened.home.commit()
            if done is not None:
                opened.telemetry.count("Rankings")
        return {"ranked": msgspec.to_builtins(done)}

    return handler


def rank_cloud(
    home: Home,
    weighing: Weighing,
    clock: Callable[[], float],
    *,
    segments: int = 1,
    tell: Tell = quiet,
) -> Ranked | None:
    """Rank the pages of a stack, and send INDEX what others call them; None if RANK is running."""

    def send(pages: Sequence[IndexedPage]) -> None:
        home.queues.send(
            [
                Emission(
                    "index",
                    DocumentParsed(job=LEASE_NAME, url=page.url, fetched_at=page.fetched_at),
                )
                for page in pages
            ],
            clock(),
        )

    def work() -> Ranked:
        began = time.perf_counter()
        links, records = home.edges.packed(segments), home.urls.all(segments)
        writer = index_writer(home, clock)
        done = rank(home, writer, links, records, changed=send, tell=tell, **weighing)
        return ranked(done, began)

    return under_lease(home.jobs, LEASE_NAME, clock(), work)
