"""The terms of a plan with their lists in a snapshot, and how much each tells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.field_terms import split_term
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.segments.dictionary import Layer
from gossamer.core.search.plan import Kind, Plan, Wanted
from gossamer.core.search.scoring import idf, term_scale
from gossamer.search.top import ScoredList

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Asked
    from gossamer.core.search.scoring import Profile
    from gossamer.search.snapshot import Part, Snapshot
    from gossamer.search.top import Layers


@dataclass(frozen=True, slots=True)
class WholeList:
    """Documents that all weigh the same: those with a word that begins so."""

    documents: Ints

    @property
    def df(self) -> int:
        """How many there are."""
        return len(self.documents)

    @property
    def bounds(self) -> list[int]:
        """All words that begin alike count as one term of middling weight."""
        return [MAX_IMPACT // 2] if len(self.documents) else []

    def layer(self, number: int) -> Layer:
        """All of them."""
        return Layer(self.documents, np.full(len(self.documents), MAX_IMPACT // 2, np.uint8))

    def known(self, number: int) -> Layer:
        """All of them."""
        return self.layer(number)


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """What the query asks for, its list in each part of the index, and how much having it tells."""

    asked: Asked
    lists: list[Layers]
    live_dfs: list[int]
    weight: float  # IDF × times in the query

    @property
    def df(self) -> int:
        """How many live documents have it."""
        return sum(self.live_dfs)

    def impact(self, part: int, document: int) -> int:
        """How heavy it is in a document; 0 if it is not there."""
        found = self.lists[part]
        for number in range(len(found.bounds)):
            documents, impacts = found.layer(number)
            place = int(np.searchsorted(documents, document))
            if place < len(documents) and documents[place] == document:
                return int(impacts[place])
        return 0

    def may_be_in(self, part: int, wanted: Sequence[int]) -> list[bool]:
        """Which of some documents may have it; only what was read of its list is looked at."""
        found, each = self.lists[part], np.array(wanted, np.int64)
        layers = [found.known(number) for number in range(len(found.bounds))]
        if None in layers:
            return [True] * len(each)
        has = np.zeros(len(each), np.bool_)
        for layer in layers:
            has |= _are_in(layer.documents, each) if layer else False
        return has.tolist()


def _are_in(documents: Ints, wanted: Ints) -> npt.NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(documents, wanted), len(documents) - 1)
    found: npt.NDArray[np.bool_] = documents[places] == wanted
    return found


def asked_terms(plan: Plan, snapshot: Snapshot, profile: Profile) -> list[AskedTerm]:
    """The terms that some document has; under some profiles a whole name counts as one more."""
    name = [plan.name] if plan.name and profile.named else []
    terms = []
    for asked in [*plan.asked, *name]:
        lists = [_list(asked, part) for part in snapshot.parts]
        dfs = [_live_df(each, part) for each, part in zip(lists, snapshot.parts, strict=True)]
        if df := sum(dfs):
            terms.append(AskedTerm(asked, lists, dfs, asked.times * idf(df, snapshot.size)))
    return terms


def _list(asked: Asked, part: Part) -> Layers:
    if asked.kind is Kind.PREFIX:
        return WholeList(part.view.beginning(asked.text))
    return part.view.term(asked.text)


def _live_df(found: Layers, part: Part) -> int:
    if part.is_whole or not found.df:
        return found.df
    layers = (found.layer(number) for number in range(len(found.bounds)))
    return sum(int(np.count_nonzero(part.live[layer.documents])) for layer in layers)


def scored(terms: Sequence[AskedTerm], part: int, profile: Profile) -> list[ScoredList]:
    """The lists of a part of the index, with what they add to scores."""
    total = sum(term.weight for term in terms)
    return [
        ScoredList(
            term.lists[part],
            term_scale(profile, term.weight, total) / MAX_IMPACT,
            term.live_dfs[part],
            # Who is called by these words has each of them, in its title or in its anchors.
            is_among_others=term.asked.kind is Kind.NAME,
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
            for place in itertools.compress(ours, may_have):
                had[place].add((term.asked.kind, split_term(term.asked.text)[1]))
    return [_of_them(wanted, each) for each in had]


def _of_them(wanted: Wanted, had: set[tuple[Kind, str]]) -> Wanted:
    return Wanted(
        terms=frozenset([term for term in wanted.terms if (Kind.TERM, term) in had]),
        prefixes=tuple([each for each in wanted.prefixes if (Kind.PREFIX, each) in had]),
        phrases=wanted.phrases,
    )
