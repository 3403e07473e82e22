"""Compounds: words written as one of several that the collection has.

German writes Krankenhaus for a house of the sick, with letters that link the parts: Arbeit-s-amt.
A word of a query also finds the compounds that it is a part of, and a compound the documents that
have all its parts. Parts are words of the collection; those of less than four letters are too often
a syllable by chance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from gossamer.core.search.plan import Synonym, Words
from gossamer.core.search.query import And, Field, Or, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.vocabulary import Vocabulary
    from gossamer.core.search.plan import Match
    from gossamer.core.search.query import Node

SHORTEST: Final = 4  # letters of a part
LINKS: Final = ("", "s", "es", "n", "en")  # between two parts
ENDINGS: Final = ("e", "s", "n", "en", "er", "es", "em", "ern")  # behind the last part
LANGUAGES: Final = frozenset({"de"})
MOST_WORDS: Final = 4  # of a query that are looked at
# Compounds of a word that are searched, those in the most documents, and words that may be some.
MOST, MOST_COMPARED = 16, 300
# By word as typed: what counts as it, each the words that a document must have, as they are folded.
Compounds: TypeAlias = "Mapping[str, Sequence[Sequence[str]]]"


class Found(NamedTuple):
    """A compound, or the parts of one, and how many documents have it."""

    words: tuple[str, ...]
    documents: int


def reader_of_compounds(analyzers: Sequence[Analyzer]) -> Analyzer | None:
    """The analyzer of a language that writes compounds, if a query is read by one."""
    return next((each for each in analyzers if each.language in LANGUAGES), None)


def single_words(node: Node) -> list[str]:
    """The words of a query that stand by themselves: not in quotes, not excluded, not begun."""
    match node:
        case Word(text):
            return [text]
        case Field(_, part):
            return single_words(part)
        case And(parts) | Or(parts):
            return [each for part in parts for each in single_words(part)]
        case _:
            return []


def looked_at(node: Node, analyzer: Analyzer) -> dict[str, str]:
    """The words of a query that may have compounds, with how the collection has them."""
    words = [word for word in dict.fromkeys(single_words(node)) if word.isalpha()]
    folded = {word: analyzer.fold(word) for word in words if analyzer.term(word)}
    long = [(word, bare) for word, bare in folded.items() if len(bare) >= SHORTEST]
    return dict(long[:MOST_WORDS])


def related(known: Sequence[Vocabulary], word: str, term: Callable[[str], str]) -> list[Found]:
    """The compounds of a folded word, the most frequent first, and its own parts."""
    if len(word) < SHORTEST:
        return []
    splitter = _Splitter(known, term)
    parts = splitter.parts(word)
    found = [Found(parts, 0)] if parts else []
    counts: dict[str, int] = {}
    for each in known:
        for place in each.containing(splitter.root(word)).tolist():
            other = each.words[place]
            counts[other] = counts.get(other, 0) + int(each.counts[place])
    often = sorted(counts, key=lambda other: (-counts[other], other))[:MOST_COMPARED]
    compounds = [Found((x,), counts[x]) for x in often if splitter.is_compound_of(x, word)]
    return [*found, *compounds[:MOST]]


def merged(found: Sequence[Sequence[Found]]) -> list[Found]:
    """What several groups of segments know of a word, as one list."""
    counts: dict[tuple[str, ...], int] = {}
    for words, documents in (each for known in found for each in known):
        counts[words] = counts.get(words, 0) + documents
    parts = sorted((words for words in counts if len(words) > 1), key=len)[:1]
    often = sorted(counts, key=lambda words: (-counts[words], words))
    compounds = [words for words in often if len(words) == 1][:MOST]
    return [Found(words, counts[words]) for words in (*parts, *compounds)]


def with_compounds(
    typed: Match | None,
    text: str,
    found: Compounds,
    analyzer: Analyzer,
    weight: float,
    is_alone: bool,
) -> Match | None:
    """A word with what counts as it, if less: its compounds, or all its parts in one document.

    Of a word that is the whole query all documents that have it come first.
    """
    if not isinstance(typed, Words) or typed.is_as_written or text not in found:
        return typed
    known = {typed.terms, *[each.words.terms for each in typed.synonyms]}
    others: dict[tuple[str, ...], Synonym] = {}
    for words in found[text]:
        terms = tuple([analyzer.term(word) for word in words])
        if all(terms) and terms not in known and terms not in others:
            read = Words(terms, typed.field, are_apart=len(terms) > 1)
            others[terms] = Synonym(read, " + ".join(words), text, weight, is_alone)
    return replace(typed, synonyms=(*typed.synonyms, *others.values()))


class _Splitter:
    """Takes words apart into words of some vocabularies."""

    def __init__(self, known: Sequence[Vocabulary], term: Callable[[str], str]) -> None:
        self._known, self._term = known, term

    def root(self, word: str) -> str:
        """What all forms of a word begin with, about."""
        term = self._term(word)
        same = next((n for n, (a, b) in enumerate(zip(word, term, strict=False)) if a != b), None)
        return word[: max(SHORTEST, min(len(word), len(term)) if same is None else same)]

    def parts(self, word: str) -> tuple[str, ...]:
        """The fewest words of which a word is made, of equally many the longest first ones."""
        best: dict[int, tuple[str, ...]] = {len(word): ()}
        for at in range(len(word) - SHORTEST, -1, -1):
            ways = list(self._ways(word, at, best))
            if ways:
                best[at] = min(ways, key=lambda parts: (len(parts), [-len(x) for x in parts]))
        return best.get(0, ())

    def _ways(
        self, word: str, at: int, best: Mapping[int, tuple[str, ...]]
    ) -> Iterator[tuple[str, ...]]:
        for end in range(at + SHORTEST, len(word) + 1):
            part = word[at:end]
            if part == word or not self._is_word(part, end == len(word)):
                continue
            for behind in [end + len(link) for link in LINKS if word.startswith(link, end)]:
                if behind in best and (behind < len(word) or behind == end):
                    yield part, *best[behind]

    def _is_word(self, part: str, is_last: bool) -> bool:
        forms = [part]
        if is_last:
            forms += [part.removesuffix(each) for each in ENDINGS if part.endswith(each)]
        return any(len(x) >= SHORTEST and each.has(x) for x in forms for each in self._known)

    def is_compound_of(self, word: str, part: str) -> bool:
        """Whether a form of a word stands in another, with words of the collection around it."""
        root, term = self.root(part), self._term(part)
        begin = word.find(root)
        while begin >= 0:
            ends = range(begin + len(root), min(len(word), begin + len(part) + len("ern")) + 1)
            for end in ends:
                is_part = len(word) > end - begin >= SHORTEST
                if is_part and self._term(word[begin:end]) == term and self._fits(word, begin, end):
                    return True
            begin = word.find(root, begin + 1)
        return False

    def _fits(self, word: str, begin: int, end: int) -> bool:
        before, behind = word[:begin], word[end:]
        heads = [before.removesuffix(link) for link in LINKS if before.endswith(link)]
        tails = [behind.removeprefix(link) for link in LINKS if behind.startswith(link)]
        return (not before or any(self._are_words(each, False) for each in heads)) and (
            not behind or any(self._are_words(each, True) for each in tails)
        )

    def _are_words(self, text: str, are_last: bool) -> bool:
        return len(text) >= SHORTEST and (self._is_word(text, are_last) or bool(self.parts(text)))
