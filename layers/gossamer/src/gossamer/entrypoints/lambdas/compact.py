"""COMPACT in the cloud: merge segments of the index, one function at a time, under a lease.

Segments are merged when enough of a size have gathered. While little is indexed, a few are merged a
while after the last batch, so that queries read few of them. What one function cannot merge in its
time is cut into tasks for MERGE.

The same function joins small WARC objects, by a schedule and under a lease of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from gossamer.batch.compact import Policy, compact, merge_or_plan, written_here
from gossamer.batch.merge_plan import free_segments, send_tasks
from gossamer.bolts.manifest import ABANDONED, sweep
from gossamer.entrypoints.lambdas.lease import under_lease
from gossamer.ports.segments import HEADS_FROM

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.ports.queues import Queues

QUIET_FOR = 600.0  # seconds without a new segment
# Files that were never published are looked for until so long after the last new segment: they are
# old enough by then, and a list of all files is half of what an idle call costs.
NO_ORPHANS_AFTER = 2 * ABANDONED
# Merged terms go to the disk of the function: they may be larger than its memory.
SPOOLED = partial(written_here, open_file=TemporaryFile)
SMALL = 20_000  # documents; so many are merged even though a tier is not full
BEGUN_WITHIN = 120.0  # seconds of the 300 that a function has: the last merge must end, too
# A function of one gigabyte merges these in less than 180 seconds: docs/performance.md.
BOUNDS = "alone_bytes", "part_bytes"
# Two segments of this size are joined in 190 of 300 seconds. Without the bound, segments of two
# million documents were merged in pairs whenever there were more than 24 of them, again and again:
# at six million documents joining them took longer than a function may (docs/scale.md).
LARGEST = 1_500_000
# Lists of so many documents take a function some time to read whole: there are few such segments.
LARGE_FROM = 16_000
MOST_LARGE = 4
POLICY = Policy(
    alone_bytes=96 << 20,
    part_bytes=48 << 20,
    largest=LARGEST,
    large_from=LARGE_FROM,
    most_large=MOST_LARGE,
)
JOINED_WITHIN = 240.0  # seconds of the 300: the last pack takes some


def compact_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler called by a schedule; {"at_once": true} does not wait for a quiet moment.

    {"pages": true} joins small WARC objects instead.

    An event may set other bounds: `alone_bytes`, `part_bytes`, and `heads_from` documents.
    """

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("compact", context):
            if event.get("pages"):
                return {"joined": _join_pages(opened)}
            work = partial(_compact, opened, _asked(event), at_once=bool(event.get("at_once")))
            done = under_lease(opened.home.jobs, "compact", opened.clock(), work)
            opened.home.commit()
            opened.telemetry.add_up()
        return {"compacted": bool(done)}

    return handler


def _join_pages(worker: Worker) -> int:
    pages, begun = worker.home.pages, worker.clock()

    def lasts() -> bool:
        return worker.clock() < begun + JOINED_WITHIN

    work = partial(pages.join_small, begun, lasts)
    return under_lease(worker.home.jobs, "pages", begun, work) or 0


def _asked(event: Json) -> tuple[Policy, int]:
    bounds = {name: int(event.get(name, getattr(POLICY, name))) for name in BOUNDS}
    heads_from = int(event.get("heads_from", HEADS_FROM))
    return replace(POLICY, **bounds, large_from=min(LARGE_FROM, heads_from)), heads_from


def _compact(worker: Worker, asked: tuple[Policy, int], *, at_once: bool) -> bool:
    policy, heads_from = asked
    writer = replace(worker.writer, heads_from=heads_from)
    until = worker.clock() + BEGUN_WITHIN
    done = compact(writer, policy=policy, write_terms=SPOOLED, until=until)
    if at_once or is_quiet(writer.store.manifest(), writer.clock()):
        done |= writer.clock() < until and merge_small(writer, policy)
    send_tasks(writer, worker.home.queues)
    sweep(writer, orphans=not is_quiet(writer.store.manifest(), writer.clock(), NO_ORPHANS_AFTER))
    poll_for_tasks(writer, worker.home.queues)
    return done


def poll_for_tasks(writer: IndexWriter, queues: Queues) -> None:
    """Let MERGE look for tasks while a large merge is planned or a task waits: both are rare."""
    wanted = bool(writer.store.manifest().merges) or bool(queues.backlog("merge", writer.clock()))
    queues.poll("merge", wanted=wanted)


def is_quiet(manifest: Manifest, now: float, quiet_for: float = QUIET_FOR) -> bool:
    """Whether nothing was indexed for a while."""
    return all(info.at < now - quiet_for for info in manifest.segments)


def merge_small(writer: IndexWriter, policy: Policy) -> bool:
    """Merge what is small, though no tier is full."""
    small = [info for info in free_segments(writer.store.manifest()) if info.live < SMALL]
    return len(small) > 1 and merge_or_plan(writer, small, policy, SPOOLED)
