"""A query looked up in a snapshot: its terms there, the best documents, what is stored of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.identities import as_ids
from gossamer.core.search.long_queries import counted_terms
from gossamer.search.asked_terms import asked_terms, document_counts, read_lists
from gossamer.search.budget import UNLIMITED
from gossamer.search.filters import Filters
from gossamer.search.ranking import Found, Ranked, first_by_column, rank, scores_of, words_of
from gossamer.search.results.hits import view
from gossamer.search.results.texts import Texts
from gossamer.search.rounds import Rounds
from gossamer.search.tuning.chosen_places import NO_PLACES, ChosenPlaces, find_chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.search.result import BoostPart, DocumentView
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.segments import SegmentStore
    from gossamer.search.asked_terms import AskedTerm, Whole
    from gossamer.search.asking import Asking
    from gossamer.search.budget import Budget
    from gossamer.search.segment_view import SegmentView
    from gossamer.search.snapshot import Snapshot, Snapshots


@dataclass(frozen=True, slots=True)
class Lookup:
    """A query in a snapshot."""

    asking: Asking
    terms: list[AskedTerm]
    snapshot: Snapshot  # what of the index could be searched in time
    texts: Texts
    budget: Budget = UNLIMITED
    chosen: ChosenPlaces = NO_PLACES

    def best(self, count: int) -> Ranked:
        """The best documents, or the first by a column; before them those that are pinned."""
        asking = self.asking
        ranked = rank(
            asking.plan,
            self.terms,
            self.snapshot,
            asking.profile,
            count,
            all_of_them=asking.needs_all,
            counted=set(asking.facets.values()),
            budget=self.budget,
            boosts=asking.boosts,
            chosen=self.chosen,
        )
        if asking.order is not None:
            return first_by_column(ranked, self.snapshot, asking.order, count, self._scores)
        return self._with_pinned(ranked, count) if self.chosen.pinned else ranked

    def _scores(self, places: Sequence[tuple[int, int]]) -> list[float]:
        asking = self.asking
        return scores_of(self.terms, self.snapshot, asking.profile, places, asking.boosts)

    def is_pinned(self, found: Found) -> bool:
        """Whether a result was put first by the owner."""
        return found[:2] in self.chosen.pinned

    def explained_boosts(self, found: Found) -> list[BoostPart]:
        """What the settings of the collection add to the score of a result."""
        asking, (part, document, _) = self.asking, found
        if not asking.boosts:
            return []
        [words] = words_of(self.terms, asking.profile, part, np.array([document])).tolist()
        boosts = asking.boosts.of(self.terms, part, self.snapshot.parts[part])
        return boosts.explained(document, words)

    def _with_pinned(self, ranked: Ranked, count: int) -> Ranked:
        """Pinned documents are results, whether they have the query's words or not."""
        places = [place for place in self.chosen.pinned if self._passes(*place)]
        first = [Found(*at, score) for at, score in zip(places, self._scores(places), strict=True)]
        matching = dict(ranked.matching)
        for part, document in places:
            if part in matching:
                matching[part] = np.union1d(matching[part], [document])
        return replace(
            ranked,
            best=[*first, *ranked.best][:count],
            total=ranked.total + len(first),
            matching=matching,
            pinned=min(len(first), count),
        )

    def _passes(self, part: int, document: int) -> bool:
        """Whether the filters beside the query let a document through."""
        view = self.snapshot.parts[part].view
        passing = Filters.of(self.asking.plan.filters, view, self.budget).among(None)
        return passing is None or bool(passing[document])

    def stored(self, found: Sequence[Found]) -> list[Stored]:
        """What is stored of some results."""
        return self.texts.fetch(self._places(found))

    def far(self, found: Sequence[Found]) -> set[Found]:
        """Have what comes together at hand; returns the results that take a read each."""
        places = self._places(found)
        missing = self.texts.prepare(places)
        return {each for each, place in zip(found, places, strict=True) if place in missing}

    def _places(self, found: Sequence[Found]) -> list[tuple[SegmentView, int]]:
        parts = self.snapshot.parts
        return [(parts[each.part].view, each.document) for each in found]


def look_up(
    asking: Asking,
    index: SegmentStore,
    opened: Snapshots,
    snapshot: Snapshot,
    whole: Whole | None = None,
    budget: Budget = UNLIMITED,
    documents: DocumentStore | None = None,
) -> Lookup:
    """A query in a snapshot, which may be a part of a whole index.

    With `documents`, texts come from there where they are nearer than in segments.
    """
    fetch(asking, index, opened, snapshot, budget)
    listed, searched = read_lists(asking.plan, snapshot, asking.profile, budget)
    terms = asked_terms(asking.plan, listed, snapshot.size, whole)
    texts = Texts(opened, documents if index.is_far else None)
    return Lookup(asking, terms, searched, texts, budget, find_chosen(asking.chosen, searched))


def fetch(
    asking: Asking,
    index: SegmentStore,
    opened: Snapshots,
    snapshot: Snapshot,
    budget: Budget = UNLIMITED,
) -> None:
    """Have at hand what a query needs, if a read takes long; else it is read when it is needed."""
    if index.is_far:
        rounds = Rounds(opened, budget)
        rounds.fetch(asking.plan, snapshot, asking.columns, all_of_them=asking.needs_all)


def count_long(
    asking: Asking,
    index: SegmentStore,
    opened: Snapshots,
    snapshot: Snapshot,
    budget: Budget = UNLIMITED,
) -> list[int]:
    """Count the documents that have each counted term of a long query."""
    terms = list(counted_terms(asking.plan))
    if index.is_far:
        Rounds(opened, budget).fetch_counts(snapshot, terms)
    return document_counts(terms, snapshot, budget)


def find(id: DocumentId, snapshot: Snapshot, opened: Snapshots) -> DocumentView | None:
    """A document that can be found, by its id."""
    for part in snapshot.parts:
        number = int(part.view.segment.identities.find(as_ids([id]))[0])
        if number >= 0 and part.live[number]:
            [stored] = Texts(opened).fetch([(part.view, number)])
            return view(id, stored)
    return None
