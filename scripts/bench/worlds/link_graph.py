"""A random web of pages and links, from a seed. Needs only numpy.

Host sizes follow Zipf's law, and the pages of a host are numbered together. One page in eight has
no links (a file, or not fetched); for the others the number follows a power law. Most links lead to
nearby pages or to the main pages of the same host, the rest to main pages of other hosts, to large
ones more often. Links are ordered by their page, as the edge store gives them.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Nodes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

SEED = 20
PAGES_PER_BATCH = 20_000
PAGES_PER_HOST = 50
LINKING = 0.875
NEAR, INSIDE = 0.3, 0.8  # shares of links, cumulated: nearby, in the same host
NEARBY = 200  # pages
STEEPNESS = 4.0  # of the preference for main pages
LEAST_LINKS, TAIL, MOST_LINKS = 6.2, 1.75, 1000


class Web:
    """Page ids, random 64-bit numbers, and the links between them."""

    def __init__(self, pages: int, seed: int = SEED) -> None:
        self._chance = np.random.default_rng(seed)
        self.ids: Nodes = self._chance.integers(0, 2**64, pages, dtype=np.uint64)

    def links(self) -> Iterator[tuple[Nodes, Nodes]]:
        """Sources and targets in batches; can be read once."""
        pages = len(self.ids)
        starts, sizes = _hosts(pages)
        host_of = np.repeat(np.arange(len(sizes)), sizes)
        for first in range(0, pages, PAGES_PER_BATCH):
            numbers = np.arange(first, min(first + PAGES_PER_BATCH, pages))
            sources = np.repeat(numbers, _degrees(self._chance, len(numbers)))
            targets = _targets(self._chance, sources, host_of, starts, sizes)
            yield self.ids[sources], self.ids[targets]


def _hosts(pages: int) -> tuple[Ints, Ints]:
    """The first page of each host, and how many it has."""
    weights = 1.0 / np.arange(1, pages // PAGES_PER_HOST + 2) ** 0.8
    ends = np.rint(np.cumsum(weights / weights.sum()) * pages).astype(np.int64)
    sizes = np.diff(ends, prepend=0)
    return ends - sizes, sizes


def _degrees(chance: np.random.Generator, count: int) -> Ints:
    raw = LEAST_LINKS * (1.0 + chance.pareto(TAIL, count))
    links = np.minimum(raw, MOST_LINKS).astype(np.int64)
    return np.where(chance.random(count) < LINKING, links, 0)


def _targets(
    chance: np.random.Generator, sources: Ints, host_of: Ints, starts: Ints, sizes: Ints
) -> Ints:
    count, pages = len(sources), len(host_of)
    kind = chance.random(count)
    # Hosts of uniformly drawn pages: drawn by their size.
    host = np.where(kind < INSIDE, host_of[sources], host_of[chance.integers(0, pages, count)])
    main = starts[host] + (chance.random(count) ** STEEPNESS * sizes[host]).astype(np.int64)
    near = sources + chance.integers(-NEARBY, NEARBY + 1, count)
    return np.where(kind < NEAR, near % pages, main)
