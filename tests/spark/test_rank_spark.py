"""Do both engines rank as networkx does? One test body, numpy and Spark."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import networkx as nx
import numpy as np
import pytest

# The public function asks SciPy; this is the same in Python, and networkx tests both alike.
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as networkx_pagerank

from gossamer.core.links.graph import GraphBuilder, nodes_of
from gossamer.core.links.pagerank import pagerank
from gossamer.core.urls import url_id
from scripts.venvs import ROOT, venv

TOLERANCE = 1e-8
SCRIPT = ROOT / "scripts" / "rank_spark.py"
AS_PARQUET = Path(__file__).with_name("as_parquet.py")
SPARK_SECONDS = 300  # a JVM starts, and a busy machine has two cores
# Compiled in haste: a run is over before better code would pay, a quarter of the time earlier.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1"


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
    python = _python_with_spark()
    columns = {
        "source": [page_id(source).hex() for source, _, _ in web.links],
        "target": [page_id(target).hex() for _, target, _ in web.links],
        "nofollow": [nofollow for _, _, nofollow in web.links],
        "source_host": [host(source) for source, _, _ in web.links],
        "target_host": [host(target) for _, target, _ in web.links],
    }
    _run([python, AS_PARQUET, "write", folder / "edges.parquet"], json.dumps(columns))
    options = ["--input", folder / "edges.parquet", "--output", folder / "ranks"]
    options += ["--tolerance", TOLERANCE, "--most", 1000, "--internal", web.internal]
    if web.known:
        known = json.dumps({"id": [page_id(page).hex() for page in web.known]})
        _run([python, AS_PARQUET, "write", folder / "known.parquet"], known)
        options += ["--nodes", folder / "known.parquet"]
    said = _run([python, SCRIPT, *options])
    assert "converged" in said
    assert "NOT" not in said
    found = json.loads(_run([python, AS_PARQUET, "read", folder / "ranks"]))
    return {bytes.fromhex(id): rank for id, rank in found.items()}


@cache
def _python_with_spark() -> Path:
    """The interpreter of .venv-spark, or a reason to do without."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs java, which is not on the PATH")
    if os.environ.get("GOSSAMER_SPARK") != "1" and not (ROOT / ".venv-spark" / ".done").is_file():
        pytest.skip("no .venv-spark; `make test-spark` makes it")
    return venv("spark") / "python"


def _run(command, given: str = "") -> str:
    done = subprocess.run(
        [str(part) for part in command],
        input=given,
        env=os.environ | {"JAVA_TOOL_OPTIONS": JAVA_OPTIONS},
        capture_output=True,
        text=True,
        timeout=SPARK_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


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
