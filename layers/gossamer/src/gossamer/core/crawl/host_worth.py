"""The worth of hosts, from the rank that other hosts pass to them.

The rank that links of other hosts pass on to its pages, divided by how many it has, beside the mean
of all hosts. Links inside of a host count for nothing: a host can make as many pages and links as
it likes, and each of its pages is worth less by that. Worth is a power of two, so that it changes
rarely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.crawl.host_quota import MOST_WORTH

if TYPE_CHECKING:
    from gossamer.core.links.graph import Graph, Ints
    from gossamer.core.links.pagerank import Floats

BLOCK = 1 << 20  # links at a time: some tens of megabytes


def worths(graph: Graph, ranks: Floats, hosts: Ints, sizes: Ints) -> Ints:
    """The worth of every host, from -MOST_WORTH to MOST_WORTH; 0 for all while none links another.

    `hosts` has a number for each node, `sizes` says how many nodes have it.
    """
    return powers(_received(graph, ranks, hosts, len(sizes)), sizes)


def powers(received: Floats, sizes: Ints) -> Ints:
    """The worth of hosts by the rank that each receives from others, and how many pages it has."""
    if not received.any():
        return np.zeros(len(sizes), np.int64)
    mean = received.sum() / sizes.sum()
    least = mean / 2 ** (MOST_WORTH + 1)  # of nothing there is no logarithm
    share = np.maximum(received / np.maximum(sizes, 1), least) / mean
    powers: Floats = np.rint(np.log2(share))
    return np.clip(powers, -MOST_WORTH, MOST_WORTH).astype(np.int64)


def _received(graph: Graph, ranks: Floats, hosts: Ints, count: int) -> Floats:
    """The rank that every host receives from others."""
    links_of = np.bincount(graph.sources, minlength=len(graph))
    shares = np.divide(ranks, links_of, out=np.zeros(len(graph)), where=links_of > 0)
    received = np.zeros(count)
    for first in range(0, graph.links, BLOCK):
        sources = graph.sources[first : first + BLOCK]
        places = np.arange(first, first + len(sources))
        targets = np.searchsorted(graph.starts, places, side="right") - 1
        given_to = hosts[targets]
        outside = hosts[sources] != given_to
        received += np.bincount(given_to[outside], shares[sources[outside]], minlength=count)
    return received
