"""Do both engines rank as networkx does? One test body, numpy and Spark."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# The public function asks SciPy; this is the same in Python, and networkx tests both alike.
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as networkx_pagerank

from gossamer.core.links.graph import GraphBuilder, nodes_of
from gossamer.core.links.pagerank import Ranks, levels, pagerank
from gossamer.core.urls import url_id
from tests.spark.jobs import SPARK_SECONDS, spark_jobs

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 1e-8


@dataclass(frozen=True)
class Web:
    """Links between numbered pages, and what is said about them."""

    links: list[tuple[int, int, bool]]  # source, target, nofollow
    internal: float = 1.0
    known: list[int] = field(default_factory=list)  # empty: everything linked is a page

    @property
    def followed(self) -> list[tuple[int, int]]:
        return [(source, target) for source, target, nofollow in self.links if not nofollow]

    def pages(self) -> list[int]:
        return self.known or sorted({page for link in self.followed for page in link})


def host(page: int) -> int:
    return page % 5


def page_id(page: int) -> bytes:
    return url_id(f"http://{host(page)}.test/{page}")


def drawn(seed: int, sources: int, pages: int, links: int) -> list[tuple[int, int, bool]]:
    chance = Random(seed)
    return [
        (chance.randrange(sources), int(chance.random() ** 2 * pages), chance.random() < 0.2)
        for _ in range(links)
    ]


WEBS = {
    # Repeated links, links to oneself, dangling pages, a part of its own, a page that only links
    # to itself, and a link that is nofollow once and once is not.
    "tangled": Web(
        [
            *drawn(1, 40, 60, 300),
            *[(0, 0, False), (0, 1, True), (0, 1, False), (0, 1, False)],
            *[(100, 101, False), (101, 100, False), (200, 200, False), (300, 301, True)],
        ]
    ),
    "hosts": Web(drawn(2, 30, 30, 200), internal=0.25),
    "known": Web(drawn(3, 40, 60, 250), known=[*range(10, 50), 400]),
}


def by_networkx(web: Web) -> dict[bytes, float]:
    graph = nx.DiGraph()
    graph.add_nodes_from(web.pages())
    for source, target in web.followed:
        if source != target and source in graph and target in graph:
            inside = host(source) == host(target)
            graph.add_edge(source, target, weight=web.internal if inside else 1.0)
    found = networkx_pagerank(graph, tol=TOLERANCE / len(graph), max_iter=1000)
    return {page_id(page): rank for page, rank in found.items()}


def by_numpy(web: Web, folder: Path) -> dict[bytes, float]:
    pages = web.pages()
    ids = {int(node): page for page, node in zip(pages, _nodes(pages), strict=True)}
    builder = GraphBuilder(_nodes(web.known) if web.known else None)
    builder.add(_nodes(s for s, _ in web.followed), _nodes(t for _, t in web.followed))
    graph = builder.build()
    hosts = np.array([host(ids[int(node)]) for node in graph.nodes])
    ranks = pagerank(graph, tolerance=TOLERANCE, most=1000, internal=web.internal, hosts=hosts)
    found = zip(graph.nodes, ranks.values, strict=True)
    return {page_id(ids[int(node)]): float(rank) for node, rank in found}


def _nodes(pages) -> np.ndarray:
    return nodes_of([page_id(page) for page in pages])


def by_spark(web: Web, folder: Path) -> dict[bytes, float]:
    run = spark_jobs()
    columns = {
        "source": [page_id(source) for source, _, _ in web.links],
        "target": [page_id(target) for _, target, _ in web.links],
        "nofollow": [nofollow for _, _, nofollow in web.links],
        "source_host": [host(source) for source, _, _ in web.links],
        "target_host": [host(target) for _, target, _ in web.links],
    }
    pq.write_table(pa.table(columns), folder / "edges.parquet")
    options = ["--input", folder / "edges.parquet", "--output", folder / "ranks"]
    options += ["--tolerance", TOLERANCE, "--most", 1000, "--internal", web.internal]
    if web.known:
        known = pa.table({"id": [page_id(page) for page in web.known]})
        pq.write_table(known, folder / "known.parquet")
        options += ["--nodes", folder / "known.parquet"]
    said = run("rank", *options)
    assert said["converged"]
    rows = pq.read_table(folder / "ranks").to_pylist()
    floor, ranks = rows[0]["floor"], np.array([row["rank"] for row in rows])
    wanted = levels(Ranks(ranks, floor, 1, 0.0, converged=True))
    assert [row["level"] for row in rows] == wanted.tolist()
    return {row["id"]: row["rank"] for row in rows}


ENGINES = {"numpy": by_numpy, "spark": by_spark}


@pytest.mark.timeout(SPARK_SECONDS)
@pytest.mark.parametrize("name", WEBS)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_ranks_as_networkx_does(engine, name, tmp_path):
    web = WEBS[name]

    ranks = ENGINES[engine](web, tmp_path)

    wanted = by_networkx(web)
    assert ranks.keys() == wanted.keys()
    assert ranks == pytest.approx(wanted, rel=0, abs=1e-9)
    assert sum(ranks.values()) == pytest.approx(1.0, abs=1e-9)
