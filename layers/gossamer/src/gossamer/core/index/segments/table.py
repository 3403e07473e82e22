"""Postings as arrays, sorted by term and document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.segments.numbers import Ints, runs, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """A table of postings; documents are numbers inside of a segment.

    Term i has the postings `starts[i]` to `starts[i+1]`, by ascending document; posting j has the
    positions `ends[j-1]` to `ends[j]`, in ascending order.
    """

    terms: list[str]
    starts: Ints
    documents: Ints
    impacts: npt.NDArray[np.uint8]
    ends: Ints
    positions: Ints

    def __len__(self) -> int:
        return len(self.documents)

    def rows(self, first: int, last: int) -> Postings:
        """The postings of some terms, one behind the other."""
        low, high = int(self.starts[first]), int(self.starts[last])
        begin = int(self.ends[low - 1]) if low else 0
        finish = int(self.ends[high - 1]) if high else 0
        return Postings(
            self.terms[first:last],
            self.starts[first : last + 1] - low,
            self.documents[low:high],
            self.impacts[low:high],
            self.ends[low:high] - begin,
            self.positions[begin:finish],
        )

    def select(self, rows: Ints) -> Postings:
        """The postings of some terms, in this order."""
        sizes = np.diff(self.starts)[rows]
        terms = [self.terms[row] for row in rows.tolist()]
        return self.pick(runs(self.starts[:-1][rows], sizes), terms, starts_of(sizes))

    def pick(self, postings: Ints, terms: list[str], starts: Ints) -> Postings:
        """Some postings, of which those of `terms` begin at `starts`."""
        counts = self.counts()
        begins = self.ends - counts
        chosen = counts[postings]
        return Postings(
            terms,
            starts,
            self.documents[postings],
            self.impacts[postings],
            np.cumsum(chosen),
            self.positions[runs(begins[postings], chosen)],
        )

    def counts(self) -> Ints:
        """How many positions each posting has."""
        counts = self.ends.copy()  # half the time of np.diff with something prepended
        counts[1:] -= self.ends[:-1]
        return counts


def empty() -> Postings:
    """No postings at all."""
    none = np.zeros(0, np.int64)
    return Postings([], np.zeros(1, np.int64), none, np.zeros(0, np.uint8), none, none)


def merge(tables: Sequence[Postings]) -> Postings:
    """One table out of several, whose documents are numbered alike and differ.

    The documents of a term may come in any order.
    """
    tables = [table for table in tables if table.terms]
    if not tables:
        return empty()
    names = sorted(set().union(*(table.terms for table in tables)))
    rank = dict(zip(names, range(len(names)), strict=True))
    row = np.concatenate(
        [
            np.repeat(np.array([rank[term] for term in t.terms], np.int64), np.diff(t.starts))
            for t in tables
        ]
    )
    documents = np.concatenate([table.documents for table in tables])
    order = np.argsort((row << 32) | documents, kind="stable")
    counts = np.concatenate([table.counts() for table in tables])
    positions = np.concatenate([table.positions for table in tables])
    begins = np.cumsum(counts) - counts
    chosen = counts[order]
    return Postings(
        names,
        starts_of(np.bincount(row, minlength=len(names))),
        documents[order],
        np.concatenate([table.impacts for table in tables])[order],
        np.cumsum(chosen),
        positions[runs(begins[order], chosen)],
    )
