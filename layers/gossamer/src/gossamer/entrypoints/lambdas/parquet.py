"""Export links for scripts/rank_spark.py as Parquet, and import ranks; needs pyarrow.

URLs are told by their ids, and links to URLs that lead elsewhere by where they lead, as RANK does.
"""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from gossamer.batch.rank import LEAVES, MOST_HOPS
from gossamer.core.errors import ConfigurationError
from gossamer.core.links.graph import nodes_of
from gossamer.core.links.pagerank import Ranks
from gossamer.core.urls import host_of, url_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from gossamer.core.links.graph import Graph
    from gossamer.ports.home import Home

ROWS = 100_000  # in a group: what is held at once
MISSING = "Parquet needs a package that Gossamer does not bring: pip install pyarrow"


def write_edges(home: Home, file: str) -> int:
    """Write all links: source, target, anchor, nofollow, source_host, target_host."""
    arrow, parquet = _pyarrow()
    text = arrow.string()
    columns = [("source", arrow.binary(16)), ("target", arrow.binary(16)), ("anchor", text)]
    columns += [("nofollow", arrow.bool_()), ("source_host", text), ("target_host", text)]
    schema = arrow.schema(columns)
    rows, count = _rows(home), 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as out:
        while some := list(islice(rows, ROWS)):
            out.write_table(arrow.Table.from_pylist(some, schema))
            count += len(some)
    return count


def _rows(home: Home) -> Iterator[dict[str, object]]:
    moved = {r.id: r.target for r in home.urls.all() if r.target and r.state in LEAVES}
    for source, links in home.edges.all():
        host = host_of(home.urls.addresses([source]).get(source, ""))
        for link in links:
            end = _end(link.url, moved)
            yield {
                "source": source,
                "target": url_id(end),
                "anchor": link.anchor,
                "nofollow": link.nofollow,
                "source_host": host,
                "target_host": host_of(end),
            }


def _end(url: str, moved: dict[bytes, str]) -> str:
    for _ in range(MOST_HOPS):
        following = moved.get(url_id(url))
        if following is None:
            break
        url = following
    return url


def given_ranks(folder: str) -> Callable[[Graph], Ranks]:
    """Ranks that Spark has worked out (id, rank), for the pages of a graph."""
    _, parquet = _pyarrow()
    try:
        table = parquet.read_table(folder, columns=["id", "rank"])
        nodes = nodes_of(table["id"].to_pylist())
        values = table["rank"].to_numpy()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"cannot read ranks from {folder}: {error}") from error
    order = np.argsort(nodes)
    nodes, values = nodes[order], values[order]

    def ranks(graph: Graph) -> Ranks:
        floor = float(values.min(initial=1.0))
        found = np.full(len(graph), floor)
        places = graph.places(nodes)
        found[places[places >= 0]] = values[places >= 0]
        return Ranks(found, floor, 0, 0.0, converged=True)

    return ranks


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ConfigurationError(MISSING) from error
