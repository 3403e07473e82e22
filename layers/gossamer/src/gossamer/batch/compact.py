"""COMPACT: several segments become one larger one, without what is dead.

Segments are merged in tiers: when enough of about one size have gathered, they become one of the
next size, so a document is rewritten once per tier. A merge reads and writes in order and in
bounded memory. It is published by one replacement of the manifest; what died in its sources
meanwhile is dead in it (`bolts.manifest`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.bolts.manifest import REMEMBERED, Merged, replace_segments
from gossamer.core.index.segments.merger import (
    Source,
    merged_documents,
    merged_terms,
    order_of,
)
from gossamer.core.index.segments.reader import Segment
from gossamer.core.index.segments.writer import TermWriter, segment
from gossamer.ports.segments import Head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Manifest, SegmentInfo

FANOUT = 8  # segments of a tier that are merged into one of the next
SMALLEST = 1_000  # documents; smaller segments are of one tier
MAX_SEGMENTS = 24  # then the smallest are merged, whatever their sizes
MAX_DEAD = 0.3  # of a segment; then it is merged alone
MAX_MERGED = 2_000_000  # documents of one merge
HEADS_FROM = 10_000  # documents of a segment whose frequent terms get heads


@dataclass(frozen=True, slots=True)
class Policy:
    """When segments are merged."""

    fanout: int = FANOUT
    settled: float = math.inf  # only segments published before

    def choose(self, manifest: Manifest) -> list[SegmentInfo]:
        """The segments to merge next; none if all is well."""
        known = [info for info in manifest.segments if info.at < self.settled]
        if dead := [info for info in known if _is_mostly_dead(info)]:
            return dead[:1]
        for members in _tiers(known).values():
            if len(members) >= self.fanout:
                return _fitting(members)
        if len(known) > MAX_SEGMENTS:
            return _fitting(sorted(known, key=lambda info: info.live)[: self.fanout])
        return []


def _is_mostly_dead(info: SegmentInfo) -> bool:
    return info.documents >= SMALLEST and info.live < (1 - MAX_DEAD) * info.documents


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
    open_file: Callable[[], BinaryIO] | None = None,
) -> bool:
    """Merge what the policy chooses, until nothing is left to do; False if nothing was merged.

    `whole` merges everything into one segment.
    """
    merged = False
    choose = _whole if whole else (policy or Policy()).choose
    while chosen := choose(writer.store.manifest()):
        if not merge(writer, chosen, open_file):
            break
        merged = True
        if whole:
            break
    return merged


def _whole(manifest: Manifest) -> list[SegmentInfo]:
    """Everything, unless it is one segment in which all is live."""
    segments = manifest.segments
    clean = len(segments) == 1 and segments[0].live == segments[0].documents
    return [] if clean else list(segments)


def merge(
    writer: IndexWriter,
    infos: Sequence[SegmentInfo],
    open_file: Callable[[], BinaryIO] | None = None,
) -> bool:
    """Merge some segments into one; False if another process merged them meanwhile."""
    opened, now = writer.opened, writer.clock()
    sources = [Source(opened.segment(i), opened.live(i), opened.levels(i)) for i in infos]
    order = order_of(sources, forget_gone_before=now - REMEMBERED)
    terms = TermWriter(open_file) if open_file else TermWriter()
    for table in merged_terms(sources, order, opened.fetch):
        terms.add(table)
    documents = merged_documents(sources, order, opened.fetch)
    name = writer.name()
    analyzer = sources[0].segment.footer.analyzer
    size = writer.store.put(name, segment(documents, terms, analyzer))
    if len(order) >= HEADS_FROM:
        writer.store.put_heads(heads_of(Segment(name, size, opened.fetch)))
    done = Merged(infos, [s.live for s in sources], [s.levels for s in sources], order)
    is_published = replace_segments(writer, name, size, done)
    if not is_published or not len(order):  # a segment of no documents is not kept
        writer.store.delete([name])
    return is_published


def heads_of(segment: Segment) -> Iterator[Head]:
    """The beginnings of the lists of all frequent terms of a segment."""
    for number in range(len(segment.sparse)):
        [data] = segment.fetch([segment.block_range(number)])
        block = segment.block(number, data)
        for term, frequent in zip(block.often_terms, block.frequent(), strict=True):
            [first] = segment.fetch([segment.layer_range(frequent.layers[0])])
            places = tuple(
                (at.size, at.bound, *at.postings, *at.positions) for at in frequent.layers
            )
            yield Head(term, segment.name, places, bytes(first))
