"""What does a query ask for, and which documents have it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.anchors import NAMED

if TYPE_CHECKING:
    from gossamer.search.snapshot import TermList


@dataclass(frozen=True, slots=True)
class Part:
    """A term of the query, its words as a name, or all words that begin alike; with documents."""

    name: str
    times: int
    found: TermList
    weight: float  # IDF × times in the query

    def find(self, ordinal: int) -> int | None:
        """Where a document stands in the list, if it does."""
        place = int(np.searchsorted(self.found.ordinals, ordinal))
        is_there = place < self.found.df and self.found.ordinals[place] == ordinal
        return place if is_there else None

    @property
    def shown(self) -> str:
        """What people read: a whole name stands in quotes."""
        is_name = self.name.startswith(NAMED)
        return f'"{self.name.removeprefix(NAMED)}"' if is_name else self.name
