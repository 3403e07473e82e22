"""The list of a word together with those of its synonyms.

A document weighs what the best of them weighs there: having a word and its synonym counts once. A
synonym weighs less than the word would in its place, so it is never before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.arrays import is_first
from gossamer.core.index.segments.dictionary import Layer
from gossamer.search.boolean import matches
from gossamer.search.scores.scored_list import impacts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Synonym
    from gossamer.search.budget import Budget
    from gossamer.search.scores.scored_list import Layers
    from gossamer.search.segment_view import SegmentView

# Documents of which at least one has a word or a synonym: then an array of all is faster than to
# sort what was found.
DENSE = 32
AS_TYPED = 0  # in `JoinedList.by`; the synonyms are counted from 1


@dataclass(frozen=True, slots=True)
class JoinedList:
    """Documents with a word or a synonym of it, in layers as the word alone has them."""

    documents: Ints
    impacts: npt.NDArray[np.uint8]
    by: npt.NDArray[np.uint16]  # which of them weighs most
    layers: list[Layer]

    @property
    def df(self) -> int:
        """How many there are."""
        return len(self.documents)

    @property
    def nbytes(self) -> int:
        """How much memory it takes, about."""
        return 20 * len(self.documents) + 500

    @property
    def bounds(self) -> list[int]:
        """The highest impact in each layer."""
        return [int(layer.impacts.max()) for layer in self.layers]

    def layer(self, number: int) -> Layer:
        """A layer."""
        return self.layers[number]

    def known(self, number: int) -> Layer:
        """A layer."""
        return self.layer(number)

    def is_known(self) -> bool:
        """It is in memory."""
        return True

    def by_document(self) -> None:
        """They are looked up in the list."""
        return

    def best(self, document: int) -> int:
        """Which of the words weighs most in a document that is in the list."""
        return int(self.by[int(self.documents.searchsorted(document))])


def joined(view: SegmentView, term: str, synonyms: Sequence[Synonym], budget: Budget) -> Layers:
    """The list of a term with those of its synonyms; raises OverBudget."""
    typed = view.term(term)
    there = [_may_be_there(view, each) for each in synonyms]
    if not any(there) and not _are_spelt(synonyms):
        return typed
    key = "joined", term, tuple(synonyms)
    return view.remembered(key, lambda: _joined(view, typed, synonyms, budget), _bytes)


def _may_be_there(view: SegmentView, synonym: Synonym) -> bool:
    return all([view.term(term).df for _, term in synonym.words.looked_up])


def _bytes(found: JoinedList) -> int:
    return found.nbytes


def _are_spelt(synonyms: Sequence[Synonym]) -> bool:
    return any([each.is_spelling for each in synonyms])


def _joined(
    view: SegmentView, typed: Layers, synonyms: Sequence[Synonym], budget: Budget
) -> JoinedList:
    every, bounds = [_whole(typed)], typed.bounds
    for each in synonyms:
        found = _documents(view, each, budget)
        # Never 0, which is not to have it.
        every.append(found._replace(impacts=np.maximum(1, np.floor(found.impacts * each.weight))))
    if _are_spelt(synonyms):
        # What is typed so is in the upper half, and another spelling, at half its weight or less,
        # is below.
        exact = [0, *[at for at, each in enumerate(synonyms, 1) if each.languages]]
        every = [_upper(each) if at in exact else each for at, each in enumerate(every)]
        bounds = []
    documents, impacts, by = _heaviest(view.documents, every)
    return JoinedList(documents, impacts, by, _layers(documents, impacts, bounds))


def _upper(layer: Layer) -> Layer:
    return layer._replace(impacts=128 + layer.impacts.astype(np.uint8) // 2)


def _heaviest(
    count: int, lists: Sequence[Layer]
) -> tuple[Ints, npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
    """The documents of lists, each with its heaviest impact and the first list that has this."""
    if DENSE * sum(len(each.documents) for each in lists) > count:
        impacts, by = np.zeros(count, np.uint8), np.zeros(count, np.uint16)
        for number, each in enumerate(lists):
            heavy = np.flatnonzero(each.impacts > impacts[each.documents])
            places = each.documents[heavy]
            impacts[places], by[places] = each.impacts[heavy], number
        documents = np.flatnonzero(impacts)
        return documents, impacts[documents], by[documents]
    documents = np.concatenate([each.documents for each in lists])
    impacts = np.concatenate([each.impacts for each in lists]).astype(np.uint8)
    by = np.repeat(np.arange(len(lists), dtype=np.uint16), [len(each.documents) for each in lists])
    # Of each document the heaviest first, and of equals what was typed.
    order = np.lexsort((by, 255 - impacts, documents))
    documents, impacts, by = documents[order], impacts[order], by[order]
    first = is_first(documents)
    return documents[first], impacts[first], by[first]


def _layers(documents: Ints, impacts: npt.NDArray[np.uint8], bounds: Sequence[int]) -> list[Layer]:
    """Documents in layers of falling impact, cut where the next layer of the word begins."""
    edges, found = [*bounds[1:], 0], []
    high = 256
    for low in edges:
        within = np.flatnonzero((impacts > low) & (impacts <= high))
        high = low
        if len(within):
            found.append(Layer(documents[within], impacts[within]))
    return found


def _whole(found: Layers) -> Layer:
    """All layers of a list as one, in no order."""
    layers = [found.layer(number) for number in range(len(found.bounds))]
    if not layers:
        return Layer(np.zeros(0, np.int64), np.zeros(0, np.uint8))
    documents = np.concatenate([layer.documents for layer in layers])
    return Layer(documents, np.concatenate([layer.impacts for layer in layers]))


def _documents(view: SegmentView, synonym: Synonym, budget: Budget) -> Layer:
    """Documents with a synonym; a phrase weighs what the lightest of its words does."""
    budget.check()
    lists = [view.term(term) for _, term in synonym.words.looked_up]
    if len(lists) == 1:
        return _whole(lists[0])
    documents = np.flatnonzero(matches(view, synonym.words, budget))
    weights = [impacts_of(each, documents) for each in lists]
    return Layer(documents, reduce(np.minimum, weights).astype(np.uint8))
