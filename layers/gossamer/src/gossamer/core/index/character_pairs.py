"""Characters of scripts that are written without spaces, and the pairs that neighbours make.

A character is a letter with all that belongs to it: marks, the voicing of kana, letters that are
written below another one (Khmer, Burmese), the parts of a Hangul syllable. Each is a word with a
position of its own. Two that stand side by side are also a term, at the position of the first: 東京
says more than 東 and 京, and a text of several characters is found by its pairs, which are few
lists. Signs between two characters do not count, as between other words.
"""

from __future__ import annotations

import re
from itertools import groupby
from operator import add
from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.index.field_terms import split_term
from gossamer.core.index.grouping import Rows
from gossamer.core.index.letters import APOSTROPHES, MARK, SINGLES, run_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

# Korean has spaces, but its particles are written without: a word is found by what it begins with.
_HANGUL: Final = r"\u1100-\u115f\ua960-\ua97c\uac00-\ud7a3"
CHARACTERS: Final = SINGLES + _HANGUL
LETTER: Final = rf"[^\W_{APOSTROPHES}{CHARACTERS}]"
RUN: Final = run_of(LETTER)
_BELOW: Final = r"[\u1039\u17d2][\u1000-\u102a\u1780-\u17a2]"
# Thai and Lao am is one sign or two; the other parts of a Hangul syllable.
_BEHIND: Final = r"\u0e4d\u0e32|\u0ecd\u0eb2|[\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7fb]"
CHARACTER: Final = rf"(?=\w)[{CHARACTERS}](?:{_BELOW}|{_BEHIND}|{MARK})*+"

is_character = re.compile(f"[{CHARACTERS}]").match
_find_character = re.compile(f"[{CHARACTERS}]").search


def paired(terms: Sequence[str]) -> tuple[str, ...]:
    """What words that stand side by side are looked up by: characters by their pairs.

    The last of several characters is a gap: it is in the pair before.
    """
    found = list(terms)
    for begin, end in runs_of(terms):
        if end - begin > 1:
            found[begin : end - 1] = map(add, terms[begin : end - 1], terms[begin + 1 : end])
            found[end - 1] = ""
    return tuple(found)


def runs_of(terms: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where characters that stand side by side begin and end."""
    begin = 0
    for are, group in groupby(terms, lambda term: is_character(term) is not None):
        end = begin + len(list(group))
        if are:
            yield begin, end
        begin = end


class Pairs:
    """The pairs in a batch of words, given as numbers, with their owners and positions."""

    def __init__(
        self,
        terms: Sequence[str],
        numbers: npt.NDArray[np.int32],
        places: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]],
    ) -> None:
        """`terms`: of each number."""
        firsts = _firsts(terms, numbers, *places)
        codes = numbers[firsts].astype(np.int64) * len(terms) + numbers[firsts + 1]
        distinct, which = np.unique(codes, return_inverse=True)
        pairs = zip(*(each.tolist() for each in np.divmod(distinct, len(terms))), strict=True)
        self.terms = [terms[first] + split_term(terms[second])[1] for first, second in pairs]
        self._which, self._owners, self._positions = which, places[0][firsts], places[1][firsts]

    def beside(self, others: Rows, row_of: npt.NDArray[np.int32]) -> Rows:
        """Other rows and these, of which `row_of` has the terms' rows, in order."""
        if not len(self._which):
            return others
        owners = np.concatenate([others.owners, self._owners])
        positions = np.concatenate([others.positions, self._positions])
        # Few words have the term of a pair, as ヿ has that of コト; but a term's positions ascend.
        order = np.lexsort((positions, owners))
        rows = np.concatenate([others.rows, row_of[self._which]])
        return Rows(rows[order], owners[order], positions[order])


def _firsts(
    terms: Sequence[str],
    numbers: npt.NDArray[np.int32],
    owners: npt.NDArray[np.int32],
    positions: npt.NDArray[np.int32],
) -> npt.NDArray[np.int64]:
    """Which words are the first ones of a pair."""
    if not _find_character("".join(terms)):  # most batches
        return np.zeros(0, np.int64)
    known = [is_character(split_term(term)[1]) is not None for term in terms]
    is_one = np.array(known, np.bool_)[numbers]
    is_next = (positions[1:] == positions[:-1] + 1) & (owners[1:] == owners[:-1])
    return np.flatnonzero(is_one[1:] & is_one[:-1] & is_next)
