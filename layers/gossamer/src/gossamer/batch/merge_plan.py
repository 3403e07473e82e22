"""Plan merges that are too large for one process, and send their tasks.

A plan is an entry of the manifest: it comes into force by the conditional write that publishes
everything else, so two planners cannot plan the same segments, and what a plan names is not swept.
Tasks are sent after that. If a planner dies in between, or if tasks are lost, the tasks of parts
that are still missing are sent again after a while. A plan that is never finished is given up, and
its segments are free to be merged otherwise.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.manifest import REMEMBERED, change_merges
from gossamer.bolts.merge import JOB, joining, missing_parts
from gossamer.core.index.segments.manifest import Manifest, Merge, begun_at
from gossamer.core.index.segments.merger import term_edges
from gossamer.core.index.segments.stored import BLOCKS
from gossamer.core.index.segments.writer import POSITIONS, POSTINGS, TERMS
from gossamer.messages import Emission, MergeTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.reader import Segment
    from gossamer.ports.queues import Queues

SENT_AGAIN = 2_700.0  # seconds: a task that was received twice and died twice would be back by then
GIVEN_UP = 21_600.0  # seconds after it was planned; parts may be swept after four times as long


def plan_merge(writer: IndexWriter, infos: Sequence[SegmentInfo], part_bytes: int) -> Merge | None:
    """Plan a merge of some segments in parts of about so many bytes.

    None if one of them is taken, or is not in the index any more.
    """
    opened = [writer.opened.segment(info) for info in infos]
    terms = sum(_bytes(segment, TERMS, POSTINGS, POSITIONS) for segment in opened)
    stored = sum(_bytes(segment, BLOCKS) for segment in opened)
    planned = Merge(
        name=writer.name(),
        sources=[],
        cuts=term_edges(opened, max(1, ceil(terms / part_bytes)))[1:-1],
        stretches=max(1, ceil(stored / part_bytes)),
        forget_before=writer.clock() - REMEMBERED,
        heads_from=writer.heads_from,
    )

    def add(manifest: Manifest) -> list[Merge] | None:
        # With what is dead by now: a bitmap of tombstones that was replaced is deleted soon.
        now = {info.name: info for info in free_segments(manifest)}
        if any(info.name not in now for info in infos):
            return None
        sources = [now[info.name] for info in infos]
        return [*manifest.merges, msgspec.structs.replace(planned, sources=sources)]

    after = change_merges(writer, add)
    merges = after.merges if after else []  # without ours, if a source has just left the index
    return next((merge for merge in merges if merge.name == planned.name), None)


def _bytes(segment: Segment, *regions: str) -> int:
    return sum(segment.footer.regions[region].size for region in regions)


def free_segments(manifest: Manifest) -> list[SegmentInfo]:
    """The segments of which no merge is under way."""
    taken = {source.name for merge in manifest.merges for source in merge.sources}
    return [info for info in manifest.segments if info.name not in taken]


def send_tasks(writer: IndexWriter, queues: Queues) -> int:
    """Send the tasks of merges that are due, give up those that are too old; returns how many."""
    now = writer.clock()
    merges = writer.store.manifest().merges
    old = {merge.name for merge in merges if begun_at(merge.name) < now - GIVEN_UP}
    due = [m for m in merges if m.name not in old and (not m.sent or m.sent < now - SENT_AGAIN)]
    tasks = [task for merge in due for task in _tasks(writer, merge)]
    queues.send(tasks, now)
    if due or old:
        _note(writer, {merge.name for merge in due}, old)
    return len(tasks)


def _tasks(writer: IndexWriter, merge: Merge) -> list[Emission]:
    missing = missing_parts(writer, merge)
    tasks = [MergeTask(job=JOB, merge=merge.name, part=number) for number in missing]
    return [Emission("merge", task) for task in tasks] or [joining(merge)]


def _note(writer: IndexWriter, sent: set[str], old: set[str]) -> None:
    """Write down what was sent, and drop what is given up."""
    now = writer.clock()

    def change(manifest: Manifest) -> list[Merge]:
        kept = [merge for merge in manifest.merges if merge.name not in old]
        return [
            msgspec.structs.replace(merge, sent=now) if merge.name in sent else merge
            for merge in kept
        ]

    change_merges(writer, change)
