"""MERGE: make a part of a merge that several processes share, and join the parts when all are made.

COMPACT plans the merge and writes it into the manifest (`batch.compact`). A task makes one part: a
range of the terms, or a stretch of the stored documents. What is in it follows from the plan alone,
so a task that comes twice does no harm, and a part that is there is not made again. The task that
finds all parts there asks for the joining; that may happen twice, and the first one wins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NamedTuple

from gossamer.bolts.heads import KeptHeads, put_heads
from gossamer.bolts.manifest import Merged, replace_segments
from gossamer.core.errors import GossamerError, NotStored
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.merger import (
    Order,
    Source,
    merged_documents,
    merged_stored,
    merged_terms,
    order_of,
)
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.core.index.segments.read_ahead import ReadAhead
from gossamer.core.index.segments.runs import (
    pack_stored_run,
    pack_terms,
    read_stored_run,
    read_terms,
)
from gossamer.core.index.segments.stored import write_stored
from gossamer.core.index.segments.writer import DEFAULT_Q, TermWriter, segment
from gossamer.messages import Emission, MergeTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Merge, SegmentInfo
    from gossamer.core.index.segments.merger import Fetch
    from gossamer.core.index.segments.writer import Documents, Terms

JOB = "compact"  # merges belong to no crawl


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Segments that are opened to be merged, and how their documents are numbered then."""

    infos: Sequence[SegmentInfo]
    sources: Sequence[Source]
    order: Order
    fetch: Fetch

    def documents(self) -> Documents:
        """Everything but the postings."""
        return merged_documents(self.sources, self.order, self.fetch)


def open_sources(
    writer: IndexWriter,
    infos: Sequence[SegmentInfo],
    forget_before: float,
    choose: Callable[[Sequence[Source]], list[Source]] = list,
) -> Sources:
    """Open segments to merge them; removals that are older than `forget_before` are left out.

    `choose` may say that fewer of their documents are alive.
    """
    opened = writer.opened
    if writer.store.is_far:
        opened = OpenSegments(ReadAhead(opened.fetch))
    known = [Source(opened.segment(i), opened.live(i), opened.levels(i)) for i in infos]
    sources = choose(known)
    return Sources(infos, sources, order_of(sources, forget_before), opened.fetch)


class Written(NamedTuple):
    """A segment that no manifest names yet."""

    name: str
    size: int
    heads: KeptHeads


def write_merged(
    writer: IndexWriter, merging: Sources, documents: Documents, runs: Sequence[Terms]
) -> Written:
    """Write a merged segment."""
    name = writer.name()
    analyzer = merging.sources[0].segment.footer.analyzer
    pieces = segment(documents, runs, analyzer, _q(merging.sources), writer.store.format)
    size = writer.store.put(name, pieces)
    fetch = ReadAhead(writer.opened.fetch) if writer.store.is_far else writer.opened.fetch
    live = writer.store.manifest().live
    heads = put_heads(writer, name, size, len(merging.order), fetch, live)
    return Written(name, size, heads)


def _q(sources: Sequence[Source]) -> int:
    """The letters of grams as in the newest segment that has any."""
    known = [source.segment.footer.q for source in sources]
    return next(filter(None, reversed(known)), DEFAULT_Q)


def put_merged(
    writer: IndexWriter, merging: Sources, documents: Documents, runs: Sequence[Terms]
) -> bool:
    """Write a merged segment and publish it; False if another process merged the same."""
    order = merging.order
    name, size, heads = write_merged(writer, merging, documents, runs)
    live, levels = [s.live for s in merging.sources], [s.levels for s in merging.sources]
    done = Merged(merging.infos, live, levels, order, *heads)
    published = replace_segments(writer, name, size, done)
    if not published or not len(order):  # a segment without documents is in no manifest
        writer.store.delete([name, *([heads.names.name] if heads.names else [])])
    return published


def merge_task(task: MergeTask, writer: IndexWriter) -> list[Emission]:
    """Do a task of a merge, unless the merge has ended; returns what is to be done next."""
    merges = {merge.name: merge for merge in writer.store.manifest().merges}
    merge = merges.get(task.merge)
    if merge is None:
        return []
    if task.part is None:
        join(writer, merge)
        return []
    if not _is_made(writer, merge.part(task.part)):
        make_part(writer, merge, task.part)
    return [joining(merge)] if _is_made(writer, *merge.parts()) else []


def joining(merge: Merge) -> Emission:
    """What asks for the joining of the parts."""
    return Emission("merge", MergeTask(job=JOB, merge=merge.name))


def missing_parts(writer: IndexWriter, merge: Merge) -> list[int]:
    """The numbers of the parts that are not made yet."""
    return [n for n, name in enumerate(merge.parts()) if not _is_made(writer, name)]


def _is_made(writer: IndexWriter, *names: str) -> bool:
    try:
        writer.store.read([Range(name, 0, 1) for name in names])
    except NotStored:
        return False
    return True


def make_part(writer: IndexWriter, merge: Merge, number: int) -> None:
    """Write a part; if another process writes it at the same time, its part is as good."""
    merging = open_sources(writer, merge.sources, merge.forget_before)
    terms = len(merge.cuts) + 1
    with TemporaryFile() as one, TemporaryFile() as two, TemporaryFile() as three:
        files = iter((one, two, three))
        if number < terms:
            writing = TermWriter(lambda: next(files))
            low, high = list(pairwise(["", *merge.cuts, ""]))[number]
            for table in merged_terms(merging.sources, merging.order, merging.fetch, low, high):
                writing.add(table)
            pieces = pack_terms(writing.written)
        else:
            first, last = _stretch(len(merging.order), number - terms, merge.stretches)
            documents = merged_stored(merging.sources, merging.order, merging.fetch, first, last)
            pieces = pack_stored_run(write_stored(documents, one))
        _put(writer, merge.part(number), pieces)


def _put(writer: IndexWriter, name: str, pieces: Iterator[bytes]) -> None:
    try:
        writer.store.put(name, pieces)
    except GossamerError:
        if not _is_made(writer, name):
            raise


def _stretch(documents: int, number: int, of: int) -> tuple[int, int]:
    return documents * number // of, documents * (number + 1) // of


def join(writer: IndexWriter, merge: Merge) -> bool:
    """Put all parts together and publish the segment; False if its sources are merged already."""
    merging = open_sources(writer, merge.sources, merge.forget_before)
    names, fetch = merge.parts(), writer.opened.fetch
    terms = len(merge.cuts) + 1
    runs = [read_terms(name, fetch) for name in names[:terms]]
    stored = [read_stored_run(name, fetch) for name in names[terms:]]
    documents = replace(merging.documents(), stored=(), stored_runs=stored)
    return put_merged(replace(writer, heads_from=merge.heads_from), merging, documents, runs)
