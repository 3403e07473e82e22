"""PageRank as Brin and Page define it and networkx computes it.

A random surfer follows a link of the current page with probability `damping`, all links equally
likely, and otherwise jumps to a random page; from a page without links (dangling) always to a
random page. The rank of a page is the share of time that the surfer spends there. Ranks sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.links.graph import Graph, Ints, Places

Floats = npt.NDArray[np.float64]

DAMPING = 0.85
TOLERANCE = 1e-6  # L1 distance between two iterations, over all pages
MOST_ITERATIONS = 100  # 0.85^86 < 1e-6: at this damping every graph converges before
HIGHEST = 255
# Links per block, so that intermediate values stay in the processor's cache. 16 k to 256 k take the
# same time, one block for all 1.4 times as long (10 M links, 2026-11).
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The rank of every node, in the graph's order, and how the computation ended."""

    values: Floats
    floor: float  # the rank of a node without links to it: the lowest possible
    iterations: int
    residual: float  # L1 distance of the last two iterations
    converged: bool


def pagerank(
    graph: Graph,
    *,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    most: int = MOST_ITERATIONS,
    internal: float = 1.0,
    hosts: Ints | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> Ranks:
    """Iterate until ranks move by less than `tolerance`, or `most` times; `tell` how often.

    With `hosts`, a number for each node, a link within a host has the weight `internal`, any other
    link the weight 1. Weights are relative: a page with internal links only still passes on its
    whole rank, unless `internal` is 0; then it is dangling.
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
        tell(iterations)
    return Ranks(values, floor, iterations, residual, residual < tolerance)


def levels(ranks: Ranks) -> npt.NDArray[np.uint8]:
    """A byte for each node: `255 · ln(rank / floor) / ln(highest / floor)`, rounded.

    Ranks follow a power law, so their logarithm spreads the many pages in the middle: among a
    million pages, one level is a few per cent of rank. Level 0 is a page without links to it, or
    one that was never ranked. The scale begins at the floor and not at the lowest rank, so that
    pages of a small site with similar ranks get similar levels. Without any links all are 0.
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
        raise ValueError("a weight of internal links needs the hosts of the nodes")


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The links to a run of consecutive nodes among those with links to them."""

    sources: Places
    weights: Floats | None  # of each link; None if all are 1
    starts: Ints  # where the links to each node begin in `sources`
    targets: slice  # in the array of nodes with links to them

    def add_up(self, shares: Floats, received: Floats, scratch: Floats) -> None:
        """Add up what each of the block's nodes receives."""
        passed = scratch[: len(self.sources)]
        # "clip" lets numpy write to `passed` directly; no position is out of bounds.
        np.take(shares, self.sources, out=passed, mode="clip")
        if self.weights is not None:
            passed *= self.weights
        np.add.reduceat(passed, self.starts, out=received[self.targets])


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """What is constant over all iterations."""

    linked: Ints  # the nodes with links to them
    blocks: list[_Block]
    scale: Floats  # the share of a node's rank that a link of weight 1 passes on
    dangling: Ints

    def step(self, values: Floats) -> Floats:
        """What every node receives through links in one iteration."""
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
    """Split the links between targets, into blocks of BLOCK links or of one target."""
    begins = np.append(graph.starts[linked], graph.links)
    cuts = np.searchsorted(begins, np.arange(0, graph.links, BLOCK))
    blocks = []
    for first, last in pairwise([*dict.fromkeys(cuts.tolist()), len(linked)]):
        part = slice(int(begins[first]), int(begins[last]))
        of_links = None if weights is None else weights[part]
        starts = begins[first:last] - begins[first]
        blocks.append(_Block(graph.sources[part], of_links, starts, slice(first, last)))
    return blocks
