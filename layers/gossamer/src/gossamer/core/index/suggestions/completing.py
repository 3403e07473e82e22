"""Find the entries of a region in which a word begins as something typed does.

Beginnings are sorted, so those that begin alike lie side by side. If there are none, the typed text
is taken to have one mistake: letters that really follow are tried in its place, which are few.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.index.suggestions.beginnings import SORTED_BY

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from gossamer.core.index.suggestions.region import EntryRegion

    Numbers = npt.NDArray[np.int32]

LEAST_LETTERS: Final = 4  # of a word with a mistake
MOST_LETTERS: Final = 64  # that are tried in one place
_AFTER: Final = b"\xff"  # comes after everything that begins alike
_NONE: Final = np.zeros(0, np.int32)


@dataclass(frozen=True)
class Matching:
    """Entries that match, and whether they do from their beginning on."""

    entries: Numbers
    is_whole: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.entries)


class Completing:
    """Looks up beginnings in one region."""

    def __init__(self, region: EntryRegion) -> None:
        self.region = region
        self._keys, self._begins = region.keys, region.begins

    @cached_property
    def _octets(self) -> npt.NDArray[np.uint8]:
        padding = np.zeros(SORTED_BY, np.uint8)
        return np.concatenate((np.frombuffer(self._keys, np.uint8), padding))

    @cached_property
    def _firsts(self) -> Numbers:
        """Where each entry begins."""
        ends = np.flatnonzero(self._octets == ord("\n"))
        return np.concatenate(([0], ends + 1)).astype(np.int32)

    @cached_property
    def _owners(self) -> Numbers:
        """The entry of each beginning."""
        lines = np.cumsum(self._octets == ord("\n"), dtype=np.int32)
        return lines[self._begins]

    def key(self, entry: int) -> str:
        """An entry as it is compared."""
        begin = int(self._firsts[entry])
        end = self._keys.find(b"\n", begin)
        return self._keys[begin : end if end >= 0 else len(self._keys)].decode()

    def exact(self, typed: str) -> Matching:
        """The entries that have this at the beginning of a word."""
        return self._matching(self._places(typed))

    def with_a_mistake(self, typed: str) -> Matching:
        """The entries that have it with one letter more, less, another, or two in other order."""
        found = [
            places for variant in self._variants(typed) if len(places := self._places(variant))
        ]
        return self._matching(np.unique(np.concatenate(found)) if found else _NONE)

    def _matching(self, places: Numbers) -> Matching:
        entries = self._owners[places]
        is_whole = self._begins[places] == self._firsts[entries]
        # Of an entry that matches in several words the first counts.
        order = np.lexsort((~is_whole, entries))
        entries, is_whole = entries[order], is_whole[order]
        first = np.ones(len(entries), np.bool_)
        first[1:] = entries[1:] != entries[:-1]
        return Matching(entries[first], is_whole[first])

    def _places(self, typed: str) -> Numbers:
        """Which of the sorted beginnings begin so."""
        wanted = typed.encode()
        low, high = self._range(wanted[:SORTED_BY])
        places = np.arange(low, high, dtype=np.int32)
        for place in range(SORTED_BY, len(wanted)):
            if not len(places):
                break
            at = np.minimum(self._begins[places] + place, len(self._octets) - 1)
            places = places[self._octets[at] == wanted[place]]
        return places

    def _range(self, wanted: bytes, low: int = 0, high: int | None = None) -> tuple[int, int]:
        """From where to where they begin with at most SORTED_BY bytes."""
        keys, size = self._keys, len(wanted)
        end = len(self._begins) if high is None else high

        def begin(place: int) -> bytes:
            return keys[place : place + size]

        first = bisect_left(self._begins, wanted, low, end, key=begin)
        size += 1
        return first, bisect_left(self._begins, wanted + _AFTER, first, end, key=begin)

    def _variants(self, typed: str) -> Iterator[str]:
        """What may have been meant, if one letter of `typed` is wrong; each begins somewhere."""
        low, high, begin = 0, len(self._begins), 0
        for place, letter in enumerate(typed):
            if letter.isalnum() and _may_be_wrong(typed, place):
                before, after = typed[:place], typed[place + 1 :]
                yield before + after
                if after:
                    yield before + after[0] + letter + after[1:]
                for other in self._letters_after(before, low, high):
                    yield before + other + letter + after
                    if after:
                        yield before + other + after
            begin = len(typed[: place + 1].encode())
            if begin > SORTED_BY:
                return
            low, high = self._range(typed[: place + 1].encode(), low, high)
            if low == high:
                return  # what is right before the mistake must be there

    def _letters_after(self, before: str, low: int, high: int) -> Iterator[str]:
        """The letters that follow a beginning."""
        size = len(before.encode())
        for _ in range(MOST_LETTERS):
            if low >= high or size >= SORTED_BY - 4:
                return
            at = int(self._begins[low]) + size
            letter = self._keys[at : at + 4].decode(errors="ignore")[:1]
            if not letter or letter == "\n":
                low += 1
                continue
            if letter.isalpha():
                yield letter
            low = self._range(before.encode() + letter.encode(), low, high)[1]


def _may_be_wrong(typed: str, place: int) -> bool:
    """Whether a letter may be mistyped: not the first of a word, no digit, in no short word."""
    first = typed.rfind(" ", 0, place) + 1
    last = typed.find(" ", place)
    word = typed[first : last if last >= 0 else len(typed)]
    return place > first and len(word) >= LEAST_LETTERS and not typed[place].isdecimal()
