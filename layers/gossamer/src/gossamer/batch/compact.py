"""COMPACT: several segments become one larger one, without what is dead.

Segments are merged in tiers: when enough of about one size have gathered, they become one of the
next size, so a document is rewritten once per tier. A merge reads and writes in order and in
bounded memory. It is published by one replacement of the manifest; what died in its sources
meanwhile is dead in it (`bolts.manifest`). A merge that would take one process too long is planned
instead, for several (`batch.merge_plan`).
"""

from __future__ import annotations

import math
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from gossamer.batch.merge_plan import free_segments, plan_merge
from gossamer.bolts.manifest import REMEMBERED
from gossamer.bolts.merge import open_sources, put_merged, write_merged
from gossamer.core.index.segments.manifest import SegmentInfo
from gossamer.core.index.segments.merger import merged_terms, newest_pages
from gossamer.core.index.segments.stored import write_stored
from gossamer.core.index.segments.writer import TermWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import BinaryIO, Protocol

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.bolts.merge import Sources
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.core.index.segments.merger import Fetch, Order, Source
    from gossamer.core.index.segments.writer import Documents, Terms

    class TermRuns(Iterable[Terms], Protocol):
        """The merged terms of some segments, in runs that follow each other."""

        def close(self) -> None:
            """End what is still at work; runs that were taken stay readable."""

    WriteTerms = Callable[[Sequence[Source], Order, Fetch], TermRuns]

FANOUT = 8  # segments of a tier that are merged into one of the next
SMALLEST = 1_000  # documents; smaller segments are of one tier
MAX_SEGMENTS = 24  # then the smallest are merged, whatever their sizes
MAX_DEAD = 0.3  # of a segment; then it is merged alone
MAX_MERGED = 2_000_000  # documents of one merge


@dataclass(frozen=True, slots=True)
class Policy:
    """When segments are merged, and by how many processes."""

    fanout: int = FANOUT
    alone_bytes: int = 0  # that one process merges by itself; 0 for any
    part_bytes: int = 0  # of a task, if several processes merge
    largest: int = 0  # documents; a segment with more is merged only if much is dead; 0 for any
    # Of segments with at least so many documents there are at most so many; 0 for any number.
    large_from: int = 0
    most_large: int = 0

    def is_shared(self, segments: Sequence[SegmentInfo]) -> bool:
        """Whether a merge is too large for one process."""
        return bool(self.alone_bytes) and sum(info.size for info in segments) > self.alone_bytes

    def choose(self, manifest: Manifest) -> list[SegmentInfo]:
        """The segments to merge next; none if all is well."""
        known = free_segments(manifest)
        if dead := [info for info in known if _is_mostly_dead(info)]:
            return dead[:1]
        if self.largest:
            known = [info for info in known if info.live <= self.largest]
        small = [info for info in known if not self._is_large(info)]
        for members in _tiers(small, self._smallest).values():
            if len(members) >= self.fanout:
                return _fitting(members)
        large = [info for info in known if self._is_large(info)]
        if len(large) > self.most_large > 0:
            return _fitting(_smallest_of(large))
        if len(known) > MAX_SEGMENTS:
            return _fitting(sorted(known, key=lambda info: info.live)[: self.fanout])
        return []

    def _is_large(self, info: SegmentInfo) -> bool:
        return self.most_large > 0 and info.live >= self.large_from

    @property
    def _smallest(self) -> float:
        """Documents of the lowest tier, so that large segments begin where a tier begins."""
        return self.large_from / FANOUT**2 if self.most_large else SMALLEST


def _smallest_of(segments: Sequence[SegmentInfo]) -> list[SegmentInfo]:
    """The smallest two, and the next ones while they are no larger than all before them together.

    So few segments are left, and yet a document is merged seldom, because most merges at least
    double the segments that they take.
    """
    chosen: list[SegmentInfo] = []
    live = 0
    for info in sorted(segments, key=lambda info: info.live):
        if len(chosen) >= 2 and info.live > live:
            break
        chosen.append(info)
        live += info.live
    return chosen


