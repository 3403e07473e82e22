"""The command `gossamer compact`: merge the whole index into one part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.bolts.manifest import sweep
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.merge_workers import write_terms
from gossamer.entrypoints.local.report import size

if TYPE_CHECKING:
    import argparse


class Compacted(msgspec.Struct, frozen=True):
    """What merging the index brought."""

    changed: bool
    bytes_before: int
    bytes_after: int


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments of its own."""


def run(args: argparse.Namespace) -> int:
    """Merge the whole index into one segment."""
    settings = settings_of(args)
    with session.locked(settings, "compact") as home:
        before = home.index.manifest().size
        writer = homes.index_writer(home)
        changed = compact(writer, whole=True, write_terms=write_terms(settings.workers))
        sweep(writer, grace=0.0, orphans=True)
        home.commit()
        done = Compacted(changed, before, home.index.manifest().size)
    text = f"{size(before)} became {size(done.bytes_after)}" if changed else "nothing to compact"
    print_result(args, done, text)
    return DONE
