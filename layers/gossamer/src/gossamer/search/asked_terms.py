"""The terms of a plan with their lists in a snapshot, and how much each tells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gossamer.core.errors import OverBudget
from gossamer.core.index.anchors import NAMED, whole_name
from gossamer.core.index.field_terms import split_term
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.plan import Kind, Plan, Wanted, Words
from gossamer.core.search.scoring import idf, term_scale
from gossamer.search.boolean import matches
from gossamer.search.budget import NOT_SEARCHED, UNLIMITED
from gossamer.search.scores.scored_list import ScoredList, impacts_of
from gossamer.search.scores.whole_list import WholeList
from gossamer.search.synonyms import AS_TYPED, JoinedList, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.dictionary import Impacts
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Asked, Synonym
    from gossamer.core.search.scoring import Profile
    from gossamer.search.budget import Budget
    from gossamer.search.scores.scored_list import Layers
    from gossamer.search.snapshot import Part, Snapshot


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """What the query asks for, its list in each part of the index, and how much having it tells."""

    asked: Asked
    lists: list[Layers]
    live_dfs: list[int]
    df: int  # live documents that have it, in the whole index
    weight: float  # IDF × times in the query
    # Of a joined word that must be first: a document that has it gets the most that its parts can
    # add to a score, so that none that has only these is before it.
    extra: float = 0.0

    def impact(self, part: int, document: int) -> int:
        """How heavy it is in a document; 0 if it is not there."""
        return int(self.impacts(part, np.array([document]))[0])

    def impacts(self, part: int, wanted: Ints) -> Impacts:
        """How heavy it is in some documents of a part; 0 where it is not."""
        return impacts_of(self.lists[part], wanted)

    def synonym(self, part: int, document: int) -> Synonym | None:
        """Which synonym stands for it in a document that has it; None if it stands there itself."""
        found = self.lists[part]
        by = found.best(document) if isinstance(found, JoinedList) else AS_TYPED
        return None if by == AS_TYPED else self.asked.synonyms[by - 1]

    def may_be_in(self, part: int, wanted: Sequence[int]) -> list[bool]:
        """Which of some documents may have it; only what was read of its list is looked at."""
        found, each = self.lists[part], np.array(wanted, np.int64)
        if found.is_known():
            return list(map(bool, impacts_of(found, each).tolist()))
        has = np.zeros(len(each), np.bool_)
        for number in range(len(found.bounds)):
            layer = found.known(number)
            if layer is None:
                return [True] * len(each)
            has |= _are_in(layer.documents, each)
            if has.all():  # results are the best documents, so most are in the heaviest layers
                break
        return has.tolist()


def _are_in(documents: Ints, wanted: Ints) -> npt.NDArray[np.bool_]:
    places = documents.searchsorted(wanted)
    found: npt.NDArray[np.bool_] = documents.take(places, mode="clip") == wanted
    return found


class Whole(NamedTuple):
    """The index of which a snapshot may be a part: what the weights of terms depend on."""

    size: int  # documents that can be found
    dfs: list[int]  # of those, how many have each term of the plan


class Listed(NamedTuple):
    """A term of the plan, its list in each part, and how many live documents are in that."""

    asked: Asked
    lists: list[Layers]
    dfs: list[int]


def read_lists(
    plan: Plan, snapshot: Snapshot, profile: Profile, budget: Budget = UNLIMITED
) -> tuple[list[Listed], Snapshot]:
    """The terms of a plan with their lists, and the parts of which these were read in time.

    Under some profiles a whole name counts as one more term.
    """
    name = [plan.name] if plan.name and profile.named else []
    found = [Listed(asked, [], []) for asked in [*plan.asked, *name]]
    for number, part in enumerate(snapshot.parts):
        try:
            lists = [_list(each.asked, part, budget) for each in found]
        except OverBudget:
            budget.leave_out(NOT_SEARCHED)
            return found, snapshot.first(number)
        for each, read in zip(found, lists, strict=True):
            each.lists.append(read)
            each.dfs.append(_live_df(read, part))
    return found, snapshot


def asked_terms(
    plan: Plan, listed: Sequence[Listed], size: int, whole: Whole | None = None
) -> list[AskedTerm]:
    """The terms of a plan that some document has, of the `size` that can be found.

    Lists that are not said to be of a part of another index are of the whole. A name of one word
    tells no more than the word does.
    """
    whole = whole or Whole(size, frequencies(listed))
    present = [(*each, df) for each, df in zip(listed, whole.dfs, strict=True) if df]
    idfs = {(asked.kind, asked.text): idf(df, whole.size) for asked, *_, df in present}
    for asked, *_ in present:
        word = Kind.TERM, asked.text.removeprefix(NAMED)
        if asked.kind is Kind.NAME and word in idfs:
            # Only one page may be called *error*, and still many have the word.
            idfs[asked.kind, asked.text] = min(idfs[asked.kind, asked.text], idfs[word])
    return [
        AskedTerm(
            asked,
            lists,
            dfs,
            df,
            asked.times * asked.factor * idfs[asked.kind, asked.text],
            asked.times * _of_parts(asked, idfs) if plan.must_be_first(asked) else 0.0,
        )
        for asked, lists, dfs, df in present
    ]


def _of_parts(asked: Asked, idfs: Mapping[tuple[Kind, str], float]) -> float:
    """The most that the parts of a joined word can add: as words and, all of them, as a name."""
    keys = [(Kind.TERM, part) for part in asked.parts if part]
    keys += [(Kind.NAME, whole_name(asked.parts))] if keys else []
    return sum([idfs.get(key, 0.0) for key in keys])


def counts_of(terms: Iterable[AskedTerm]) -> dict[str, int]:
    """How many documents have each term of a query, of those that any has."""
    return {term.asked.text: term.df for term in terms if term.asked.kind is Kind.TERM}


def frequencies(listed: Sequence[Listed]) -> list[int]:
    """In how many documents each term is."""
    return [sum(dfs) for _, _, dfs in listed]


def document_counts(terms: Sequence[str], snapshot: Snapshot, budget: Budget) -> list[int]:
    """Count the documents that have each term, deleted ones included."""
    counts = [0] * len(terms)
    for part in snapshot.parts:
        if budget.leaves_out(NOT_SEARCHED):
            break
        counts = [n + part.view.term(t).df for n, t in zip(counts, terms, strict=True)]
    return counts


def _list(asked: Asked, part: Part, budget: Budget) -> Layers:
    budget.check()
    if asked.kind is Kind.PREFIX:
        return WholeList(part.view.beginning(asked.text, budget))
    if asked.kind is Kind.TOGETHER:
        words = Words(asked.parts, synonyms=asked.synonyms)
        return WholeList(matches(part.view, words, budget))
    if asked.synonyms:
        return joined(part.view, asked.text, asked.synonyms, budget)
    return part.view.term(asked.text)


def _live_df(found: Layers, part: Part) -> int:
    if part.is_whole or not found.df:
        return found.df
    layers = (found.layer(number) for number in range(len(found.bounds)))
    return sum(int(np.count_nonzero(part.live[layer.documents])) for layer in layers)


def all_weights(terms: Iterable[AskedTerm]) -> float:
    """What a profile divides by that brings the text's part to 0..1."""
    return sum([term.weight + term.extra for term in terms])


