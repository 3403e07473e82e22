"""The command `gossamer rebuild`: a new database from the WARC files, in place of a damaged one."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import MissingResource
from gossamer.entrypoints.cli.command import DONE, print_result, progress, settings_of
from gossamer.entrypoints.cli.rank import rank_home
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.rebuild import rebuild
from gossamer.entrypoints.local.report import counted, duration, size

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.entrypoints.local.rebuild import Replayed
    from gossamer.ports.admin.rebuilding import Rebuilding
    from gossamer.settings import Settings

DESCRIPTION = """\
Make the database of a collection anew from its WARC files: URLs, documents, links, hosts, index and
ranks. Nothing is requested. The old file is kept beside the new one, and the same command can be
run again if it is interrupted: until it is done, nothing has changed. `gossamer crawl` goes on
afterwards.
"""
LOST_LISTS = {
    "synonyms": "it has none now; `gossamer synonyms FILE` stores them again",
    "templates": "it has none now; `gossamer template add FILE` and `gossamer template apply` bring"
    " them back",
}
SHOW_EVERY = 0.2  # seconds


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What a new database was made of, and what it has."""

    files: int
    requests: int
    damaged: int  # records of WARC files that could not be read
    urls: int
    waiting: int
    documents: int
    indexed: int
    seconds: float
    kept: str  # where the old database is; empty if there was none
    lost_jobs: list[str]  # jobs that have the default configuration now
    lost_lists: list[str]  # synonyms and templates, of which the collection has none now
    lost_settings: bool  # whether it has the default settings now, without templates and synonyms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Whether a database that can be read is replaced."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "--force", action="store_true",
        help="also if the database can be read, or the disk seems too full",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Rebuild a collection, and say what could not be brought back."""
    settings, began = settings_of(args), time.perf_counter()
    if not Path(settings.data).is_dir():
        raise MissingResource(f"no collection in {settings.data}: there is no such folder")
    pool = homes.parser_pool(settings)  # before the store, which they must not inherit
    try:
        with homes.rebuilding(settings, force=args.force) as made:
            show = progress(args)
            replayed = asyncio.run(rebuild(made, pool, _Shown(made, show).read))
            done = _finished(made, replayed, began, show)
    finally:
        pool.kill()
    print_result(args, done, _to_text(done, settings))
    for note in _notes(done, settings):
        print(f"gossamer: {note}", file=sys.stderr)
    return DONE


class _Shown:
    """Shows how far WARC files were read, how fast, and how long it will take."""

    def __init__(self, made: Rebuilding, show: Callable[[str], None]) -> None:
        self._total = sum(path.stat().st_size for path in made.files)
        self._show = show
        self._began = self._shown = time.perf_counter()

    def read(self, count: int, requests: int) -> None:
        """So many bytes were read, and so many requests were in them."""
        now = time.perf_counter()
        if now < self._shown + SHOW_EVERY:
            return
        self._shown, passed = now, now - self._began
        left = passed * (self._total - count) / max(1, count)
        self._show(
            f"{counted(requests, 'request')} read, {requests / passed:,.0f}/s;"
            f" {size(count)} of {size(self._total)}, about {duration(left)} left"
        )


def _finished(
    made: Rebuilding, replayed: Replayed, began: float, show: Callable[[str], None]
) -> Rebuilt:
    """Index and rank the new collection, and put it in its place."""
    home = made.home
    index_all(home, made.settings, lambda n: show(f"{counted(n, 'document')} indexed"))
    rank_home(home, made.settings, Weighing(), show)
    show("")
    states, kept = home.states()[0], home.documents.count()
    indexed = home.index.manifest().live
    return Rebuilt(
        files=len(made.files),
        requests=replayed.requests,
        damaged=replayed.damaged,
        urls=states.total(),
        waiting=states[State.DISCOVERED],
        documents=kept.documents,
        indexed=indexed,
        kept=made.install(),
        seconds=round(time.perf_counter() - began, 3),
        lost_jobs=replayed.lost_jobs,
        lost_settings=replayed.lost_settings,
        lost_lists=replayed.lost_lists,
    )


def _to_text(done: Rebuilt, settings: Settings) -> str:
    kept = f"\nThe old file is kept as {done.kept}." if done.kept else ""
    return (
        f"{settings.database} was made anew from {counted(done.requests, 'request')} in"
        f" {counted(done.files, 'WARC file')}, in {duration(done.seconds)}:"
        f" {counted(done.urls, 'URL')} ({done.waiting:,} waiting),"
        f" {counted(done.documents, 'document')}, {done.indexed:,} of them in the index.{kept}"
    )


def _notes(done: Rebuilt, settings: Settings) -> list[str]:
    """What a person should know, and do."""
    notes = []
    if done.damaged:
        what = "damaged place was" if done.damaged == 1 else "damaged places were"
        notes.append(f"{done.damaged:,} {what} left out of the WARC files; all others were read")
    for job in done.lost_jobs:
        notes.append(
            f"the configuration of job {job!r} could not be read: it has the defaults now; run"
            f" `gossamer crawl SEED --data {settings.data}` with the flags that it had"
        )
    if done.lost_settings:
        notes.append(
            "the settings of the collection could not be read: it has the defaults now, and neither"
            " templates nor synonyms; if it had others, `gossamer settings FILE`, `gossamer"
            " synonyms FILE`, `gossamer template add FILE` with `gossamer template apply`, and"
            " `gossamer reindex`"
        )
    for kind in done.lost_lists:
        notes.append(f"the {kind} of the collection could not be read: {LOST_LISTS[kind]}")
    return notes
