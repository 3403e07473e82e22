"""The list of a word together with those of its synonyms.

A document weighs what the best of them weighs there: having a word and its synonym counts once. A
synonym weighs less than the word would in its place, so it is never before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

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

AS_TYPED = 0  # in `JoinedList.by`; the synonyms are counted from 1


@dataclass(frozen=True, slots=True)
class JoinedList:
    """Documents with a word or a synonym of it, in one layer."""

    documents: Ints
    impacts: npt.NDArray[np.uint8]
    by: npt.NDArray[np.uint8]  # which of them weighs most

    @property
    def df(self) -> int:
        """How many there are."""
        return len(self.documents)

    @property
    def bounds(self) -> list[int]:
        """The highest impact."""
        return [int(self.impacts.max())] if len(self.documents) else []

    def layer(self, number: int) -> Layer:
        """All of them."""
        return Layer(self.documents, self.impacts)

    def known(self, number: int) -> Layer:
        """All of them."""
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


def joined(
    view: SegmentView, typed: Layers, synonyms: Sequence[Synonym], budget: Budget
) -> JoinedList:
    """The list of a word with those of its synonyms; raises OverBudget."""
    lists = [_whole(typed)]
    if any(each.is_spelling for each in synonyms):
        # What is typed so is in the upper half, and another spelling, at half its weight or less,
        # is below.
        lists = [lists[0]._replace(impacts=128 + lists[0].impacts // 2)]
    for each in synonyms:
        budget.check()
        documents, impacts = _documents(view, each, budget)
        # Never 0, which is not to have it.
        lists.append(Layer(documents, np.maximum(1, np.floor(impacts * each.weight))))
    documents = np.concatenate([each.documents for each in lists])
    impacts = np.concatenate([each.impacts for each in lists]).astype(np.uint8)
    by = np.repeat(np.arange(len(lists), dtype=np.uint8), [len(each.documents) for each in lists])
    # Of each document the heaviest first, and of equals what was typed.
    order = np.lexsort((by, 255 - impacts, documents))
    documents, impacts, by = documents[order], impacts[order], by[order]
    first = np.ones(len(documents), np.bool_)
    first[1:] = documents[1:] != documents[:-1]
    return JoinedList(documents[first], impacts[first], by[first])


def _whole(found: Layers) -> Layer:
    """All layers of a list as one, in no order."""
    layers = [found.layer(number) for number in range(len(found.bounds))]
    if not layers:
        return Layer(np.zeros(0, np.int64), np.zeros(0, np.uint8))
    documents = np.concatenate([layer.documents for layer in layers])
    return Layer(documents, np.concatenate([layer.impacts for layer in layers]))


def _documents(view: SegmentView, synonym: Synonym, budget: Budget) -> Layer:
    """Documents with a synonym; a phrase weighs what the lightest of its words does."""
    lists = [view.term(term) for _, term in synonym.words.looked_up]
    if len(lists) == 1:
        return _whole(lists[0])
    documents = np.flatnonzero(matches(view, synonym.words, budget))
    weights = [impacts_of(each, documents) for each in lists]
    return Layer(documents, reduce(np.minimum, weights).astype(np.uint8))
