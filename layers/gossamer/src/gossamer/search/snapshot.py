"""Snapshots: postings read from all live parts of the index, and remembered.

A snapshot belongs to one version of the manifest: nothing that it reads changes while it is in use.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.postings import AS_WRITTEN, Postings
from gossamer.core.index.segment import (
    block_key,
    delta_key,
    postings_in,
    sort_key,
    tail_key,
    terms_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.index.manifest import Packed
    from gossamer.ports.index import IndexStore

Ints = npt.NDArray[np.int64]
POSITION_SHIFT = 24  # a position and a phrase's offset fit below it
MAX_REMEMBERED = 64_000_000  # bytes of lists


@dataclass(frozen=True, slots=True)
class TermList:
    """The live documents of a term, ascending, and how heavy it is in each."""

    ordinals: Ints
    impacts: npt.NDArray[np.uint8]

    @property
    def df(self) -> int:
        """In how many live documents the term is."""
        return len(self.ordinals)

    def find(self, ordinal: int) -> int | None:
        """Where a document stands in the list, if it does."""
        place = int(np.searchsorted(self.ordinals, ordinal))
        return place if place < self.df and self.ordinals[place] == ordinal else None


class Snapshot:
    """The index at one version of its manifest."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        self.manifest = store.manifest()
        self.live = np.array(store.live(), np.int64)
        self._is_live = np.zeros(store.lease_ordinals(0) + 1, np.bool_)
        self._is_live[self.live] = True
        self.ranks = np.zeros(len(self._is_live))  # PageRank by ordinal, 0 to 1
        known = np.frombuffer(store.ranks(), np.uint8)[: len(self.ranks)]
        self.ranks[: len(known)] = known / 255
        self._lists: dict[str, TermList] = {}
        self._places: dict[str, Ints] = {}
        self._prefixed: dict[str, Ints] = {}
        self._words: dict[str, list[str]] = {}
        self._remembered = 0
        self._deltas = [sort_key(segment) for segment in self.manifest.deltas]

    @property
    def size(self) -> int:
        """How many documents are live."""
        return len(self.live)

    @property
    def capacity(self) -> int:
        """More than the largest ordinal."""
        return len(self._is_live)

    def documents(self, term: str) -> TermList:
        """The documents of a term."""
        found = self._lists.get(term)
        if found is None:
            found = self._lists[term] = self._read(term)
            self._remember(found.ordinals.nbytes + found.impacts.nbytes)
        return found

    def places(self, term: str) -> Ints:
        """Where a term stands: ordinals and positions in one number each, ascending."""
        found = self._places.get(term)
        if found is None:
            parts = [self._places_in(table) for table in self._tables(term, positions=True)]
            found = np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
            self._places[term] = found
            self._remember(found.nbytes)
        return found

    def words(self, prefix: str) -> list[str]:
        """All words, as they are written, that begin with a prefix."""
        found: set[str] = set()
        for item in self._dictionaries(prefix):
            key = f"{item.key}\n{item.sort}"
            words = self._words.get(key)
            if words is None:
                words = self._words[key] = terms_in(item)
            begin = bisect_left(words, prefix)
            end = bisect_left(words, prefix + "\U0010ffff")
            found.update(words[begin:end])
        return sorted(found)

    def prefixed(self, prefix: str) -> Ints:
        """The documents with a word that begins with a prefix."""
        found = self._prefixed.get(prefix)
        if found is None:
            # The words' own lists are many and asked for by nothing else: only their sum is kept.
            has_one = np.zeros(self.capacity, np.bool_)
            for word in self.words(prefix):
                for table in self._tables(AS_WRITTEN + word, positions=False):
                    has_one[table.ordinals] = True
            found = self._prefixed[prefix] = np.flatnonzero(has_one & self._is_live)
            self._remember(found.nbytes)
        return found

    def _read(self, term: str) -> TermList:
        tables = list(self._tables(term, positions=False))
        if not tables:
            return TermList(np.zeros(0, np.int64), np.zeros(0, np.uint8))
        ordinals = np.concatenate([table.ordinals for table in tables])
        impacts = np.concatenate([table.impacts for table in tables])
        alive = np.flatnonzero(self._is_live[ordinals])
        order = alive[np.argsort(ordinals[alive], kind="stable")]
        return TermList(ordinals[order], impacts[order])

    def _places_in(self, table: Postings) -> Ints:
        owners = np.repeat(table.ordinals, table.counts())
        alive = self._is_live[owners]
        places: Ints = (owners[alive] << POSITION_SHIFT) | table.positions[alive]
        return places

    def _tables(self, term: str, *, positions: bool) -> Iterator[Postings]:
        """What each part of the index says of a term."""
        for item in self._items(term, positions):
            table = postings_in(item, positions=positions)
            row = bisect_left(table.terms, term)
            if row < len(table.terms) and table.terms[row] == term:
                yield table.rows(row, row + 1) if len(table.terms) > 1 else table

    def _items(self, term: str, positions: bool) -> Iterator[Packed]:
        get = self._store.get
        if self._deltas:
            yield from get(delta_key(term), self._deltas, positions=positions)
        for generation in self.manifest.generations:
            blocks = get(block_key(generation, term), positions=positions)
            yield from blocks or get(tail_key(generation, term), positions=positions)

    def _dictionaries(self, prefix: str) -> Iterator[Packed]:
        if self._deltas:
            yield from self._store.get("d#0", self._deltas)
        for generation in self.manifest.generations:
            yield from self._store.dictionary(f"d#{generation.number}", prefix)

    def _remember(self, size: int) -> None:
        self._remembered += size
        if self._remembered > MAX_REMEMBERED:
            self._lists.clear()
            self._places.clear()
            self._prefixed.clear()
            self._words.clear()
            self._remembered = 0
