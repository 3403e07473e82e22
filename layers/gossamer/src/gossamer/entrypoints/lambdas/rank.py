"""RANK: rank the pages of a stack, in the function or from another machine.

INDEX gets a message for each page that others now call by other names. (On one machine it is
indexed at once: cli/rank.py.)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.rank import Ranking, rank
from gossamer.core.links.pagerank import DAMPING
from gossamer.entrypoints.lambdas.lease import under_lease
from gossamer.homes import index_writer
from gossamer.messages import DocumentParsed, Emission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.batch.indexed_pages import IndexedPage
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.links.graph import Graph
    from gossamer.core.links.pagerank import Ranks
    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.ports.edges import PackedLinks
    from gossamer.ports.home import Home

    Tell = Callable[[str], None]

LEASE_NAME = "rank"
SEGMENTS = 8  # of a table, read at once


@dataclass(frozen=True, slots=True)
class Weighing:
    """How links are weighed."""

    damping: float = DAMPING
    internal: float = 1.0  # what a link inside of a host weighs
    engine: Callable[[Graph], Ranks] | None = None  # who has done it already


class Ranked(msgspec.Struct, frozen=True):
    """What came of ranking a collection."""

    nodes: int
    links: int
    iterations: int
    converged: bool
    anchors_changed: int
    seconds: float


def quiet(_text: str) -> None:
    """Report nothing."""


def ranked(done: Ranking, began: float) -> Ranked:
    """The same for people and programs, with the time since it began."""
    seconds = round(time.perf_counter() - began, 3)
    return Ranked(done.nodes, done.links, done.iterations, done.converged, done.changed, seconds)


def rank_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler called by a schedule."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("rank", context):
            done = rank_cloud(opened.home, Weighing(), opened.clock, segments=SEGMENTS)
            opened.home.commit()
        return {"ranked": msgspec.to_builtins(done)}

    return handler


def weigh(
    home: Home,
    weighing: Weighing,
    links: Iterable[tuple[bytes, PackedLinks]],
    records: Iterable[UrlRecord],
    *,
    clock: Callable[[], float] = time.time,
    changed: Callable[[Sequence[IndexedPage]], None] = lambda _: None,
    tell: Tell = quiet,
) -> Ranking:
    """Rank the live pages of a home by these links."""
    return rank(
        links,
        records,
        index_writer(home, clock),
        home.edges,
        home.documents,
        damping=weighing.damping,
        internal=weighing.internal,
        engine=weighing.engine,
        changed=changed,
        set_worth=home.reputation.set_worth,
        tell=tell,
    )


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
        done = weigh(home, weighing, links, records, clock=clock, changed=send, tell=tell)
        return ranked(done, began)

    return under_lease(home.jobs, LEASE_NAME, clock(), work)
