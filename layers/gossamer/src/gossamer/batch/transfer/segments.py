"""Copy an index: the same bytes under names of their own, published segment by segment.

A file is named anew with the present time, because a sweep deletes what was begun long ago and is
in no manifest. Behind the time the name stays the same: by that it is known what is there already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.heads import KeptHeads, put_heads
from gossamer.bolts.manifest import replace
from gossamer.core.errors import ConfigurationError, NotStored
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import NAME_DIGITS, SideFile, new_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
    from gossamer.ports.segments import SegmentStore

    Tell = Callable[[int, int], None]  # bytes that are there, and bytes of all

PIECE = 8 << 20  # bytes in memory
ATTEMPTS = 5  # while the source is being merged


def copy_index(source: SegmentStore, target: IndexWriter, tell: Tell) -> int:
    """Make an index equal to another one; returns how many bytes it has.

    Segments that the source no longer has are dropped. No other process may index there meanwhile.
    """
    for _ in range(ATTEMPTS):
        wanted = source.manifest()
        try:
            _copy_all(wanted, source, target, tell)
        except NotStored:  # merged while it was read
            continue
        return wanted.size
    raise NotStored("the index changes faster than it is copied: pause its crawl and try again")


def _copy_all(wanted: Manifest, source: SegmentStore, target: IndexWriter, tell: Tell) -> None:
    before = target.store.manifest()
    present = {_token(info.name): info for info in before.segments}
    done = 0
    for info in wanted.segments:
        token = _token(info.name)
        copy = _Copy(source, target, tell, done, wanted.size, wanted.live)
        present[token] = copy.segment(info, present.get(token))
        before = _publish(list(present.values()), before, wanted, target)
        done += info.size
        tell(done, wanted.size)
    tokens = {_token(info.name) for info in wanted.segments}
    _publish([info for token, info in present.items() if token in tokens], before, wanted, target)


def _publish(
    segments: list[SegmentInfo], before: Manifest, wanted: Manifest, target: IndexWriter
) -> Manifest:
    """The manifest of the target after these segments are in it."""
    known = before.segments, before.analyzer, before.languages
    if known == (segments, wanted.analyzer, wanted.languages):
        return before
    published = replace(target, before, segments, wanted.analyzer, wanted.languages)
    after = target.store.manifest()
    if not published or after.version != before.version + 1:
        raise ConfigurationError(
            "another process changed the index that is copied to; end its crawl and try again"
        )
    return after


@dataclass(frozen=True, slots=True)
class _Copy:
    """Copies one segment and what lies beside it."""

    source: SegmentStore
    target: IndexWriter
    tell: Tell
    done: int  # bytes of other segments
    total: int
    live: int  # documents of the whole index

    def segment(self, info: SegmentInfo, known: SegmentInfo | None) -> SegmentInfo:
        """A segment as it is in the target; what is there of it already stays."""
        name, heads = (known.name, _heads(known)) if known else self._segment(info)
        return msgspec.structs.replace(
            info,
            name=name,
            has_heads=heads.has_heads,
            names=heads.names,
            dead=self._side(info.dead, known.dead if known else None),
            levels=self._side(info.levels, known.levels if known else None),
        )

    def _segment(self, info: SegmentInfo) -> tuple[str, KeptHeads]:
        name, target = self._copy(info.name, self._pieces(info.name, info.size)), self.target
        read, live = target.store.read, self.live
        return name, put_heads(target, name, info.size, info.documents, read, live)

    def _side(self, side: SideFile | None, known: SideFile | None) -> SideFile | None:
        if side is None:
            return None
        if known is not None and _token(known.name) == _token(side.name):
            return known
        [whole] = self.source.read([Range(side.name, 0, side.size)])
        return SideFile(self._copy(side.name, [bytes(whole)]), side.size)

    def _copy(self, name: str, pieces: Iterable[bytes]) -> str:
        ours = new_name(self.target.clock(), _token(name))
        self.target.store.delete([ours])  # left by a copy that was killed in this millisecond
        self.target.store.put(ours, pieces)
        return ours

    def _pieces(self, name: str, size: int) -> Iterator[bytes]:
        for at in range(0, size, PIECE):
            self.tell(self.done + at, self.total)
            [piece] = self.source.read([Range(name, at, min(PIECE, size - at))])
            yield bytes(piece)


def _heads(info: SegmentInfo) -> KeptHeads:
    return KeptHeads(info.has_heads, info.names)


def _token(name: str) -> str:
    """What the name of a file is besides the time at which it was begun."""
    return name[NAME_DIGITS + 1 :]
