"""Makes plans of queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from gossamer.core.index.character_pairs import is_character
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.fields import WORDS, SearchFields
from gossamer.core.search.other_spellings import spelling_key, with_spellings
from gossamer.core.search.plan import (
    TITLE,
    AllOf,
    AnyOf,
    Asked,
    Beginning,
    Between,
    Everything,
    Excluded,
    Filter,
    Match,
    Plan,
    Synonym,
    Words,
    Written,
    leaves,
)
from gossamer.core.search.planning.compounds import reader_of_compounds, with_compounds
from gossamer.core.search.planning.leaves import (
    asked_by,
    counted_leaves,
    synonyms_of,
    wanted_by,
    whole_names,
)
from gossamer.core.search.planning.other_languages import Readers, in_other_languages
from gossamer.core.search.query import (
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Similar,
    Span,
    Word,
)
from gossamer.core.search.written_words import is_required, solid, written_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.search.other_spellings import Spellings
    from gossamer.core.search.planning.compounds import Compounds
    from gossamer.core.search.synonyms.lookup import Fit, Synonyms

ONLY_COMMON: Final = "only common words: they are in many pages and do not tell which are best"
ANYWHERE: Final = "common words in quotes are found anywhere in a page, in any order"


def plan_query(
    query: Query,
    analyzer: Analyzer,
    fields: SearchFields | None = None,
    synonyms: Synonyms | None = None,
    spellings: Spellings | None = None,
    stop_list: AbstractSet[str] = frozenset(),
    others: Sequence[Analyzer] = (),
    compounds: Compounds | None = None,
    compound_weight: float = 0.0,
) -> Plan:
    """Analyses a query; `fields`, `synonyms` and `stop_list` are those of the collection.

    `spellings`: for each word with a tilde the words that are spelt alike. `others`: the analyzers
    of other languages that documents have. `compounds`: what words of the query are parts of, or
    made of.
    """
    planner, mode = _Planner(analyzer, fields or SearchFields(), query, synonyms), query.mode
    planner.spellings, planner.stop_list = spellings or {}, stop_list
    planner.others = others
    planner.compounds, planner.compound_weight = compounds or {}, compound_weight
    match = planner.match(query.node)
    if match is None:  # there are only stop words: who has them, whatever they weigh
        planner.is_as_written, planner.notes = True, {ONLY_COMMON: None}
        match, mode = planner.match(query.node), "boolean"
    leaves = list(counted_leaves(match))
    counted, synonymous = Counter(asked_by(leaves)).items(), synonyms_of(leaves)
    asked = tuple(
        [
            Asked(kind, text, times, parts, factor, synonymous.get((kind, text), ()))
            for (kind, text, parts, factor), times in counted
        ]
    )
    is_named = mode == "ranked" and not any(isinstance(leaf, Beginning) for leaf in leaves)
    name = whole_names(leaves, [each.language for each in others]) if is_named else None
    notes, phrases = tuple(planner.notes), tuple(planner.phrases)
    return Plan(mode, match, asked, name, wanted_by(leaves), notes, phrases=phrases)


def plan_filter(
    node: Node, analyzer: Analyzer, fields: SearchFields, others: Sequence[Analyzer] = ()
) -> Match | None:
    """What a filter asks for; None if that are words of which nothing is left."""
    planner = _Planner(analyzer, fields, Query(node, "boolean", ""), None)
    planner.others = others
    match = planner.match(node)
    if match is None:
        planner.is_as_written = True
        match = planner.match(node)
    return match


def word_reader(analyzer: Analyzer) -> Callable[[str], tuple[str, ...]]:
    """What gives the terms of a word as plans have them; stop words as they are written."""
    planner = _Planner(analyzer, SearchFields(), Query(All(), "ranked", ""), None)

    def read(word: str) -> tuple[str, ...]:
        if word.isascii() and word.isalnum():  # nearly all, and ten times as fast
            return (analyzer.term(word) or AS_WRITTEN + analyzer.fold(word),)
        found = planner.match(Phrase(word))
        words = [found] if isinstance(found, Words) else list(leaves(found))
        return tuple([term for each in words if isinstance(each, Words) for term in each.terms])

    return read


class _Planner:
    def __init__(
        self, analyzer: Analyzer, fields: SearchFields, query: Query, synonyms: Synonyms | None
    ) -> None:
        self._analyzer, self._fields, self._synonyms = analyzer, fields, synonyms
        self._alone = query.node.node if isinstance(query.node, Field) else query.node
        self._is_plain = query.mode == "ranked"
        self._is_excluded = False
        self.is_as_written = False  # whether stop words are asked for
        self.notes: dict[str, None] = {}
        self.spellings: Spellings = {}
        self.stop_list: AbstractSet[str] = frozenset()  # folded
        self.others: Sequence[Analyzer] = ()  # of other languages than most documents have
        self.compounds: Compounds = {}
        self.compound_weight = 0.0
        self.phrases: list[Words] = []  # in quotes, in a ranked query

    def match(self, node: Node, field: str = "") -> Match | None:
        """The part of the plan for a node; None if it has only stop words."""
        match node:
            case Word():
                return self._row([node], field, False)[0]
            case Phrase():
                return self._phrase(node, field)
            case Prefix() | Similar():
                return self._open_word(node, field)
            case Field(name, inner):
                return self._field(name, inner)
            case Not(inner):
                return self._excluded(inner, field)
            case And(parts) | Or(parts):
                kind = AllOf if isinstance(node, And) else AnyOf
                return _join(kind, self._row(parts, field, kind is AllOf or self._is_plain))
            case All() | Span():  # only fields have spans
                return Everything()

    def _phrase(self, node: Phrase, field: str) -> Match | None:
        """Plan quoted words; in a ranked query a document that has them so scores higher."""
        if not self._is_plain or node is self._alone:
            return self._words(node.text, field, True, node is self._alone)
        words = self._words(node.text, field, self.is_as_written, is_quoted=True)
        if isinstance(words, Words) and not words.is_as_written:
            self.phrases.append(words)
        return words

    def _field(self, name: str, inner: Node) -> Match | None:
        if name == TITLE or self._fields.types.get(name) == WORDS:
            return self.match(inner, name)
        return _filter(self._fields.columns.get(name, name), inner)

    def _excluded(self, inner: Node, field: str) -> Match | None:
        """What must not be there, as it is typed: synonyms of it may be."""
        before, self._is_excluded = self._is_excluded, True
        part = self.match(inner, field)
        self._is_excluded = before
        return part and Excluded(part)

    def _row(self, nodes: Sequence[Node], field: str, are_together: bool) -> list[Match | None]:
        """The plans of some nodes; words in them that have synonyms know them.

        Of words that stand together a synonym may replace several. It is then one of each: a
        document that has it has all.
        """
        found = [
            self._word(node, field) if isinstance(node, Word) else self.match(node, field)
            for node in nodes
        ]
        if self._synonyms is None or self._is_excluded:
            return found
        words = [node.text if isinstance(node, Word) else "" for node in nodes]
        for first, end in _runs(words, are_together):
            for fit in self._synonyms.fits(words[first:end]):
                here = slice(first + fit.first, first + fit.end)
                others = self._others(fit, " ".join(words[here]), field)
                expanded = [_or_synonyms(each, others) for each in found[here]]
                if expanded != found[here]:
                    self._note(fit, others)
                found[here] = expanded
        return found

    def _word(self, node: Word, field: str) -> Match | None:
        """A single word, with the compounds that it is a part of."""
        found = self._words(node.text, field, self.is_as_written, node is self._alone)
        reader = reader_of_compounds((self._analyzer, *self.others)) if self.compounds else None
        if reader is None or self._is_excluded:
            return found
        known, is_alone = self.compounds, node is self._alone
        return with_compounds(found, node.text, known, reader, self.compound_weight, is_alone)

    def _others(self, fit: Fit, typed: str, field: str) -> list[Synonym]:
        read = [(self._words(text, field), text) for text in fit.synonyms]
        weight = self._synonyms.weight if self._synonyms else 0.0
        every = [
            (each, text)
            for words, text in read
            if isinstance(words, Words)
            for each in (words, *[same.words for same in words.synonyms])
        ]
        return [
            Synonym(replace(words, written=(), synonyms=()), text, typed, weight)
            for words, text in every
        ]

    def _open_word(self, node: Prefix | Similar, field: str) -> Match | None:
        """A word that stands for several."""
        if isinstance(node, Prefix):
            return self._beginning(node.text, field)
        words = self.spellings.get(spelling_key(node.text, node.edits), ())
        found = self._words(node.text, field, True)
        terms_of = Readers(self._analyzer, tuple(self.others)).terms_of_folded
        return with_spellings(found, node.text, words, terms_of)

    def _note(self, fit: Fit, others: Sequence[Synonym]) -> None:
        """Say which synonyms are searched, and how many there are too many."""
        names = ", ".join(dict.fromkeys([each.text for each in others]))
        more = f" ({fit.left_out} more were left out)" if fit.left_out else ""
        self.notes[f"synonyms of {others[0].stands_for} are searched too: {names}{more}"] = None

    def _words(
        self,
        text: str,
        field: str,
        as_written: bool = False,
        is_alone: bool = False,
        *,
        is_quoted: bool = False,
    ) -> Match | None:
        """Words by their terms; stop words alone, if at all, as they are written.

        With `is_quoted`, having them side by side adds to a score, as it does for joined words.
        """
        words = self._analyzer.words(text)

        def read(analyzer: Analyzer) -> Words | None:
            terms = self._terms(words, analyzer)
            written = written_words(text, words, terms, analyzer, is_alone)
            if is_required(written, terms):
                return Words((written[0].term,), field, written)
            if is_quoted and len(solid(terms)) > 1:
                written = (
                    *written,
                    Written(" ".join(analyzer.folded(words)), terms, is_quoted=True),
                )
            return Words(terms, field, written) if any(terms) else None

        found = read(self._analyzer)
        if found is None:
            return self._stop_words(words, field) if as_written else None
        return in_other_languages(found, words, self.others, read) if self.others else found

    def _terms(self, words: list[str], analyzer: Analyzer) -> tuple[str, ...]:
        """What words are looked up by; those of the stop list are gaps, as other stop words are."""
        terms = analyzer.asked(words)
        if not self.stop_list:
            return terms
        folded = analyzer.folded(words)
        pairs = zip(terms, folded, strict=True)
        return tuple(["" if word in self.stop_list else term for term, word in pairs])

    def _stop_words(self, words: list[str], field: str) -> Match | None:
        """Pages that have all of them: the index does not say where they stand."""
        folded = dict.fromkeys(filter(None, map(self._analyzer.fold, words)))
        if len(words) > 1:
            self.notes[ANYWHERE] = None
        return _join(AllOf, [Words((AS_WRITTEN + word,), field) for word in folded])

    def _beginning(self, text: str, field: str) -> Match | None:
        *before, last = self._analyzer.words(text) or [""]
        prefix = self._analyzer.fold(last)
        if self._analyzer.has_pairs and is_character(prefix):
            return self._words(text, field)  # texts without spaces go on wherever they are cut
        words = [self._words(each, field) for each in self._apart(before)]
        known = tuple([each for each in words if isinstance(each, Words)])
        # What is elided before an apostrophe depends on the language: "l'eau" begins with "eau".
        folded = dict.fromkeys([prefix, *[each.fold(last) for each in self.others]])
        return _join(AnyOf, [Beginning(each, known, field) for each in folded if each])

    def _apart(self, words: list[str]) -> Iterator[str]:
        """Words one by one, but characters that stand side by side together."""
        for are, group in groupby(words, lambda word: is_character(word) is not None):
            together = list(group)
            yield from ["".join(together)] if are and self._analyzer.has_pairs else together


def _runs(words: Sequence[str], are_together: bool) -> list[tuple[int, int]]:
    """From where to where words stand side by side; "" is something else."""
    runs: list[tuple[int, int]] = []
    for at, word in enumerate(words):
        if word and are_together and runs and runs[-1][1] == at:
            runs[-1] = (runs[-1][0], at + 1)
        elif word:
            runs.append((at, at + 1))
    return runs


def _or_synonyms(words: Match | None, others: Sequence[Synonym]) -> Match | None:
    """Words that others may stand for, without those that are the same to the index."""
    if not isinstance(words, Words) or words.is_as_written:
        return words
    new = [each for each in others if each.words.terms != words.terms]
    return replace(words, synonyms=(*words.synonyms, *new))


def _join(kind: type[AllOf | AnyOf], parts: list[Match | None]) -> Match | None:
    left = tuple([part for part in parts if part is not None])
    return kind(left) if len(left) > 1 else next(iter(left), None)


def _filter(field: str, node: Node) -> Match:
    """A condition on an address or a language, whose words are compared as they are."""
    match node:
        case Span(low, high):
            return Between(field, low, high)
        case Word(text) | Phrase(text) | Prefix(text) | Similar(text):
            return Filter(field, text.casefold(), isinstance(node, Prefix))
        case Not(inner):
            return Excluded(_filter(field, inner))
        case And(parts):
            return AllOf(tuple([_filter(field, part) for part in parts]))
        case Or(parts):
            return AnyOf(tuple([_filter(field, part) for part in parts]))
        case All() | Field():
            return Everything()
