"""Change the manifest of the index; retried until no other writer came in between.

Which version of a page can be found is decided here, when a segment is published: a page has the
documents of its newest version only. What a new segment supersedes gets tombstones, what it brings
too late is dead from the beginning. All of that becomes visible by one replacement of the manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gossamer.bolts.languages import languages_in, together
from gossamer.core.errors import NotStored
from gossamer.core.ids import URL_ID_BYTES
from gossamer.core.index.segments.identities import as_ids
from gossamer.core.index.segments.manifest import (
    Manifest,
    Merge,
    Retired,
    SegmentInfo,
    SideFile,
    begun_at,
    new_name,
)
from gossamer.core.index.segments.tombstones import pack_bits
from gossamer.ports.segments import HEADS_FROM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.merger import Order
    from gossamer.core.index.segments.opened import OpenSegments
    from gossamer.core.index.segments.tombstones import Bits
    from gossamer.ports.segments import SegmentStore

_LAST_PART = b"\xff\xff\xff\xff"


@dataclass(frozen=True, slots=True)
class IndexWriter:
    """What changes the index: its store, its open segments, a clock and unique tokens."""

    store: SegmentStore
    opened: OpenSegments
    clock: Callable[[], float]
    token: Callable[[], str]
    heads_from: int = HEADS_FROM  # documents of a segment whose long lists get heads

    def name(self) -> str:
        """A name for a new file."""
        return new_name(self.clock(), self.token())

    def put_side(self, data: bytes) -> SideFile:
        """Write a file beside a segment."""
        name = self.name()
        return SideFile(name, self.store.put(name, [data]))


def add_segment(
    writer: IndexWriter,
    name: str,
    size: int,
    identities: Identities,
    analyzer: Mapping[str, str | int | bool],
    schema: str = "",
    languages: Mapping[str, int] = {},
) -> None:
    """Publish a segment. Its pages are found by their newest version from then on.

    `schema`: the digest of what it was made by. `languages`: of its documents, if they differ.
    """
    while True:
        before = writer.store.manifest()
        _check_age(writer, [name])
        late = np.zeros(len(identities), np.bool_)
        segments = []
        for info in before.segments:
            theirs, ours = _superseded(writer.opened, info, identities)
            late |= ours
            segments.append(_bury(writer, info, theirs))
        alive = ~(late | identities.gone)
        added = SegmentInfo(
            name=name,
            size=size,
            documents=len(identities),
            live=int(np.count_nonzero(alive)),
            gone=int(np.count_nonzero(identities.gone)),
            at=writer.clock(),
            schema=schema,
            dead=writer.put_side(pack_bits(late)) if late.any() else None,
        )
        after = _changed(
            before,
            [*segments, added],
            writer.clock(),
            analyzer=before.analyzer or dict(analyzer),
            languages=together(before.languages, languages),
        )
        if writer.store.publish(after):
            writer.opened.keep(after.segments)
            return


# A file that was begun longer ago is not published, so that `sweep` may delete it; see there.
PUBLISHED_WITHIN = 43_200.0


def _check_age(writer: IndexWriter, names: Iterable[str]) -> None:
    """Refuse files that may be swept already. It is asked after the manifest was read."""
    for name in names:
        if writer.clock() - begun_at(name) > PUBLISHED_WITHIN:
            raise NotStored(f"the file {name} was begun too long ago and may be deleted: try again")


def _superseded(
    opened: OpenSegments, info: SegmentInfo, identities: Identities
) -> tuple[Bits, Bits]:
    """Which documents of a segment die by new ones, and which of the new ones come too late.

    Of two versions of a page the newer one counts, of equal ones the one that comes now: a page is
    indexed again when others call it by other names. But what was removed comes back by a newer
    version only.
    """
    theirs = np.zeros(info.documents, np.bool_)
    ours = np.zeros(len(identities), np.bool_)
    known, live = opened.segment(info).identities, opened.live(info)
    pages = as_ids([bytes(id)[:URL_ID_BYTES] for id in identities.ids.tolist()])
    lows = np.searchsorted(known.ids, pages)
    ends = as_ids([_padded(id) + _LAST_PART for id in pages.tolist()])
    highs = np.searchsorted(known.ids, ends, side="right")
    for number in np.flatnonzero(highs > lows).tolist():
        low, high = int(lows[number]), int(highs[number])
        version = identities.versions[number]
        met = live[low:high] | known.gone[low:high]
        newer = known.versions[low:high] > version
        removed = known.gone[low:high] & (known.versions[low:high] >= version)
        if bool((met & (newer | removed)).any()) and not identities.gone[number]:
            ours[number] = True
        elif not bool((met & newer).any()):
            theirs[low:high] |= live[low:high]
    return theirs, ours


def _padded(id: bytes) -> bytes:
    return id.ljust(URL_ID_BYTES, b"\0")


def _bury(writer: IndexWriter, info: SegmentInfo, dead: Bits) -> SegmentInfo:
    """A segment with more dead documents."""
    if not dead.any():
        return info
    live = writer.opened.live(info) & ~dead
    return msgspec.structs.replace(
        info, live=int(np.count_nonzero(live)), dead=writer.put_side(pack_bits(~live))
    )


def _changed(
    before: Manifest,
    segments: Sequence[SegmentInfo],
    now: float,
    *,
    analyzer: dict[str, str | int | bool] | None = None,
    languages: dict[str, int] | None = None,
    merges: Sequence[Merge] | None = None,
) -> Manifest:
    """The next manifest; what only the one before names is retired.

    A merge under way ends when one of its sources leaves the index.
    """
    kept = [info for info in segments if info.live or _remembers(info, now)]
    known = {info.name for info in kept}
    going_on = before.merges if merges is None else merges
    after = msgspec.structs.replace(
        before,
        version=before.version + 1,
        segments=kept,
        merges=[merge for merge in going_on if {s.name for s in merge.sources} <= known],
        analyzer=before.analyzer if analyzer is None else analyzer,
        languages=before.languages if languages is None else languages,
    )
    dropped = (before.names() | before.parts()) - (after.names() | after.parts())
    return msgspec.structs.replace(
        after, retired=[*before.retired, *(Retired(name, now) for name in sorted(dropped))]
    )


# How long after its publication a segment without live documents is kept for what it says is gone:
# longer than any message about an older version can be under way.
REMEMBERED = 14 * 86_400.0


def _remembers(info: SegmentInfo, now: float) -> bool:
    return info.documents > 0 and info.at > now - REMEMBERED


@dataclass(frozen=True, slots=True)
class Merged:
    """A segment that was merged of others, as these were when that began."""

    sources: Sequence[SegmentInfo]
    live: Sequence[Bits]
    levels: Sequence[npt.NDArray[np.uint8]]
    order: Order
    has_heads: bool = False
    names: SideFile | None = None


def replace_segments(writer: IndexWriter, name: str, size: int, merged: Merged) -> bool:
    """Publish a merged segment in place of its sources; False if they are not there any more.

    What died in the sources since they were read is dead in it, and ranks that changed are taken
    over.
    """
    while True:
        before = writer.store.manifest()
        _check_age(writer, [name])
        now = {info.name: info for info in before.segments}
        if any(info.name not in now for info in merged.sources):
            return False
        sources = [now[info.name] for info in merged.sources]
        info = _taken_over(writer, name, size, merged, sources)
        first = min(before.segments.index(source) for source in sources)
        segments = [known for known in before.segments if known not in sources]
        segments.insert(min(first, len(segments)), info)
        if writer.store.publish(_changed(before, segments, writer.clock())):
            return True


def _taken_over(
    writer: IndexWriter, name: str, size: int, merged: Merged, sources: Sequence[SegmentInfo]
) -> SegmentInfo:
    count = len(merged.order)
    dead = np.zeros(count, np.bool_)
    gone = np.zeros(count, np.bool_)
    levels = np.zeros(count, np.uint8)
    is_ranked_since = False
    parts = zip(sources, merged.live, merged.levels, merged.order.numbers, strict=True)
    for info, was_live, had_levels, numbers in parts:
        segment = writer.opened.segment(info)
        kept = numbers >= 0
        died = was_live & ~writer.opened.live(info) & kept
        dead[numbers[died]] = True
        gone[numbers[segment.identities.gone & kept]] = True
        ranks = writer.opened.levels(info)
        levels[numbers[kept]] = ranks[kept]
        is_ranked_since |= not np.array_equal(ranks, had_levels)
    return SegmentInfo(
        name=name,
        size=size,
        documents=count,
        live=int(np.count_nonzero(~(dead | gone))),
        gone=int(np.count_nonzero(gone)),
        at=max(info.at for info in sources),
        schema=_common({info.schema for info in sources if info.live}),
        dead=writer.put_side(pack_bits(dead)) if dead.any() else None,
        levels=writer.put_side(levels.tobytes()) if is_ranked_since else None,
        has_heads=merged.has_heads,
        names=merged.names,
    )


def _common(schemas: set[str]) -> str:
    """The schema of all sources; none if they differ."""
    return schemas.pop() if len(schemas) == 1 else ""


def change_merges(
    writer: IndexWriter, change: Callable[[Manifest], list[Merge] | None]
) -> Manifest | None:
    """Replace the list of merges under way by what `change` makes of it.

    Returns the manifest with them; None if there is nothing to change.
    """
    while True:
        before = writer.store.manifest()
        merges = change(before)
        if merges is None:
            return None
        after = _changed(before, before.segments, writer.clock(), merges=merges)
        if writer.store.publish(after):
            return after


def replace_all(
    writer: IndexWriter,
    segments: Sequence[SegmentInfo],
    analyzer: Mapping[str, str | int | bool],
    schema: str = "",
) -> None:
    """Publish new segments in place of all that there are; `schema` as in `add_segment`."""
    segments = [msgspec.structs.replace(info, schema=schema) for info in segments]
    languages = languages_in(writer.opened, segments, analyzer)
    while not replace(writer, writer.store.manifest(), segments, analyzer, languages):
        pass


def replace(
    writer: IndexWriter,
    before: Manifest,
    segments: Sequence[SegmentInfo],
    analyzer: Mapping[str, str | int | bool],
    languages: Mapping[str, int],
) -> bool:
    """Publish segments, new ones and those that stay; False if the manifest was replaced since."""
    known = before.names()
    _check_age(writer, [info.name for info in segments if info.name not in known])
    after = _changed(
        before, segments, writer.clock(), analyzer=dict(analyzer), languages=dict(languages)
    )
    if not writer.store.publish(after):
        return False
    writer.opened.keep(after.segments)
    return True


def put_levels(writer: IndexWriter, levels: Mapping[str, npt.NDArray[np.uint8]]) -> None:
    """Keep the PageRank of the documents of some segments, by their names."""
    files = {name: writer.put_side(found.tobytes()) for name, found in levels.items()}
    while True:
        before = writer.store.manifest()
        _check_age(writer, [side.name for side in files.values()])
        segments = [
            msgspec.structs.replace(info, levels=files[info.name]) if info.name in files else info
            for info in before.segments
        ]
        if writer.store.publish(_changed(before, segments, writer.clock())):
            return


# A searcher may use a manifest that is some seconds old, and a query some seconds more.
GRACE = 600.0
# No file is published so long after it was begun. Twice the time in which it may be: clocks differ.
ABANDONED = 2 * PUBLISHED_WITHIN


def sweep(writer: IndexWriter, *, grace: float = GRACE, orphans: bool = False) -> int:
    """Delete files that nothing uses any more; returns how many.

    These are retired ones and, on request, those that were never published: all that were begun
    a day ago and that no manifest names.
    """
    names = _orphans_out_of_reach(writer) if orphans else []
    manifest, now = writer.store.manifest(), writer.clock()
    old = [retired.name for retired in manifest.retired if retired.at <= now - grace]
    if names or old:
        writer.store.delete([*names, *old])
    if old:
        _forget_retired(writer.store, set(old))
    return len(names) + len(old)


def _orphans_out_of_reach(writer: IndexWriter) -> list[str]:
    """Files that no manifest names or will ever name.

    A publisher reads the manifest, then looks how old its file is, then replaces that manifest. So
    it fails if the manifest is replaced here after it read it, and finds its file too old if it
    reads it later.
    """
    while True:
        before = writer.store.manifest()
        found = _orphans(writer.store.names(), before, writer.clock())
        after = msgspec.structs.replace(before, version=before.version + 1)
        if not found or writer.store.publish(after):
            return found


def _orphans(names: Iterable[str], manifest: Manifest, now: float) -> list[str]:
    used = manifest.names() | manifest.parts()
    return [name for name in names if name not in used and begun_at(name) < now - ABANDONED]


def _forget_retired(store: SegmentStore, names: set[str]) -> None:
    while True:
        before = store.manifest()
        left = [retired for retired in before.retired if retired.name not in names]
        after = msgspec.structs.replace(before, version=before.version + 1, retired=left)
        if store.publish(after):
            return
