"""Entries: texts that may be suggested, each with the documents that it comes from.

An entry is forgotten with its documents: those that are dead do not count, and an entry that has no
others is not suggested. So an entry keeps its documents, up to MOST_DOCUMENTS: how often a text is
used matters by its logarithm, so more of them would change little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import is_first
from gossamer.core.index.segments.numbers import Ints, runs, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

# Of a text that is several of these the first counts.
TITLE, NAME, VALUE, PHRASE, HEADING = range(5)
KINDS: Final = ("title", "name", "value", "phrase", "heading")
# A heading that every page has must not come before a title.
_WEIGHTS: Final = np.array([1.0, 0.9, 0.8, 0.3, 0.2])
MOST_DOCUMENTS: Final = 32
MOST_ENTRIES: Final = 65_536  # of a segment: about 3 MB, which a function reads at once
MOST_OF_BATCH: Final = 4_096  # when documents are indexed: a batch has some thousand at most


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Entries in the order of their keys. The documents of entry i begin at `starts[i]`.

    The first document of an entry is the one that `about` is the address of. Of a value, `about` is
    the name of its field.
    """

    keys: list[str]  # folded, each once
    texts: list[str]  # as written
    about: list[str]
    kinds: Bytes
    starts: Ints
    documents: Ints

    def __len__(self) -> int:
        return len(self.keys)


def no_entries() -> Entries:
    """None at all."""
    none = np.zeros(0, np.int64)
    return Entries([], [], [], np.zeros(0, np.uint8), np.zeros(1, np.int64), none)


def weights_of(kinds: Bytes, frequencies: Ints, levels: npt.NDArray[np.integer]) -> Floats:
    """How good entries are: by what they are, how many documents have them, and PageRank.

    `levels`: the highest rank of their documents, 0 to 255.
    """
    found: Floats = _WEIGHTS[kinds] * np.log2(1 + frequencies) * (0.5 + levels / 255)
    return found


@dataclass(slots=True, eq=False)
class Occurrences:
    """Where texts are found: of each place the text, its kind and its document."""

    keys: list[str]
    texts: list[str]
    about: list[str]
    kinds: Bytes
    documents: Ints
    is_first: npt.NDArray[np.bool_]  # whether `about` is of this document
    places: Ints  # of each occurrence, in `keys`, `texts` and `about`

    def entries(self, levels: npt.NDArray[np.integer], most: int = MOST_ENTRIES) -> Entries:
        """The best of them, as entries; `levels` by document."""
        numbers = {key: number for number, key in enumerate(sorted(set(self.keys)))}
        if not numbers:
            return no_entries()
        ranks = np.fromiter(map(numbers.__getitem__, self.keys), np.int64, len(self.keys))
        chosen = self._ordered(ranks[self.places], levels)
        own = ranks[self.places[chosen]]
        firsts = np.flatnonzero(is_first(own))
        sizes = np.minimum(np.diff(firsts, append=len(own)), MOST_DOCUMENTS)
        kept = self._best(chosen[firsts], firsts, sizes, levels[self.documents[chosen]], most)
        leads = chosen[firsts[kept]]
        at = self.places[leads].tolist()
        has_address = (self.is_first[leads] | (self.kinds[leads] == VALUE)).tolist()
        return Entries(
            [self.keys[place] for place in at],
            [self.texts[place] for place in at],
            [self.about[p] if own else "" for p, own in zip(at, has_address, strict=True)],
            self.kinds[leads],
            starts_of(sizes[kept]),
            self.documents[chosen[runs(firsts[kept], sizes[kept])]],
        )

    def _ordered(self, own: Ints, levels: npt.NDArray[np.integer]) -> Ints:
        """Occurrences by entry, each document once; the one that describes it best is first."""
        rank = levels[self.documents].astype(np.int64)
        pairs = (own << 32) | self.documents
        quality = (self.kinds.astype(np.int64) << 9) | (~self.is_first).astype(np.int64) << 8
        order = np.lexsort((quality, pairs))
        order = order[is_first(pairs[order])]
        return order[np.lexsort((self.documents[order], (quality - rank + 255)[order], own[order]))]

    def _best(
        self, leads: Ints, firsts: Ints, sizes: Ints, levels: npt.NDArray[np.integer], most: int
    ) -> Ints:
        if len(leads) <= most:
            return np.arange(len(leads))
        highest = np.maximum.reduceat(levels, firsts)
        weights = weights_of(self.kinds[leads], sizes, highest)
        return np.sort(np.argsort(-weights, kind="stable")[:most])


def occurrences(
    texts: Sequence[str], about: Sequence[str], kinds: Sequence[int], documents: Sequence[int],
    keys: Sequence[str],
) -> Occurrences:  # fmt: skip
    """Texts that were just found, each in a document; `about` is of that one."""
    return Occurrences(
        list(keys),
        list(texts),
        list(about),
        np.array(kinds, np.uint8),
        np.array(documents, np.int64),
        np.ones(len(texts), np.bool_),
        np.arange(len(texts)),
    )