def scored(terms: Sequence[AskedTerm], part: int, profile: Profile) -> list[ScoredList]:
    """The lists of a part of the index, with what they add to scores."""
    total = all_weights(terms)
    return [
        ScoredList(
            term.lists[part],
            term_scale(profile, term.weight, total) / MAX_IMPACT,
            term.live_dfs[part],
            # Who is called by these words has each of them, in its title or in its anchors. Who
            # has a joined word has its parts.
            is_among_others=term.asked.kind is Kind.NAME or any(term.asked.parts),
            extra=term_scale(profile, term.extra, total),
        )
        for term in terms
        if term.live_dfs[part]
    ]


def had_by(
    found: Sequence[tuple[int, int]], wanted: Wanted, terms: Sequence[AskedTerm]
) -> list[Wanted]:
    """What of the query some documents may have: snippets need not look for the rest.

    A document is a part of the index and a number in it.
    """
    had: list[set[tuple[Kind, str]]] = [set() for _ in found]
    for part in {part for part, _ in found}:
        ours = [place for place, (owner, _) in enumerate(found) if owner == part]
        for term in terms:
            may_have = term.may_be_in(part, [found[place][1] for place in ours])
            names = _names(term.asked)
            for place in itertools.compress(ours, may_have):
                had[place].update(names)
    kinds = {frozenset(each) for each in had}  # most results have the same of the query
    known = {each: _of_them(wanted, each) for each in kinds}
    return [known[frozenset(each)] for each in had]


def _names(asked: Asked) -> list[tuple[Kind, str]]:
    """A term and the single words that may stand for it."""
    others = [each.words.terms for each in asked.synonyms]
    single = [(Kind.TERM, terms[0]) for terms in others if len(terms) == 1]
    written = [terms[0] for terms in others if terms[0].startswith(AS_WRITTEN)]
    as_written = [(Kind.PREFIX, term.removeprefix(AS_WRITTEN)) for term in written]
    return [(asked.kind, split_term(asked.text)[1]), *single, *as_written]


def _of_them(wanted: Wanted, had: frozenset[tuple[Kind, str]]) -> Wanted:
    return Wanted(
        terms=frozenset([term for term in wanted.terms if (Kind.TERM, term) in had]),
        prefixes=tuple([each for each in wanted.prefixes if (Kind.PREFIX, each) in had]),
        phrases=wanted.phrases,
        written=wanted.written,
        synonyms=wanted.synonyms,
    )
