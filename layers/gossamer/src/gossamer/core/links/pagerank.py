"""Which pages do other pages point to? PageRank, as Brin and Page defined it, and networkx does.

A reader follows a link of the page at hand with the probability `damping`, any one as likely as the
next, and otherwise goes to any page at all; from a page without links (dangling) always to any. The
rank of a page is how much of the time the reader spends there. Ranks sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gossamer.core.links.graph import Graph, Ints, Places

Floats = npt.NDArray[np.float64]

DAMPING = 0.85
TOLERANCE = 1e-6  # L1: how far ranks may still move, all pages together
MOST_ITERATIONS = 100  # 0.85^86 < 1e-6: at this damping every graph is done before
HIGHEST = 255
# Links at a time: what is passed on then stays in the processor's cache. 16 k to 256 k take the
# same time, all at once 1.4 times as long (10 M links, 2026-11).
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The rank of every node, in the graph's order, and how it was come by."""

    values: Floats
    floor: float  # the rank of a node that nobody links to: the least there is
    iterations: int
    residual: float  # how far the last iteration moved, in L1
    converged: bool


def pagerank(
    graph: Graph,
    *,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    most: int = MOST_ITERATIONS,
    internal: float = 1.0,
    hosts: Ints | None = None,
) -> Ranks:
    """Iterate until ranks move by less than `tolerance`, or `most` times.

    With `hosts`, a number for each node, a link inside of a host weighs `internal` beside a link
    that leaves it. Weights are shares: a page whose links are all inside passes on as much as ever,
    unless they weigh nothing; then it is dangling.
    """
    _check(damping, most, internal, hosts)
    size = len(graph)
    if not size:
        return Ranks(np.zeros(0), 0.0, 0, 0.0, converged=True)
    walk = _walk(graph, internal, hosts)
    values, floor, residual = np.full(size, 1.0 / size), 0.0, np.inf
    iterations = 0
    while residual >= tolerance and iterations < most:
        floor = (1.0 - damping + damping * float(values[walk.dangling].sum())) / size
        following = walk.step(values)
        following *= damping
        following += floor
        values -= following
        residual = float(np.abs(values, out=values).sum())
        values = following
        iterations += 1
    return Ranks(values, floor, iterations, residual, residual < tolerance)


def levels(ranks: Ranks) -> npt.NDArray[np.uint8]:
    """A byte for each node: `255 · ln(rank / floor) / ln(highest / floor)`, rounded.

    Ranks fall off like a power, so their logarithm spreads the many in the middle: of a million
    pages, a byte apart is a few per cent of rank apart. Zero is a page that nobody links to, the
    same as one that was never ranked. The scale begins there and not at the lowest rank, so that
    in a small site where all pages are much alike they stay so. Where nothing is linked all are 0.
    """
    above = (
        np.log(np.maximum(ranks.values / ranks.floor, 1.0)) if len(ranks.values) else np.zeros(0)
    )
    highest = float(above.max(initial=0.0))
    if highest < TOLERANCE:
        return np.zeros(len(above), np.uint8)
    return np.rint(HIGHEST * above / highest).astype(np.uint8)


def _check(damping: float, most: int, internal: float, hosts: Ints | None) -> None:
    if not 0.0 <= damping < 1.0:
        raise ValueError(f"damping {damping} is not in [0, 1)")
    if most < 1:
        raise ValueError(f"{most} iterations rank nothing")
    if not 0.0 <= internal <= 1.0:
        raise ValueError(f"the weight {internal} of internal links is not in [0, 1]")
    if internal != 1.0 and hosts is None:
        raise ValueError("without hosts nobody knows which links are internal")


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The links to some nodes that follow each other among those that are linked to."""

    sources: Places
    weights: Floats | None  # of each link; None if all are 1
    starts: Ints  # where the links to each node begin in `sources`
    targets: slice  # among the nodes that are linked to

    def add_up(self, shares: Floats, received: Floats, scratch: Floats) -> None:
        """What each of the block's nodes gets."""
        passed = scratch[: len(self.sources)]
        # "clip" lets numpy write to `passed` directly; no place is out of bounds.
        np.take(shares, self.sources, out=passed, mode="clip")
        if self.weights is not None:
            passed *= self.weights
        np.add.reduceat(passed, self.starts, out=received[self.targets])


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """What stays the same from one iteration to the next."""

    linked: Ints  # the nodes that are linked to
    blocks: list[_Block]
    scale: Floats  # of a node's rank, what a link of weight 1 passes on
    dangling: Ints

    def step(self, values: Floats) -> Floats:
        """What every node receives by links."""
        shares = values * self.scale
        received = np.zeros(len(self.linked))
        scratch = np.empty(max((len(block.sources) for block in self.blocks), default=0))
        for block in self.blocks:
            block.add_up(shares, received, scratch)
        everywhere = np.zeros(len(values))
        everywhere[self.linked] = received
        return everywhere


def _walk(graph: Graph, internal: float, hosts: Ints | None) -> _Walk:
    linked = np.flatnonzero(np.diff(graph.starts))
    weights = None if hosts is None or internal == 1.0 else _weights(graph, internal, hosts)
    given = np.bincount(graph.sources, weights, minlength=len(graph))
    is_dangling = given == 0.0
    scale = np.divide(1.0, given, out=np.zeros(len(graph)), where=~is_dangling)
    return _Walk(linked, _blocks(graph, linked, weights), scale, np.flatnonzero(is_dangling))


def _weights(graph: Graph, internal: float, hosts: Ints) -> Floats:
    """The weight of every link."""
    if len(hosts) != len(graph):
        raise ValueError(f"{len(hosts)} hosts for {len(graph)} nodes")
    is_inside = hosts[graph.sources] == np.repeat(hosts, np.diff(graph.starts))
    return np.where(is_inside, internal, 1.0)


def _blocks(graph: Graph, linked: Ints, weights: Floats | None) -> list[_Block]:
    """The links, cut between targets; a block has BLOCK of them, or those to one target."""
    begins = np.append(graph.starts[linked], graph.links)
    cuts = np.searchsorted(begins, np.arange(0, graph.links, BLOCK))
    blocks = []
    for first, last in pairwise([*dict.fromkeys(cuts.tolist()), len(linked)]):
        part = slice(int(begins[first]), int(begins[last]))
        of_links = None if weights is None else weights[part]
        starts = begins[first:last] - begins[first]
        blocks.append(_Block(graph.sources[part], of_links, starts, slice(first, last)))
    return blocks
