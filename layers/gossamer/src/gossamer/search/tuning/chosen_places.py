"""Where in a snapshot the results are that the owner of a collection chose for a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.segments.identities import as_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.snapshot import Snapshot
    from gossamer.search.tuning.tuner import Chosen

    Mask = npt.NDArray[np.bool_]
    Place = tuple[int, int]  # a part, and a number in it


@dataclass(frozen=True, slots=True)
class ChosenPlaces:
    """Documents that come first, in their order, and documents that do not come."""

    pinned: tuple[Place, ...] = ()
    hidden: tuple[Place, ...] = ()

    def are_in(self, part: int) -> bool:
        """Whether a part has some."""
        return any(owner == part for owner, _ in (*self.pinned, *self.hidden))

    def without(self, part: int, documents: Mask) -> Mask:
        """Documents of a part that are neither pinned nor hidden."""
        left = documents.copy()
        left[_of_part(part, (*self.pinned, *self.hidden))] = False
        return left

    def counted(self, part: int, documents: Mask) -> Mask:
        """Documents of a part with those that are pinned, without those that are hidden."""
        counted = documents.copy()
        counted[_of_part(part, self.pinned)] = True
        counted[_of_part(part, self.hidden)] = False
        return counted


NO_PLACES = ChosenPlaces()


def _of_part(part: int, places: Sequence[Place]) -> Ints:
    return np.array([document for owner, document in places if owner == part], np.int64)


def find_chosen(chosen: Chosen, snapshot: Snapshot) -> ChosenPlaces:
    """The chosen documents that can be found."""
    if not chosen.pinned and not chosen.hidden:
        return NO_PLACES
    known = dict(_places((*chosen.pinned, *chosen.hidden), snapshot))
    return ChosenPlaces(
        tuple([known[id] for id in chosen.pinned if id in known]),
        tuple([known[id] for id in chosen.hidden if id in known]),
    )


def _places(ids: Sequence[DocumentId], snapshot: Snapshot) -> Iterator[tuple[DocumentId, Place]]:
    for number, part in enumerate(snapshot.parts):
        found = part.view.segment.identities.find(as_ids(ids)).tolist()
        for id, document in zip(ids, found, strict=True):
            if document >= 0 and part.live[document]:
                yield id, (number, document)
