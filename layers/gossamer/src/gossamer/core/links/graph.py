"""The link graph as sorted arrays, small enough for millions of pages.

A node is the first 8 bytes of a URL's 16-byte id. Two of a million URLs share them with a chance of
3 in 100 million (n² / 2⁶⁵), and then only share one rank; whole ids would take twice the memory and
could not be sorted as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import distinct, is_first

if TYPE_CHECKING:
    from collections.abc import Sequence

Nodes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int32]  # positions in an array of nodes
Ints = npt.NDArray[np.int64]

ID_BYTES, NODE_BYTES = 16, 8
# Links that are sorted together. A quarter or four times as many take a tenth longer, and memory
# grows with the number (10 M links, 2026-11).
CHUNK = 1 << 20
_UNKNOWN = -1
_TARGET_BITS = np.uint64(32)
_SOURCE_MASK = np.uint64((1 << 32) - 1)


def nodes_of(ids: Sequence[bytes]) -> Nodes:
    """The nodes of URL ids, in the order given; nodes sort as the ids do."""
    words = np.frombuffer(b"".join(ids), np.dtype(">u8"))
    return words[:: ID_BYTES // NODE_BYTES].astype(np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Every link once, grouped by target.

    The sources of node i are `sources[starts[i]:starts[i+1]]`, positions in `nodes` in ascending
    order. `nodes` is sorted too. No node is its own source.
    """

    nodes: Nodes
    starts: Ints
    sources: Places

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def links(self) -> int:
        """The number of links."""
        return len(self.sources)

    def places(self, nodes: Nodes) -> Ints:
        """Positions of these nodes; -1 for a node that is not in the graph."""
        return places_in(self.nodes, nodes)


class GraphBuilder:
    """Builds a graph from batches of links of any size, with 8 bytes per link and per node.

    If `nodes` are given, they are the graph's nodes, linked or not, and links from or to other
    nodes are dropped. Otherwise every source and target is a node.
    """

    def __init__(self, nodes: Nodes | None = None) -> None:
        self._known = None if nodes is None else np.unique(nodes)
        self._waiting: list[tuple[Nodes, Nodes]] = []
        self._waiting_links = 0
        self._chunks: list[_Chunk] = []

    def add(self, sources: Nodes, targets: Nodes) -> None:
        """Add links: from each source to the target at the same position."""
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} sources for {len(targets)} targets")
        for first in range(0, len(sources), CHUNK):
            part = slice(first, first + CHUNK)
            self._waiting.append((sources[part].copy(), targets[part].copy()))
            self._waiting_links += len(self._waiting[-1][0])
            if self._waiting_links >= CHUNK:
                self._sort_waiting()

    def _sort_waiting(self) -> None:
        if self._waiting:
            sources, targets = zip(*self._waiting, strict=True)
            self._chunks.append(_chunk(np.concatenate(sources), np.concatenate(targets)))
        self._waiting, self._waiting_links = [], 0

    def build(self) -> Graph:
        """The graph of all links so far."""
        self._sort_waiting()
        nodes = self._known if self._known is not None else _union(self._chunks)
        links = np.empty(sum(len(chunk.links) for chunk in self._chunks), np.uint64)
        count = 0
        for chunk in self._chunks:
            placed = chunk.placed(nodes)
            links[count : count + len(placed)] = placed
            count += len(placed)
        links = distinct(links[:count])
        first_of_node = np.arange(len(nodes) + 1, dtype=np.uint64) << _TARGET_BITS
        sources = (links & _SOURCE_MASK).astype(np.int32)
        return Graph(nodes, np.searchsorted(links, first_of_node), sources)


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """A sorted batch of links, as pairs of positions in `nodes`: target << 32 | source."""

    nodes: Nodes
    links: npt.NDArray[np.uint64]

    def placed(self, nodes: Nodes) -> npt.NDArray[np.uint64]:
        """The links as positions in other `nodes`, without links whose ends are not among them."""
        places = places_in(nodes, self.nodes)
        targets = places[(self.links >> _TARGET_BITS).astype(np.intp)]
        sources = places[(self.links & _SOURCE_MASK).astype(np.intp)]
        known = (targets != _UNKNOWN) & (sources != _UNKNOWN)
        if not known.all():
            targets, sources = targets[known], sources[known]
        return _packed(targets, sources)


def _chunk(sources: Nodes, targets: Nodes) -> _Chunk:
    # The links of a page come together, so each source has to be sorted only once. Sorting takes a
    # sixth of the time of a lookup per node.
    heads = np.flatnonzero(is_first(sources))
    nodes, places = np.unique(np.concatenate((sources[heads], targets)), return_inverse=True)
    starts = np.repeat(places[: len(heads)], np.diff(heads, append=len(sources)))
    ends = places[len(heads) :]
    proper = starts != ends
    return _Chunk(nodes, distinct(_packed(ends[proper], starts[proper])))


def _packed(targets: Ints, sources: Ints) -> npt.NDArray[np.uint64]:
    pairs: npt.NDArray[np.uint64] = targets.astype(np.uint64)
    pairs <<= _TARGET_BITS
    pairs |= sources.astype(np.uint64)
    return pairs


def places_in(nodes: Nodes, wanted: Nodes) -> Ints:
    """The places of some nodes among sorted ones; -1 for a node that is not there."""
    places = np.searchsorted(nodes, wanted)
    found = np.zeros(len(wanted), np.bool_)
    inside = places < len(nodes)
    found[inside] = nodes[places[inside]] == wanted[inside]
    return np.where(found, places, _UNKNOWN)


def _union(chunks: Sequence[_Chunk]) -> Nodes:
    """All nodes of all chunks, merged in pairs: most nodes are in many chunks."""
    parts = [chunk.nodes for chunk in chunks]
    while len(parts) > 1:
        pairs = [parts[first : first + 2] for first in range(0, len(parts), 2)]
        parts = [distinct(np.concatenate(pair), in_runs=True) for pair in pairs]
    return parts[0] if parts else np.zeros(0, np.uint64)
