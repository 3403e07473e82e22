"""The command `gossamer reindex`: index everything anew from the stored documents.

Needed after settings were changed by which documents are indexed (analyzer, weights, columns, text
fields), and for an index that was written by an earlier version.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.removal import is_no_document
from gossamer.core.index.segments.manifest import Manifest
from gossamer.entrypoints.cli.command import DONE, print_result, progress, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import counted
from gossamer.messages import DocumentParsed, Emission

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.documents import PageVersion
    from gossamer.ports.home import Home

AT_ONCE = 1_000  # pages
JOB = "reindex"


class Reindexed(msgspec.Struct, frozen=True):
    """What was indexed anew, or was sent to be."""

    documents: int
    seconds: float


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments of its own."""


def run(args: argparse.Namespace) -> int:
    """Index everything anew; the old index answers until the new one is whole."""
    settings, show, began = settings_of(args), progress(args), time.perf_counter()
    with session.locked(settings, "index") as home:
        count = index_all(
            home, settings, lambda n: show(f"{counted(n, 'document')} indexed"), again=True
        )
    show("")
    done = Reindexed(count, round(time.perf_counter() - began, 3))
    print_result(args, done, f"{counted(count, 'document')} indexed anew in {done.seconds:.1f} s")
    return DONE


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Send every document to INDEX again; what is in the index is found until it is replaced."""
    began, show = time.perf_counter(), progress(args)
    stack.home.index.publish(Manifest(version=1))  # refused, unless there is none or an old one
    count = send_all(stack.home, lambda sent: show(f"{sent:,} documents sent"))
    show("")
    done = Reindexed(count, round(time.perf_counter() - began, 3))
    print_result(args, done, f"{count:,} documents sent to INDEX; `gossamer stats` shows progress")
    return DONE


def send_all(home: Home, tell: Callable[[int], None]) -> int:
    """Send every document that can be found to INDEX; returns how many."""
    count, pages = 0, _open_to_search(home)
    while some := list(islice(pages, AT_ONCE)):
        home.queues.send(list(map(_emission, some)), time.time())
        count += sum(len(page.documents) for page in some)
        tell(count)
    return count


def _open_to_search(home: Home) -> Iterator[PageVersion]:
    """Pages with documents, but for those that were removed: their documents are still stored."""
    removed = {r.id for r in home.urls.closed() if is_no_document(r.state, r.reason, r.history)}
    return (page for page in home.documents.all() if page.documents and page.id not in removed)


def _emission(page: PageVersion) -> Emission:
    """One message for all documents of a page; INDEX reads them all."""
    url = next(iter(page.documents.values())).url
    return Emission("index", DocumentParsed(job=JOB, url=url, fetched_at=page.fetched_at))
