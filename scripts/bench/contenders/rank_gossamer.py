"""PageRank by Gossamer on a random web. Run in a process of its own."""

import json
import sys

import numpy as np

from gossamer.core.links.graph import GraphBuilder
from gossamer.core.links.pagerank import levels, pagerank
from scripts.bench.machine.stopwatch import Stopwatch
from scripts.bench.worlds.link_graph import Web


def main(pages: int, file: str) -> None:
    """Rank and save the ranks; print the times, without generating the links."""
    web, building, iterating = Web(pages), Stopwatch(), Stopwatch()
    with building:
        builder = GraphBuilder(web.ids)
    for sources, targets in web.links():
        with building:
            builder.add(sources, targets)
    with building:
        graph = builder.build()
    with iterating:
        ranks = pagerank(graph)
    np.save(file, ranks.values)
    facts = {
        "nodes": len(graph),
        "links": graph.links,
        "build": building.seconds,
        "iterate": iterating.seconds,
        "iterations": ranks.iterations,
        "residual": ranks.residual,
        "levels": np.percentile(levels(ranks), [1, 10, 25, 50, 75, 90, 99]).tolist(),
    }
    json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
