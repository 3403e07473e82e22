"""Where words begin in a list of keys, sorted by what begins there.

Only the first bytes are compared: they take two numbers, which sort ten times as fast as strings.
What is equal in them is told apart when it is looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gossamer.core.index.segments.numbers import Ints

SORTED_BY: Final = 16  # bytes
MOST_OF_ENTRY: Final = 12  # words; people do not begin to type with the thirteenth
_BREAK: Final = ord("\n")
_ASCII_LETTER: Final = np.array([chr(code).isalnum() for code in range(128)] + [True] * 128)
# The first byte of a letter of Chinese and Japanese, where every letter may begin a word.
_IS_WRITTEN_TOGETHER: Final = np.zeros(256, np.bool_)
_IS_WRITTEN_TOGETHER[0xE3:0xEA] = True


def beginnings(keys: bytes) -> Ints:
    """The places in `keys`, which are lines of UTF-8, where words and lines begin, in order."""
    if not keys:
        return np.zeros(0, np.int64)
    octets = np.frombuffer(keys, np.uint8)
    letters = _ASCII_LETTER[octets]
    begins = letters & ~np.concatenate(([False], letters[:-1]))
    begins |= _IS_WRITTEN_TOGETHER[octets]
    ends = np.flatnonzero(octets == _BREAK)
    begins[0] = True
    begins[ends[ends + 1 < len(octets)] + 1] = True
    places = np.flatnonzero(begins)
    return _sorted(octets, places[_are_early(places, ends)])


def _are_early(places: Ints, ends: Ints) -> npt.NDArray[np.bool_]:
    """Which are among the first words of their lines."""
    line = np.searchsorted(ends, places)
    first_of_line = np.searchsorted(line, line)
    return np.arange(len(places)) - first_of_line < MOST_OF_ENTRY


def _sorted(octets: npt.NDArray[np.uint8], places: Ints) -> Ints:
    padded = np.concatenate((octets, np.zeros(SORTED_BY, np.uint8)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, SORTED_BY)[places]
    halves = np.ascontiguousarray(windows).view(">u8").astype(np.uint64)
    return places[np.lexsort((halves[:, 1], halves[:, 0]))]
