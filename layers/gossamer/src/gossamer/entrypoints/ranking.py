"""How are pages ranked: on this machine, on a stack from here, and by the function RANK?

On this machine, what others call a page is indexed at once; in a stack INDEX is told. Either way a
page gets another ordinal by that, and takes its rank along.
"""

from __future__ import annotations

import sys
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from gossamer import retrieval, runtime
from gossamer.bolts.rank import Ranking, follow, rank
from gossamer.core.errors import ConfigurationError
from gossamer.core.pagerank import DAMPING
from gossamer.entrypoints.commands import DONE, print_result, settings_of
from gossamer.entrypoints.indexing import index_pending
from gossamer.entrypoints.parquet import given_ranks
from gossamer.messages import DocumentParsed, Emission

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.adapters.local.home import LocalHome
    from gossamer.core.graph import Graph
    from gossamer.core.pagerank import Ranks
    from gossamer.entrypoints.sqs import Handler, Home
    from gossamer.entrypoints.stack_home import Stack
    from gossamer.ports.index import Ordinal

    Tell = Callable[[str], None]

T = TypeVar("T")

LEASE = 900.0  # as long as a function may run
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


def _quiet(_text: str) -> None:
    """Tell nothing."""


def _tell(text: str) -> None:
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


# ── on this machine ───────────────────────────────────────────────────────────────────────────────


def rank_pages(args: argparse.Namespace) -> int:
    """Rank the collection on this machine."""
    weighing, tell = weighing_of(args), _teller(args)
    home = runtime.open_local(settings_of(args))
    try:
        home.store.lock()
        done = rank_home(home, weighing, tell)
    finally:
        home.close()
        tell("")
    print_result(args, done, told(done))
    return DONE


def rank_home(home: LocalHome, weighing: Weighing, tell: Tell = _quiet) -> Ranked:
    """Rank the pages that can be searched, and index what others call them."""
    began = time.perf_counter()
    done = rank(
        home.edges.packed(),
        home.urls.all(),
        home.index,
        home.edges,
        home.documents,
        damping=weighing.damping,
        internal=weighing.internal,
        engine=weighing.engine,
        appraise=home.standings.appraise,
        tell=tell,
    )
    home.store.commit()
    if done.changed:
        tell(f"{done.changed:,} pages are called by other names")
        index_pending(home, retrieval.analyzer_of(home.index), retrieval.WEIGHTS)
    return _ranked(done, began)


def weighing_of(args: argparse.Namespace) -> Weighing:
    """How links are weighed, as the command line says."""
    if not 0.0 <= args.damping < 1.0:
        raise ConfigurationError("--damping is at least 0 and less than 1")
    if not 0.0 <= args.internal <= 1.0:
        raise ConfigurationError("--internal goes from 0 to 1")
    return Weighing(args.damping, args.internal, given_ranks(args.ranks) if args.ranks else None)


def _teller(args: argparse.Namespace) -> Tell:
    return _quiet if args.json or not sys.stderr.isatty() else _tell


def _ranked(done: Ranking, began: float) -> Ranked:
    seconds = round(time.perf_counter() - began, 3)
    return Ranked(done.nodes, done.links, done.iterations, done.converged, done.changed, seconds)


def told(done: Ranked) -> str:
    """A line for people."""
    end = "" if done.converged else ", without an end"
    return (
        f"{done.nodes:,} pages ranked by {done.links:,} links in {done.iterations} iterations{end},"
        f" {done.seconds:.1f} s; {done.anchors_changed:,} are called by other names than before"
    )


# ── in a stack ────────────────────────────────────────────────────────────────────────────────────


def rank_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Rank the collection of a stack from here."""
    weighing, tell = weighing_of(args), _teller(args)
    done = rank_cloud(stack.home, weighing, time.time, tell=tell)
    tell("")
    if done is None:
        raise ConfigurationError("the stack is being ranked already; try again later")
    print_result(args, done, told(done))
    return DONE


def rank_handler(home: Callable[[], Home], aws: Callable[[], AwsHome]) -> Handler:
    """A Lambda handler called by a schedule; {"follow": true} only looks after new ordinals."""

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        opened = home()
        with opened.telemetry.invocation("rank", context):
            if event.get("follow"):
                answer: dict[str, Any] = {"followed": follow_cloud(aws(), opened.clock)}
            else:
                done = rank_cloud(aws(), Weighing(), opened.clock, segments=SEGMENTS)
                answer = {"ranked": msgspec.to_builtins(done)}
            opened.settle()
        return answer

    return handler


def rank_cloud(
    home: AwsHome,
    weighing: Weighing,
    clock: Callable[[], float],
    *,
    segments: int = 1,
    tell: Tell = _quiet,
) -> Ranked | None:
    """Rank the pages of a stack, and tell INDEX what others call them; None if somebody does."""

    def send(pages: Sequence[Ordinal]) -> None:
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
        done = rank(
            home.edges.packed(segments),
            home.urls.all(segments),
            home.index,
            home.edges,
            home.documents,
            damping=weighing.damping,
            internal=weighing.internal,
            engine=weighing.engine,
            changed=send,
            appraise=home.standings.appraise,
            tell=tell,
        )
        return _ranked(done, began)

    return _under_lease(home, clock, work)


def follow_cloud(home: AwsHome, clock: Callable[[], float]) -> int | None:
    """Give pages that were indexed again their ranks; None while somebody ranks."""
    return _under_lease(home, clock, lambda: follow(home.index, home.edges))


def _under_lease(home: AwsHome, clock: Callable[[], float], work: Callable[[], T]) -> T | None:
    now = clock()
    epoch = home.jobs.lease(LEASE_NAME, uuid.uuid4().hex, now + LEASE, now)
    if epoch is None:
        return None
    try:
        return work()
    finally:
        home.jobs.end_lease(LEASE_NAME, epoch)
