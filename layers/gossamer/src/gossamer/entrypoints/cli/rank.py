"""The command `gossamer rank`: the pages on this machine, or those of a stack from here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.batch.rank import rank
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import DONE, print_result, progress, settings_of
from gossamer.entrypoints.lambdas.parquet import given_ranks
from gossamer.entrypoints.lambdas.rank import Weighing, quiet, rank_cloud, ranked
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import counted

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.lambdas.rank import Ranked, Tell
    from gossamer.ports.home import Home
    from gossamer.settings import Settings


DESCRIPTION = """\
Compute PageRank from all links that are followed, keep which pages link to each page, and index
anchor texts with the pages they link to. Run it when a crawl is indexed; `gossamer run` does.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How links are weighed."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "--damping", type=float, default=0.85, metavar="D", help="0 to 1: how far links are trusted"
    )
    parser.add_argument(
        "--internal", type=float, default=1.0, metavar="W",
        help="0 to 1: what a link inside of a host weighs beside one that leaves it",
    )  # fmt: skip
    parser.add_argument(
        "--ranks", default="", metavar="FOLDER",
        help="take the ranks that Spark wrote there (scripts/spark)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Rank the collection on this machine."""
    weighing, tell = weighing_of(args), progress(args)
    try:
        with session.locked(settings_of(args), "rank") as home:
            done = rank_home(home, settings_of(args), weighing, tell)
    finally:
        tell("")
    print_result(args, done, to_report(done))
    return DONE


def rank_home(home: Home, settings: Settings, weighing: Weighing, tell: Tell = quiet) -> Ranked:
    """Rank the pages that can be searched, and index their anchor texts."""
    began = time.perf_counter()
    links, records = home.edges.packed(), home.urls.all()
    done = rank(home, homes.index_writer(home), links, records, tell=tell, **weighing)
    home.commit()
    if done.anchors_changed:
        tell(f"new anchor texts of {counted(done.anchors_changed, 'page')}")
        index_all(home, settings, lambda count: tell(f"{counted(count, 'document')} indexed"))
    return ranked(done, began)


def weighing_of(args: argparse.Namespace) -> Weighing:
    """How links are weighed, as the command line says."""
    if not 0.0 <= args.damping < 1.0:
        raise ConfigurationError("--damping is at least 0 and less than 1")
    if not 0.0 <= args.internal <= 1.0:
        raise ConfigurationError("--internal goes from 0 to 1")
    engine = given_ranks(args.ranks) if args.ranks else None
    return Weighing(damping=args.damping, internal=args.internal, engine=engine)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Rank the collection of a stack from here."""
    weighing, tell = weighing_of(args), progress(args)
    done = rank_cloud(stack.home, weighing, time.time, tell=tell)
    tell("")
    if done is None:
        raise ConfigurationError("the stack is being ranked already; try again later")
    print_result(args, done, to_report(done))
    return DONE


def to_report(done: Ranked) -> str:
    """A line for people."""
    end = "" if done.converged else ", not converged"
    return (
        f"{counted(done.nodes, 'page')} ranked by {counted(done.links, 'link')} in"
        f" {counted(done.iterations, 'iteration')}{end}, {done.seconds:.1f} s; new anchor texts of"
        f" {counted(done.anchors_changed, 'page')}"
    )
