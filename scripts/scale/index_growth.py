"""The segments of an index as it grows: COMPACT's own policy on segments without contents."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from random import Random
from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.bolts.heads import MAX_HEADS
from gossamer.bolts.manifest import GRACE
from gossamer.core.index.segments.manifest import Manifest, Merge, Retired, SegmentInfo, new_name
from gossamer.entrypoints.lambdas.compact import BEGUN_WITHIN, POLICY
from gossamer.ports.segments import HEADS_FROM
from scripts.scale import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.scale.findings import Findings

MB = 1e6
OVERHEAD = 200  # bytes of the manifest's item besides its body
TOGETHER = 20  # segments of a step at most; more are taken together, which no tier can tell apart
SMALL = 5_000.0  # documents of segments that are taken together: still the lowest tier
LATE = 3_600.0  # seconds
MOST_A_CALL = 40  # merges that one call of COMPACT is followed for


@dataclass(slots=True)
class IndexGrowth:
    """Segments, merges under way, and what they cost."""

    timeout: float
    manifest: Manifest = field(default_factory=Manifest)
    units: dict[str, float] = field(default_factory=dict)
    merge_seconds: float = 0.0  # of MERGE, that are to be done
    done: dict[str, float] = field(default_factory=dict)  # merge → when it will be
    free_at: float = 0.0  # of MERGE's functions
    _weights: dict[str, float] = field(default_factory=dict)  # segments that were taken together
    _chance: Random = field(default_factory=lambda: Random(1))

    def add(self, documents: float, batch: float, now: float) -> None:
        """Segments of a batch each."""
        segments = documents / max(1.0, batch)
        count = max(1, min(round(segments), TOGETHER), round(documents / SMALL))
        each = round(documents / count)
        fresh = [self._segment(now, each, self._size(each)) for _ in range(count)]
        self._weights |= {info.name: segments / count for info in fresh}
        self._change(segments=[*self.manifest.segments, *fresh])

    def _size(self, documents: int) -> int:
        return int(documents * limits.SEGMENT_BYTES_A_DOCUMENT)

    def count(self) -> float:
        """How many segments there are."""
        return sum(self._weights.get(info.name, 1.0) for info in self.manifest.segments)

    def _segment(self, now: float, documents: int, size: int) -> SegmentInfo:
        name = new_name(1.8e9 + now, f"{self._chance.getrandbits(32):08x}")
        return SegmentInfo(name=name, size=size, documents=documents, live=documents, at=now)

    def _change(self, **fields: object) -> None:
        self.manifest = msgspec.structs.replace(self.manifest, **fields)

    def bytes(self) -> float:
        """The size of the manifest's item, packed as the store packs it."""
        replaced = sum(self._weights.get(each.name, 1.0) for each in self.manifest.retired)
        live, retired = entry_bytes()
        return OVERHEAD + live * self.count() + retired * replaced

    def is_full(self, now: float, findings: Findings) -> bool:
        """Whether the manifest has outgrown an item: then nothing can be published."""
        size = self.bytes()
        if size <= limits.ITEM_BYTES:
            return False
        what = f"the manifest has {size / 1024:,.0f} KB, an item of DynamoDB may have 400"
        findings.note("manifest", now, what, "segments by Spark (docs/bulk.md)")
        return True

    def compact(self, now: float, merge_concurrency: float, findings: Findings) -> float:
        """One call of COMPACT; returns how long it runs."""
        self._publish_merged(now)
        self._forget(now)
        took = 5.0
        for _ in range(MOST_A_CALL):
            chosen = POLICY.choose(self.manifest) if took < BEGUN_WITHIN else []
            if not chosen:
                break
            took += self._merge(chosen, now, merge_concurrency, findings)
        if took > self.timeout:
            what = f"COMPACT takes {took:,.0f} s"
            findings.note("compact", now, what, "fewer segments: IndexWindow=300")
        return min(took, self.timeout)

    def _merge(
        self, chosen: Sequence[SegmentInfo], now: float, workers: float, findings: Findings
    ) -> float:
        size = sum(info.size for info in chosen) / MB
        documents = sum(info.live for info in chosen)
        self._count_heads(documents)
        if not POLICY.is_shared(chosen):
            self._replace(chosen, now)
            return limits.COMPACT_SECONDS_A_MB * size
        self._plan(chosen, now, workers, findings, size, documents)
        return 1.0

    def _plan(
        self,
        chosen: Sequence[SegmentInfo],
        now: float,
        workers: float,
        findings: Findings,
        size: float,
        documents: int,
    ) -> None:
        """A shared merge: parts side by side, then one function joins them."""
        parts = 2 * ceil(size * MB / 2 / POLICY.part_bytes)
        join = 2 * size / limits.JOIN_MB_A_SECOND + documents * limits.JOIN_SECONDS_A_DOCUMENT
        merge = Merge(name=new_name(1.8e9 + now, f"{len(self.done)}"), sources=list(chosen))
        self._change(merges=[*self.manifest.merges, merge])
        self.merge_seconds += parts * limits.PART_SECONDS + min(join, self.timeout)
        if join > self.timeout:
            what = f"joining {documents:,} documents takes {join:,.0f} s of {self.timeout:,.0f}"
            findings.note(
                "join", now, what, "segments by Spark (docs/bulk.md), or several collections"
            )
            return  # it is given up and planned again, for ever
        self.free_at = max(self.free_at, now) + parts * limits.PART_SECONDS / workers + join
        self.done[merge.name] = self.free_at
        if self.free_at > now + LATE:
            what = "merges wait for an hour: queries read more segments than they need"
            findings.note("merges", now, what, "a larger MergeConcurrency", is_break=False)

    def _publish_merged(self, now: float) -> None:
        for merge in [m for m in self.manifest.merges if self.done.get(m.name, now + 1) <= now]:
            self._change(merges=[m for m in self.manifest.merges if m.name != merge.name])
            self._replace(merge.sources, now)

    def _replace(self, sources: Sequence[SegmentInfo], now: float) -> None:
        gone = {info.name for info in sources}
        size, live = sum(info.size for info in sources), sum(info.live for info in sources)
        kept = [info for info in self.manifest.segments if info.name not in gone]
        retired = [*self.manifest.retired, *(Retired(name, now) for name in gone)]
        self._change(segments=[*kept, self._segment(now, live, size)], retired=retired)

    def _forget(self, now: float) -> None:
        kept = [each for each in self.manifest.retired if each.at > now - GRACE]
        names = {each.name for each in kept} | {info.name for info in self.manifest.segments}
        self._weights = {name: n for name, n in self._weights.items() if name in names}
        self._change(retired=kept)

    def _count_heads(self, documents: int) -> None:
        """Count heads of large segments: two units each when written, and when deleted.

        Smaller segments that are most of an index get some, too, but only a few times.
        """
        heads = self.units.get("wru inverted_index", 0.0)
        new = 4.0 * MAX_HEADS if documents >= HEADS_FROM else 0.0
        self.units["wru inverted_index"] = heads + new

    def take_units(self) -> dict[str, float]:
        """The units since the last look."""
        found, self.units = self.units, {}
        return found


@lru_cache(maxsize=1)
def entry_bytes() -> tuple[float, float]:
    """The packed bytes of a live segment and of a replaced one, in a manifest of a thousand."""
    growth = IndexGrowth(0.0)
    many = [growth._segment(n * 10.0, 100, growth._size(100)) for n in range(1_000)]
    live = _packed(Manifest(segments=many))
    return live, _packed(Manifest(retired=[Retired(info.name, info.at) for info in many]))


def _packed(manifest: Manifest) -> float:
    body = msgspec.json.encode(manifest)
    return len(zstandard.ZstdCompressor().compress(body)) / 1_000
