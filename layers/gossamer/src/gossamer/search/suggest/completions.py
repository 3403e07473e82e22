"""Completions of a typed text in one segment, and one list of those of several."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from gossamer.core.index.suggestions.entries import KINDS, VALUE, weights_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.index.suggestions.completing import Completing, Matching
    from gossamer.core.index.suggestions.entries import Floats

OF_A_SEGMENT: Final = 50  # completions that are put together with those of others


class Completion(msgspec.Struct, frozen=True, array_like=True):
    """An entry that completes what was typed."""

    key: str
    text: str
    kind: int
    about: str  # the address of a page, or the field of a value; "" if there is none
    frequency: int  # documents
    level: int  # the highest PageRank of these
    is_whole: bool  # whether it begins with what was typed, not only a word in it
    mistakes: int = 0  # of what was typed

    @property
    def weight(self) -> float:
        """How good it is."""
        frequency, level = np.array([self.frequency]), np.array([self.level])
        return float(weights_of(np.array([self.kind], np.uint8), frequency, level)[0])

    @property
    def description(self) -> str:
        """What it is, in words."""
        return self.about if self.kind == VALUE else KINDS[self.kind]

    @property
    def url(self) -> str:
        """The page that it is the title or the name of, or stands on; "" if there is none."""
        return "" if self.kind == VALUE else self.about


class Weighted:
    """The entries of a segment with their weights, by which of its documents are live."""

    def __init__(
        self,
        completing: Completing,
        live: npt.NDArray[np.bool_],
        levels: npt.NDArray[np.uint8],
    ) -> None:
        self.completing, self.live, self.levels = completing, live, levels
        self._region = completing.region

    @cached_property
    def _is_live(self) -> npt.NDArray[np.bool_]:
        """By document of each entry."""
        found: npt.NDArray[np.bool_] = self.live[self._region.documents]
        return found

    @cached_property
    def _frequencies(self) -> Ints:
        counted: Ints = np.add.reduceat(self._is_live.astype(np.int64), self._firsts)
        return counted

    @cached_property
    def _levels(self) -> npt.NDArray[np.uint8]:
        ranks = np.where(self._is_live, self.levels[self._region.documents], 0)
        highest: npt.NDArray[np.uint8] = np.maximum.reduceat(ranks, self._firsts)
        return highest

    @property
    def _firsts(self) -> Ints:
        return self._region.starts[:-1]

    @cached_property
    def _weights(self) -> Floats:
        """0 for what no live document has."""
        return weights_of(self._region.kinds, self._frequencies, self._levels)

    def exact(self, typed: str) -> list[Completion]:
        """The best completions of what was typed."""
        return self._best(self.completing.exact(typed), 0)

    def with_a_mistake(self, typed: str) -> list[Completion]:
        """The best completions, if one letter is wrong."""
        return self._best(self.completing.with_a_mistake(typed), 1)

    def _best(self, found: Matching, mistakes: int) -> list[Completion]:
        weights = self._weights[found.entries]
        # What begins so comes first, whatever it weighs: weights are below this.
        order = np.argsort(-(weights + np.where(found.is_whole, 1e6, 0)), kind="stable")
        chosen = order[weights[order] > 0][:OF_A_SEGMENT]
        return [
            self._completion(int(found.entries[place]), bool(found.is_whole[place]), mistakes)
            for place in chosen.tolist()
        ]

    def _completion(self, entry: int, is_whole: bool, mistakes: int) -> Completion:
        text, about = self._region.shown(entry)
        kind = int(self._region.kinds[entry])
        has_about = kind == VALUE or bool(self._is_live[self._region.starts[entry]])
        return Completion(
            self.completing.key(entry),
            text,
            kind,
            about if has_about else "",
            int(self._frequencies[entry]),
            int(self._levels[entry]),
            is_whole,
            mistakes,
        )


def best_of(found: Iterable[Completion], count: int) -> list[Completion]:
    """The best of several segments: what is in more than one is as frequent as in all together.

    What has a mistake is taken only if nothing is without.
    """
    known: dict[str, Completion] = {}
    for each in found:
        other = known.get(each.key)
        known[each.key] = each if other is None else _joined(each, other)
    least = min((each.mistakes for each in known.values()), default=0)
    best = [each for each in known.values() if each.mistakes == least]
    return sorted(best, key=lambda each: (not each.is_whole, -each.weight, each.key))[:count]


def _joined(one: Completion, other: Completion) -> Completion:
    best = min(one, other, key=lambda each: (each.kind, not each.about, -each.level, each.about))
    return msgspec.structs.replace(
        best,
        frequency=one.frequency + other.frequency,
        level=max(one.level, other.level),
        is_whole=one.is_whole or other.is_whole,
        mistakes=min(one.mistakes, other.mistakes),
    )
