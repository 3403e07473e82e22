"""Words of a text that may be wanted, with their places, most of them without being cut out.

A page of results looks for a few terms in ten texts. To cut a text into all its words and to look
each of them up takes five times as long as to search it for how the wanted ones begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence


class AnyWords:
    """All words of a text of any script, by a pattern."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._found = list(pattern.finditer(text))

    def words(self) -> Iterator[tuple[int, str]]:
        """Every word, and its number."""
        return ((number, found[0]) for number, found in enumerate(self._found))

    def span(self, number: int, word: str) -> tuple[int, int]:
        """Where the characters of a word begin and end."""
        return self._found[number].span()

    def number(self, number: int) -> int:
        """Which word of the text it is."""
        return number

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

    def words(self) -> Iterator[tuple[int, str]]:
        """The words in order, and where they begin."""
        text = self._text
        for begin in self._begins():
            yield begin, text[begin : text.index(" ", begin)]

    def span(self, begin: int, word: str) -> tuple[int, int]:
        """Where the characters of a word begin and end."""
        bare = word.strip("'")
        start = begin + word.index(bare) - 1
        return start, start + len(bare)

    def number(self, begin: int) -> int:
        """Which word of the text begins there; asked for in order, of most words not at all."""
        self._passed += len(self._text[self._read : begin].split())
        self._read = begin
        return self._passed

    def _begins(self) -> list[int]:
        """Where words begin, in order."""
        text = self._text
        found: list[int] = []
        for each in self._beginnings:
            _find_all(text, f" {each}", found)
        is_sorted = len(self._beginnings) == 1
        if "'" in text:
            joined: list[int] = []
            _find_all(text, "'", joined)
            found += [text.rindex(" ", 0, at) + 1 for at in joined]
            is_sorted = False
        return found if is_sorted else sorted(set(found))

    def count(self) -> int:
        """How many words the text has."""
        return self.number(len(self._text))


def padded(spaced: str) -> str:
    """A plain text between two spaces, without apostrophes that stand alone: those are no words."""
    if "'" not in spaced:
        return f" {spaced} "
    # Of a row of them every other is met.
    return f" {spaced} ".replace(" ' ", "   ").replace(" ' ", "   ")


def _find_all(text: str, part: str, found: list[int]) -> None:
    """Note the places behind the first character of a part, wherever it is."""
    at = text.find(part) + 1
    while at:
        found.append(at)
        at = text.find(part, at) + 1
