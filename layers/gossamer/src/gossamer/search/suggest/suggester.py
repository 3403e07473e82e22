"""SUGGEST: what was typed so far becomes a list of what may be meant.

The entries of a segment are read whole, once: they are a few megabytes at most, and who types asks
many times. Where the index is far away, those of all segments come in one round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.index.suggestions.completing import Completing
from gossamer.core.index.suggestions.folding import fold
from gossamer.core.index.suggestions.region import SUGGESTIONS, EntryRegion
from gossamer.search.budget import NOT_SEARCHED, UNLIMITED
from gossamer.search.suggest.completions import Weighted, best_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.core.index.segments.reader import Segment
    from gossamer.search.budget import Budget
    from gossamer.search.snapshot import Part, Snapshot
    from gossamer.search.suggest.completions import Completion

    Read = Callable[[Sequence[Range]], Sequence[Buffer]]

MOST_LETTERS: Final = 200  # of what was typed, without accents; no entry is longer


class Suggester:
    """Completes over the segments of snapshots."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, Weighted] = {}  # by segment

    def suggest(
        self, typed: str, count: int, snapshot: Snapshot, budget: Budget = UNLIMITED
    ) -> list[Completion]:
        """The best completions; if there are none, those of what was typed with one mistake."""
        wanted = fold(typed)
        if not 0 < len(wanted) <= MOST_LETTERS:
            return []
        segments = self._open(snapshot, budget)
        exact = best_of((each for one in segments for each in one.exact(wanted)), count)
        if exact:
            return exact
        return best_of((each for one in segments for each in one.with_a_mistake(wanted)), count)

    def _open(self, snapshot: Snapshot, budget: Budget) -> list[Weighted]:
        """The entries of all segments that have some; what is not known yet is read at once."""
        parts = [part for part in snapshot.parts if part.view.segment.has(SUGGESTIONS)]
        new = [part for part in parts if part.view.name not in self._known]
        new.sort(key=lambda part: -part.view.documents)
        if len(new) > budget.reads_left:
            budget.leave_out(NOT_SEARCHED)
            new = new[: int(budget.reads_left)]
        segments = [part.view.segment for part in new]
        ranges = [segment.region_range(SUGGESTIONS) for segment in segments]
        read = zip(segments, self._read(ranges) if ranges else (), strict=True)
        completing = {segment.name: _completing(segment, data) for segment, data in read}
        self._known = {
            part.view.name: self._weighted(part, completing)
            for part in parts
            if part.view.name in completing or part.view.name in self._known
        }
        return list(self._known.values())

    def _weighted(self, part: Part, new: dict[str, Completing]) -> Weighted:
        """The entries of a segment by its present ranks and tombstones."""
        known = self._known.get(part.view.name)
        if known is None:
            return Weighted(new[part.view.name], part.live, part.levels)
        if known.live is part.live and known.levels is part.levels:
            return known
        return Weighted(known.completing, part.live, part.levels)


def _completing(segment: Segment, data: Buffer) -> Completing:
    segment.learn(SUGGESTIONS, data)
    what = f"the region {SUGGESTIONS} of the segment {segment.name}"
    return Completing(EntryRegion(segment.load(SUGGESTIONS), what))
