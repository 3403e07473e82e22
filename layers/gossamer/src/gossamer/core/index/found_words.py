"""Words of a text that may be wanted, with their places, most of them without being cut out.

A page of results looks for a few terms in ten texts. To cut a text into all its words and to look
each of them up takes five times as long as to search it for how the wanted ones begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence


class FoundWord(NamedTuple):
    """A word: which one of the text it is, how it is written, and its characters."""

    place: int
    word: str
    start: int
    end: int


class AnyWords:
    """All words of a text of any script, by a pattern."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._found = list(pattern.finditer(text))

    def __iter__(self) -> Iterator[FoundWord]:
        for place, found in enumerate(self._found):
            yield FoundWord(place, found[0], *found.span())

    def count(self) -> int:
        """How many words the text has."""
        return len(self._found)


class PlainWords:
    """The words of a plain text that begin in some ways.

    It is in small letters, and its signs are spaces but for single apostrophes. A word with one of
    these may count as another (l'eau, O'Reilly), so all of them are among the found.
    """

    def __init__(self, spaced: str, beginnings: Sequence[str]) -> None:
        self._text = padded(spaced)
        self._beginnings = beginnings
        self._read = self._passed = 0  # characters, and the words in them

    def __iter__(self) -> Iterator[FoundWord]:
        text = self._text
        for begin in self._begins():
            end = text.index(" ", begin)
            word = text[begin:end]
            bare = word.strip("'")
            start = begin + word.index(bare) - 1
            yield FoundWord(self._passed_to(begin), word, start, start + len(bare))

    def _begins(self) -> list[int]:
        """Where words begin, in order."""
        text = self._text
        found = {at + 1 for each in self._beginnings for at in _all(text, f" {each}")}
        found |= {text.rindex(" ", 0, at) + 1 for at in _all(text, "'")}
        return sorted(found)

    def _passed_to(self, begin: int) -> int:
        """How many words come before a place; places ascend."""
        self._passed += len(self._text[self._read : begin].split())
        self._read = begin
        return self._passed

    def count(self) -> int:
        """How many words the text has."""
        return self._passed_to(len(self._text))


def padded(spaced: str) -> str:
    """A plain text between two spaces, without apostrophes that stand alone: those are no words."""
    if "'" not in spaced:
        return f" {spaced} "
    # Of a row of them every other is met.
    return f" {spaced} ".replace(" ' ", "   ").replace(" ' ", "   ")


def _all(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
