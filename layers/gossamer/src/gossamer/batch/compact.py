"""COMPACT: several segments become one larger one, without what is dead.

Segments are merged in tiers: when enough of about one size have gathered, they become one of the
next size, so a document is rewritten once per tier. A merge reads and writes in order and in
bounded memory. It is published by one replacement of the manifest; what died in its sources
meanwhile is dead in it (`bolts.manifest`).
"""

from __future__ import annotations

import math
from contextlib import ExitStack, closing
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from gossamer.bolts.manifest import REMEMBERED, Merged, replace_segments
from gossamer.core.index.segments.manifest import SegmentInfo
from gossamer.core.index.segments.merger import (
    Source,
    merged_documents,
    merged_terms,
    newest_pages,
    order_of,
)
from gossamer.core.index.segments.reader import Segment
from gossamer.core.index.segments.writer import TermWriter, segment
from gossamer.ports.segments import HEADS_FROM, Head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.core.index.segments.merger import Fetch, Order
    from gossamer.core.index.segments.writer import Terms

    # Writes the merged terms of some segments, in runs that follow each other.
    WriteTerms = Callable[[Sequence[Source], Order, Fetch], Iterable[Terms]]

FANOUT = 8  # segments of a tier that are merged into one of the next
SMALLEST = 1_000  # documents; smaller segments are of one tier
MAX_SEGMENTS = 24  # then the smallest are merged, whatever their sizes
MAX_DEAD = 0.3  # of a segment; then it is merged alone
MAX_MERGED = 2_000_000  # documents of one merge


@dataclass(frozen=True, slots=True)
class Policy:
    """When segments are merged."""

    fanout: int = FANOUT

    def choose(self, manifest: Manifest) -> list[SegmentInfo]:
        """The segments to merge next; none if all is well."""
        known = manifest.segments
        if dead := [info for info in known if _is_mostly_dead(info)]:
            return dead[:1]
        for members in _tiers(known).values():
            if len(members) >= self.fanout:
                return _fitting(members)
        if len(known) > MAX_SEGMENTS:
            return _fitting(sorted(known, key=lambda info: info.live)[: self.fanout])
        return []


def _is_mostly_dead(info: SegmentInfo) -> bool:
    """Whether a merge would leave out much. What is gone stays: it is no reason to merge again."""
    dead = info.documents - info.live - info.gone
    return info.documents >= SMALLEST and dead > MAX_DEAD * info.documents


def _tiers(segments: Sequence[SegmentInfo]) -> dict[int, list[SegmentInfo]]:
    tiers: dict[int, list[SegmentInfo]] = {}
    for info in segments:
        size = max(info.live, SMALLEST) / SMALLEST
        tiers.setdefault(int(math.log(size, FANOUT) + 1e-9), []).append(info)
    return dict(sorted(tiers.items()))


def _fitting(segments: Sequence[SegmentInfo]) -> list[SegmentInfo]:
    """As many of them, small ones first, as one merge may have; at least two."""
    chosen: list[SegmentInfo] = []
    for info in sorted(segments, key=lambda info: info.live):
        if len(chosen) >= 2 and sum(i.live for i in chosen) + info.live > MAX_MERGED:
            break
        chosen.append(info)
    return chosen if len(chosen) > 1 else []


def compact(
    writer: IndexWriter,
    *,
    whole: bool = False,
    policy: Policy | None = None,
    write_terms: WriteTerms | None = None,
) -> bool:
    """Merge what the policy chooses, until nothing is left to do; False if nothing was merged.

    `whole` merges everything into one segment.
    """
    merged = False
    choose = _whole if whole else (policy or Policy()).choose
    while chosen := choose(writer.store.manifest()):
        if not merge(writer, chosen, write_terms):
            break
        merged = True
        if whole:
            break
    return merged


def _whole(manifest: Manifest) -> list[SegmentInfo]:
    """Everything, unless it is one segment in which nothing is dead."""
    segments = manifest.segments
    clean = len(segments) == 1 and segments[0].live + segments[0].gone == segments[0].documents
    return [] if clean else list(segments)


def written_here(
    sources: Sequence[Source],
    order: Order,
    fetch: Fetch,
    open_file: Callable[[], BinaryIO] = BytesIO,
) -> Iterator[Terms]:
    """All terms of some segments, merged in this process; whoever gets them closes their files."""
    terms = TermWriter(open_file)
    try:
        for table in merged_terms(sources, order, fetch):
            terms.add(table)
    except BaseException:
        terms.written.close()
        raise
    yield terms.written


def merge(
    writer: IndexWriter,
    infos: Sequence[SegmentInfo],
    write_terms: WriteTerms | None = None,
) -> bool:
    """Merge some segments into one; False if another process merged them meanwhile."""
    sources = _sources(writer, infos)
    order = order_of(sources, forget_gone_before=writer.clock() - REMEMBERED)
    name, size = _write(writer, sources, order, write_terms)
    done = Merged(infos, [s.live for s in sources], [s.levels for s in sources], order)
    published = replace_segments(writer, name, size, done)
    if not published or not len(order):  # a segment without documents is in no manifest
        writer.store.delete([name])
    return published


def join(
    writer: IndexWriter,
    infos: Sequence[SegmentInfo],
    write_terms: WriteTerms | None = None,
    *,
    may_repeat: bool = False,
) -> SegmentInfo:
    """One segment of several parts, which no manifest names; they are deleted.

    If pages `may_repeat` in several parts, the newest version of each counts.
    """
    sources = _sources(writer, infos)
    if may_repeat:
        sources = newest_pages(sources)
    order = order_of(sources, forget_gone_before=0.0)
    name, size = _write(writer, sources, order, write_terms)
    writer.store.delete([info.name for info in infos])
    writer.opened.keep(writer.store.manifest().segments)
    count = len(order)
    return SegmentInfo(name=name, size=size, documents=count, live=count, at=writer.clock())


def _sources(writer: IndexWriter, infos: Sequence[SegmentInfo]) -> list[Source]:
    opened = writer.opened
    return [Source(opened.segment(i), opened.live(i), opened.levels(i)) for i in infos]


def _write(
    writer: IndexWriter,
    sources: Sequence[Source],
    order: Order,
    write_terms: WriteTerms | None,
) -> tuple[str, int]:
    """Write the segment of some others; returns its name and size."""
    fetch, name = writer.opened.fetch, writer.name()
    merging = (write_terms or written_here)(sources, order, fetch)
    documents = merged_documents(sources, order, fetch)
    with ExitStack() as files:
        runs = [files.enter_context(closing(run)) for run in merging]
        analyzer = sources[0].segment.footer.analyzer
        size = writer.store.put(name, segment(documents, runs, analyzer))
    if len(order) >= HEADS_FROM:
        writer.store.put_heads(heads_of(Segment(name, size, fetch)))
    return name, size


def heads_of(segment: Segment) -> Iterator[Head]:
    """The beginnings of the lists of all frequent terms of a segment that are ranked by."""
    for number in range(len(segment.sparse)):
        [data] = segment.fetch([segment.block_range(number)])
        block = segment.block(number, data)
        for term, frequent in zip(block.often_terms, block.frequent(), strict=True):
            if not frequent.layers[0].bound:
                continue
            [first] = segment.fetch([segment.layer_range(frequent.layers[0])])
            places = tuple(
                (at.size, at.bound, *at.postings, *at.positions) for at in frequent.layers
            )
            yield Head(term, segment.name, places, bytes(first))
