"""DID YOU MEAN: find the misspelt words of a query, and what they may have been.

A word is unknown if no document has it. It is suspicious if a similar word is in fifty times as
many documents, and occurs together with every other word of the query. Both are only ever replaced
by words that the collection has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.languages import default_of
from gossamer.core.index.segments.vocabulary import SHORTEST
from gossamer.core.search.result import CorrectedWord, Correction
from gossamer.core.search.spelling import Near, allowed_edits, may_be_misspelt, near_word, ranked
from gossamer.core.search.typed_words import TypedWord, replaced, typed_words
from gossamer.search.spelling.known_words import is_known_word, likely_languages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.collection import TypoSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.search.planning.other_languages import Readers
    from gossamer.search.spelling.neighbours import Neighbours

TIMES_MORE = 50  # documents that a likelier word has
MOST_CORRECTED = 4  # words of a query
TRIED = 5  # neighbours of a word of which it is looked up with which words they occur
MOST_OTHERS = 8  # words of the query that these are looked up with
TOGETHER = 0.5  # of an edit, for a neighbour that occurs with all other words


class _Suspect(NamedTuple):
    typed: TypedWord
    documents: int  # that have it; 0: it is unknown
    edits: int  # that it may have without being asked about
    is_known: bool = False  # whether it is a word of a language of the collection


class _Guess(NamedTuple):
    suspect: _Suspect
    near: Near
    form: str = ""  # as documents write it


@dataclass(frozen=True, slots=True)
class Corrector:
    """Looks for other spellings of queries."""

    readers: Readers
    rules: TypoSettings
    declared: Mapping[str, str]

    def may_correct(self, query: str, counts: Mapping[str, int], size: int) -> bool:
        """Whether a word of a query is so rare that it may be misspelt."""
        return self.rules.on and bool(self._suspects(self._words(query), counts, size))

    def correct(
        self, query: str, counts: Mapping[str, int], size: int, neighbours: Neighbours
    ) -> Correction | None:
        """Another spelling of a query; `counts`: how many of `size` documents have each term."""
        words = self._words(query)
        suspects = self._suspects(words, counts, size)
        known = {word.term: word for word in words if counts.get(word.term)}
        guesses = self._guesses(suspects, list(known.values()), neighbours)
        if not guesses:
            return None
        pairs = [(each.suspect.typed, each.form) for each in guesses]
        is_sure = all(
            not each.suspect.documents
            and not each.suspect.is_known
            and each.near.edits <= each.suspect.edits
            for each in guesses
        )
        return Correction(
            query, replaced(query, pairs), is_sure, [_corrected(each) for each in guesses]
        )

    def _words(self, query: str) -> list[TypedWord]:
        return typed_words(query, self.readers.first, self.declared)

    def _suspects(
        self, words: Sequence[TypedWord], counts: Mapping[str, int], size: int
    ) -> list[_Suspect]:
        found = []
        for typed in words:
            documents, edits = counts.get(typed.term, 0), allowed_edits(typed.word, self.rules)
            may_be_rare = edits > 0 and documents * TIMES_MORE <= size
            is_word = len(typed.word) >= SHORTEST and may_be_misspelt(typed.word)
            if is_word and (not documents or may_be_rare):
                found.append(_Suspect(typed, documents, edits, self._is_known(typed, words)))
        misspelt = [suspect for suspect in found if not suspect.is_known]
        absent = [suspect for suspect in found if suspect.is_known and not suspect.documents]
        has_others = bool(misspelt) or any(counts.get(typed.term) for typed in words)
        if has_others and not any(reader.knows_accents for reader in self._analyzers()):
            absent = []
        return [*misspelt, *absent][:MOST_CORRECTED]

    def _is_known(self, typed: TypedWord, words: Sequence[TypedWord]) -> bool:
        """Return whether a word is one of the language that the others of a query are in."""
        languages = {default_of(reader.language) for reader in self._analyzers()}
        others = [other.word for other in words if other is not typed]
        return is_known_word(typed.word, likely_languages(others, languages))

    def _analyzers(self) -> list[Analyzer]:
        first, others = self.readers
        return [first, *others]

    def _guesses(
        self, suspects: Sequence[_Suspect], known: Sequence[TypedWord], neighbours: Neighbours
    ) -> list[_Guess]:
        """What suspects may be: the same word in other accents, else others."""
        same = self._in_other_accents(suspects, neighbours)
        suspects = [each for each in suspects if each.typed.start not in same]
        if known or not all(each.is_known for each in suspects):
            suspects = [each for each in suspects if not each.is_known]
        guesses = self._likeliest_of(suspects, known, neighbours)
        words = [each.near.word for each in guesses]
        forms = neighbours.written(words, self.readers) if words else []
        named = [
            each._replace(form=found.form or each.near.word)
            for each, found in zip(guesses, forms, strict=True)
        ]
        return sorted([*same.values(), *named], key=lambda each: each.suspect.typed.start)

    def _in_other_accents(
        self, suspects: Sequence[_Suspect], neighbours: Neighbours
    ) -> dict[int, _Guess]:
        """Unknown words, by where they begin, that documents write with accents or without."""
        unknown = [each for each in suspects if not each.documents]
        words = [each.typed.word for each in unknown]
        found = neighbours.written(words, self.readers) if words else []
        return {
            each.typed.start: _Guess(
                each._replace(is_known=False),  # in other accents it is the same word
                near_word(each.typed.word, each.typed.word, documents, 0),
                form,
            )
            for each, (form, documents) in zip(unknown, found, strict=True)
            if form and not {*self.readers.terms(form)} <= {*self.readers.terms(each.typed.text)}
        }

    def _likeliest_of(
        self, suspects: Sequence[_Suspect], known: Sequence[TypedWord], neighbours: Neighbours
    ) -> list[_Guess]:
        asked = [(each.typed.word, each.edits if each.documents else 0) for each in suspects]
        lists = neighbours.near(asked) if asked else []
        guesses = []
        for suspect, found in zip(suspects, lists, strict=True):
            others = [word for word in known if word.term != suspect.typed.term][:MOST_OTHERS]
            near = self._likeliest(suspect, found, others, neighbours)
            if near is not None:
                guesses.append(_Guess(suspect, near))
        return guesses

    def _likeliest(
        self,
        suspect: _Suspect,
        found: Sequence[Near],
        others: Sequence[TypedWord],
        neighbours: Neighbours,
    ) -> Near | None:
        possible = [near for near in found if self._is_possible(suspect, near)][:TRIED]
        if not possible:
            return None
        shares = self._shares(possible, others, neighbours) if others else {}
        if suspect.documents:
            possible = [near for near in possible if shares.get(near.word, 1.0) == 1.0]
        bonus = {word: TOGETHER * share for word, share in shares.items()}
        return next(iter(ranked(suspect.typed.word, possible, bonus)), None)

    def _is_possible(self, suspect: _Suspect, near: Near) -> bool:
        """Whether a neighbour is another word, and near or frequent enough."""
        term = self.readers.first.term(near.word)
        if not term or term == suspect.typed.term or near.word == suspect.typed.word:
            return False
        if suspect.documents:
            return near.documents >= TIMES_MORE * suspect.documents
        return near.edits <= suspect.edits + 1

    def _shares(
        self, possible: Sequence[Near], others: Sequence[TypedWord], neighbours: Neighbours
    ) -> dict[str, float]:
        """With which share of the other words each neighbour occurs in some document."""
        pairs = {
            (near.word, other.term): self._pairs(near.word, other)
            for near in possible
            for other in others
        }
        every = list(dict.fromkeys(pair for each in pairs.values() for pair in each))
        counts = dict(zip(every, neighbours.together(every), strict=True))
        has = {key: any(counts[pair] for pair in each) for key, each in pairs.items()}
        return {
            near.word: sum(has[near.word, other.term] for other in others) / len(others)
            for near in possible
        }

    def _pairs(self, word: str, other: TypedWord) -> list[tuple[str, str]]:
        """The terms of two words by the rules of each language."""
        first, others = self.readers
        pairs = [(first.term(word), other.term)]
        pairs += [(each.term(word), each.term(other.text)) for each in others]
        return [pair for pair in dict.fromkeys(pairs) if all(pair)]


def _corrected(guess: _Guess) -> CorrectedWord:
    typed, near = guess.suspect.typed, guess.near
    return CorrectedWord(typed.text, guess.form, typed.start, near.documents, near.edits)