def _is_mostly_dead(info: SegmentInfo) -> bool:
    """Whether a merge would leave out much. What is gone stays: it is no reason to merge again."""
    dead = info.documents - info.live - info.gone
    return info.documents >= SMALLEST and dead > MAX_DEAD * info.documents


def _tiers(segments: Sequence[SegmentInfo], smallest: float) -> dict[int, list[SegmentInfo]]:
    tiers: dict[int, list[SegmentInfo]] = {}
    for info in segments:
        size = max(info.live, smallest, 1) / max(smallest, 1)
        tiers.setdefault(int(math.log(size, FANOUT) + 1e-9), []).append(info)
    return dict(sorted(tiers.items()))


def _fitting(segments: Sequence[SegmentInfo]) -> list[SegmentInfo]:
    """As many of them, small ones first, as one merge may have; at least two."""
    chosen: list[SegmentInfo] = []
    live = 0
    for info in sorted(segments, key=lambda info: info.live):
        live += info.live
        if len(chosen) >= 2 and live > MAX_MERGED:
            break
        chosen.append(info)
    return chosen if len(chosen) > 1 else []


def compact(
    writer: IndexWriter,
    *,
    whole: bool = False,
    policy: Policy | None = None,
    write_terms: WriteTerms | None = None,
    until: float = math.inf,
) -> bool:
    """Merge what the policy chooses, until nothing is left to do; False if nothing was merged.

    `whole` merges everything into one segment. No merge is begun later than `until`.
    """
    merged = False
    policy = policy or Policy()
    choose = _whole if whole else policy.choose
    while writer.clock() < until and (chosen := choose(writer.store.manifest())):
        if not merge_or_plan(writer, chosen, policy, write_terms):
            break
        merged = True
        if whole:
            break
    return merged


def merge_or_plan(
    writer: IndexWriter,
    infos: Sequence[SegmentInfo],
    policy: Policy,
    write_terms: WriteTerms | None = None,
) -> bool:
    """Merge some segments, or plan that; False if another process did so meanwhile."""
    if policy.is_shared(infos):
        return plan_merge(writer, infos, policy.part_bytes) is not None
    return merge(writer, infos, write_terms)


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
) -> Generator[Terms]:
    """All terms of some segments, merged in this process; the caller closes their files."""
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
    merging = open_sources(writer, infos, writer.clock() - REMEMBERED)
    with _merged(merging, write_terms) as (documents, runs):
        return put_merged(writer, merging, documents, runs)


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
    merging = open_sources(writer, infos, 0.0, newest_pages if may_repeat else list)
    with _merged(merging, write_terms) as (documents, runs):
        written = write_merged(writer, merging, documents, runs)
    sides = [info.dead.name for info in infos if info.dead]
    writer.store.delete([*(info.name for info in infos), *sides])
    writer.opened.keep(writer.store.manifest().segments)
    count = len(merging.order)
    return SegmentInfo(
        name=written.name,
        size=written.size,
        documents=count,
        live=count,
        at=writer.clock(),
        has_heads=written.heads.has_heads,
        names=written.heads.names,
    )


@contextmanager
def _merged(
    merging: Sources, write_terms: WriteTerms | None
) -> Iterator[tuple[Documents, list[Terms]]]:
    """The documents and the merged terms; their files are closed when they are written.

    Where other processes merge the terms, this one packs the documents meanwhile.
    """
    begun = (write_terms or written_here)(merging.sources, merging.order, merging.fetch)
    with ExitStack() as files:
        files.enter_context(closing(begun))
        documents = merging.documents()
        if write_terms:
            stored = write_stored(documents.stored, files.enter_context(TemporaryFile()))
            documents = replace(documents, stored=(), stored_runs=[stored])
        yield documents, [files.enter_context(closing(run)) for run in begun]
