"""Find the rules of a list that fit the words of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.synonyms.rules import rule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # The terms of a word as the index has them; of a stop word, something that only it gives.
    Read = Callable[[str], tuple[str, ...]]

MOST_EACH: Final = 20  # synonyms of a word or phrase that are looked up
MOST: Final = 40  # of a query


class Fit(NamedTuple):
    """Words of a query, from one to before another, that have synonyms."""

    first: int
    end: int
    synonyms: tuple[str, ...]  # as they are written in the list
    left_out: int  # synonyms that were too many


class Synonyms:
    """A list of synonyms, found by the first term of their left sides."""

    def __init__(self, lines: Sequence[str], weight: float, read: Read) -> None:
        """`lines` are of a list that was checked; see `rules.rule_lines`."""
        self.weight = weight
        self._read = read
        self._lines = lines if weight else ()
        self._by_first: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            for first in {self._first(phrase) for phrase in rule_of(line).left}:
                self._by_first.setdefault(first, []).append(number)

    def _first(self, phrase: str) -> str:
        return next(iter(self._read(phrase.split()[0])), "")

    def __len__(self) -> int:
        """How many rules there are."""
        return len(self._lines)

    def fits(self, words: Sequence[str]) -> list[Fit]:
        """What of some words in sequence has synonyms: at every place the longest left side."""
        read = [self._read(word) for word in words]
        found, at, left = [], 0, MOST
        while at < len(words) and left:
            fit = self._longest(read, at)
            if fit is None or _are_common(read[fit.first : fit.end]):
                at += 1
                continue
            most = min(MOST_EACH, left)
            synonyms = fit.synonyms[:most]
            found.append(
                fit._replace(synonyms=synonyms, left_out=len(fit.synonyms) - len(synonyms))
            )
            at, left = fit.end, left - len(synonyms)
        return found

    def _longest(self, read: Sequence[tuple[str, ...]], at: int) -> Fit | None:
        """The longest left side that begins here, with what all its rules find."""
        best, found = at, dict[str, None]()
        for number in self._by_first.get(next(iter(read[at]), ""), ()) if read[at] else ():
            rule = rule_of(self._lines[number])
            for phrase in rule.left:
                end = self._end(phrase, read, at)
                if end > best:
                    best, found = end, {}
                if end == best > at:
                    found |= dict.fromkeys(rule.others(phrase))
        return Fit(at, best, tuple(found), 0) if found else None

    def _end(self, phrase: str, read: Sequence[tuple[str, ...]], at: int) -> int:
        """Before which word a phrase ends that stands here; 0 if it does not stand here."""
        terms = [term for word in phrase.split() for term in self._read(word)]
        here: list[str] = []
        for end in range(at, len(read)):
            here += read[end]
            if len(here) >= len(terms):
                return end + 1 if here == terms and terms else 0
        return 0


def _are_common(read: Sequence[tuple[str, ...]]) -> bool:
    """Whether these are stop words, which ask for nothing."""
    return all(term.startswith(AS_WRITTEN) for terms in read for term in terms)
