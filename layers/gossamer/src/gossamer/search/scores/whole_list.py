"""Documents that all weigh the same: with a word that begins so, or with words side by side."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.segments.dictionary import Layer

if TYPE_CHECKING:
    from gossamer.core.index.segments.dictionary import Impacts

    Mask = npt.NDArray[np.bool_]

MIDDLING = MAX_IMPACT // 2  # whichever words these are, they count as one of middling weight
# Documents of the segment, of which those in the list are its first layer. Of equals the lower
# numbers win, so a page of results seldom needs more.
FIRST = 8_192


class WholeList:
    """A list in two layers of one impact, of which the second has the higher numbers."""

    def __init__(self, there: Mask) -> None:
        """`there`: by document, whether it is in the list."""
        self._there = there

    @cached_property
    def df(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self._there))

    @property
    def bounds(self) -> list[int]:
        """The impact of each layer."""
        layers = 1 if len(self._there) <= FIRST else 2
        return [MIDDLING] * layers if self.df else []

    def layer(self, number: int) -> Layer:
        """A layer."""
        documents = np.flatnonzero(self._there[FIRST:] if number else self._there[:FIRST])
        if number:
            documents += FIRST
        return Layer(documents, np.broadcast_to(np.uint8(MIDDLING), len(documents)))

    def known(self, number: int) -> Layer:
        """A layer."""
        return self.layer(number)

    def is_known(self) -> bool:
        """It is in memory."""
        return True

    def by_document(self) -> Impacts:
        """The impact in every document, 0 where it is not."""
        return self._impacts

    @cached_property
    def _impacts(self) -> Impacts:
        return self._there.view(np.uint8) * np.uint8(MIDDLING)
