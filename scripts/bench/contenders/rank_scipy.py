"""PageRank with a sparse matrix of SciPy on a random web. Run by the interpreter that has it.

The usual way: number the pages, build a matrix, multiply until it converges.
"""

import json
import sys
from typing import Any

import numpy as np
import scipy
from scipy import sparse

from scripts.bench.machine.stopwatch import Stopwatch
from scripts.bench.worlds.link_graph import Nodes, Web

DAMPING, TOLERANCE, MOST = 0.85, 1e-6, 100


def matrix(ids: Nodes, sources: Nodes, targets: Nodes) -> tuple[Any, Any]:
    """The transition matrix (from column to row), and which pages have no links."""
    nodes, places = np.unique(np.concatenate((ids, sources, targets)), return_inverse=True)
    _, start, end = np.split(places, [len(ids), len(ids) + len(sources)])
    proper = start != end
    ones = np.ones(int(proper.sum()))
    links = sparse.csr_array((ones, (end[proper], start[proper])), shape=(len(nodes), len(nodes)))
    links.data[:] = 1.0  # a link that occurs twice was added up
    given = np.bincount(links.indices, minlength=len(nodes))
    links.data /= given[links.indices]
    return links, given == 0


def ranked(links: Any, dangling: Any) -> tuple[Any, int]:
    """Ranks, and the number of iterations."""
    size = len(dangling)
    ranks = np.full(size, 1.0 / size)
    iterations, residual = 0, np.inf
    while residual >= TOLERANCE and iterations < MOST:
        spread = (1.0 - DAMPING + DAMPING * ranks[dangling].sum()) / size
        following = DAMPING * (links @ ranks) + spread
        residual = np.abs(following - ranks).sum()
        ranks = following
        iterations += 1
    return ranks, iterations


def main(pages: int, file: str) -> None:
    """Rank and save the ranks; print the times, without generating the links."""
    web, building, iterating = Web(pages), Stopwatch(), Stopwatch()
    batches = list(web.links())
    with building:
        sources, targets = (np.concatenate(ends) for ends in zip(*batches, strict=True))
        links, dangling = matrix(web.ids, sources, targets)
    with iterating:
        ranks, iterations = ranked(links, dangling)
    np.save(file, ranks)
    facts = {
        "nodes": len(ranks),
        "links": links.nnz,
        "build": building.seconds,
        "iterate": iterating.seconds,
        "iterations": iterations,
        "version": scipy.__version__,
    }
    json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
