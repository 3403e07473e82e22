"""Words of a query by the rules of all languages that a collection has.

Where each document is analysed by its own language, a word is looked up by what the rules of each
make of it. These terms are one term of the query: a document weighs what the best of them weighs
there, so none counts twice, and none is missed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.joined_words import is_own
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.plan import Kind, Synonym, Words, looked_up_as
from gossamer.core.search.written_words import solid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.core.index.analyzer import Analyzer

    Key = tuple[Kind, str]


class Readers(NamedTuple):
    """The analyzers that read a query: of the language that most documents have, and of others."""

    first: Analyzer
    others: tuple[Analyzer, ...] = ()

    def terms(self, word: str) -> list[str]:
        """What a word is looked up by, each term once; nothing where it is a stop word."""
        found = dict.fromkeys([self.first.term(word), *[each.term(word) for each in self.others]])
        return list(filter(None, found))

    def terms_of_folded(self, word: str) -> list[str]:
        """What a word is looked up by that has lost its accents, as the index has words."""
        terms, every = self.terms(word), (self.first, *self.others)
        is_another = any(reader.knows_accents for reader in every)
        return [*terms, AS_WRITTEN + word] if is_another else terms


def readers_of(analyzer: Analyzer, languages: Sequence[str]) -> Readers:
    """Those of a collection whose documents are analysed by these languages, frequent ones first.

    A collection without documents, or with one analyzer for all, has the analyzer as it is.
    """
    if not analyzer.is_auto:
        return Readers(analyzer)
    known = [analyzer.by_rules_of(language) for language in languages]
    first, *others = known or [analyzer.of_language("")]
    return Readers(first, tuple(others))


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Languages, those of most documents first."""
    return sorted(counts, key=lambda language: (-counts[language], language))


def in_other_languages(
    found: Words,
    words: Sequence[str],
    analyzers: Sequence[Analyzer],
    read: Callable[[Analyzer], Words | None],
) -> Words:
    """Words of a query with what other analyzers make of them."""
    others: dict[Words, list[str]] = {}
    for analyzer in analyzers:
        other = read(analyzer) or _as_written(words, found.field, analyzer)
        if other is not None and (other.terms, other.parts) != (found.terms, found.parts):
            others.setdefault(other, []).append(analyzer.language)
    same = [
        Synonym(other, " ".join(solid(other.parts)), "", 1.0, languages=tuple(languages))
        for other, languages in others.items()
    ]
    return replace(found, synonyms=tuple(same))


def _as_written(words: Sequence[str], field: str, analyzer: Analyzer) -> Words | None:
    """Stop words of a language, whose documents have them only as they are written.

    Of several the longest: the index does not say where they stand.
    """
    folded = max(analyzer.folded(words), key=len, default="")
    return Words((AS_WRITTEN + folded,), field) if folded else None


def by_language(words: Words, language: str) -> Words:
    """Words of a query by the rules of a language."""
    found = (each.words for each in words.synonyms if language in each.languages)
    return next(found, words)


def same_words(words: Words, other: Synonym) -> Iterator[tuple[Key, Synonym]]:
    """What another language makes of each term of some words, and of joined ones side by side."""
    theirs = other.words
    if len(theirs.parts) == len(words.parts):
        for term, part in zip(words.parts, theirs.parts, strict=True):
            if term and part and part != term:
                one = replace(other, words=Words((part,), words.field), text=part)
                yield (Kind.TERM, looked_up_as(words.field, term)), one
    known = {each.term: each.parts for each in theirs.written if not is_own(each.term)}
    for each in words.written:
        parts = known.get(each.term, each.parts)
        if parts != each.parts:
            placed = tuple([part and looked_up_as(words.field, part) for part in parts])
            key = Kind.TOGETHER, looked_up_as(words.field, each.term)
            yield key, replace(other, words=Words(placed))
