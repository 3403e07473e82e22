"""COMPACT in the cloud: merge segments of the index, one function at a time, under a lease.

Segments are merged when enough of a size have gathered. While little is indexed, a few are merged a
while after the last batch, so that queries read few of them.
"""

from __future__ import annotations

from functools import partial
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from gossamer.batch.compact import Policy, compact, merge, written_here
from gossamer.bolts.manifest import sweep
from gossamer.entrypoints.lambdas.lease import under_lease

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker

QUIET_FOR = 600.0  # seconds without a new segment
# Merged terms go to the disk of the function: they may be larger than its memory.
SPOOLED = partial(written_here, open_file=TemporaryFile)
SMALL = 20_000  # documents; so many are merged even though a tier is not full


def compact_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler called by a schedule; {"at_once": true} does not wait for a quiet moment."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("compact", context):
            work = partial(_compact, opened.writer, at_once=bool(event.get("at_once")))
            done = under_lease(opened.home.jobs, "compact", opened.clock(), work)
            opened.home.commit()
        return {"compacted": bool(done)}

    return handler


def _compact(writer: IndexWriter, *, at_once: bool) -> bool:
    done = compact(writer, policy=Policy(), write_terms=SPOOLED)
    if at_once or is_quiet(writer.store.manifest(), writer.clock()):
        done |= _merge_small(writer)
    sweep(writer, orphans=True)
    return done


def is_quiet(manifest: Manifest, now: float) -> bool:
    """Whether nothing was indexed for a while."""
    return all(info.at < now - QUIET_FOR for info in manifest.segments)


def _merge_small(writer: IndexWriter) -> bool:
    small = [info for info in writer.store.manifest().segments if info.live < SMALL]
    return len(small) > 1 and merge(writer, small, SPOOLED)
