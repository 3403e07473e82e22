"""Export a collection as Parquet for the jobs in scripts/spark, and import ranks; needs pyarrow.

URLs are told by their ids, and links to URLs that lead elsewhere by where they lead, as RANK does.
"""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gossamer.batch.rank import LEAVES, MOST_HOPS
from gossamer.core.errors import ConfigurationError
from gossamer.core.links.graph import nodes_of
from gossamer.core.links.pagerank import Ranks
from gossamer.core.page.packed_documents import pack_parts
from gossamer.core.urls import host_of, url_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from gossamer.core.links.graph import Graph
    from gossamer.ports.documents import PageVersion
    from gossamer.ports.home import Home

# Rows of a group: what is held at once.
ROWS = {"edges": 100_000, "documents": 2_000, "urls": 50_000}
MISSING = "Parquet needs a package that Gossamer does not bring: pip install pyarrow"


def write_parquet(home: Home, what: str, file: str) -> int:
    """Write all links, documents or URLs as scripts/spark reads them; returns how many."""
    arrow, parquet = pyarrow()
    schema = _schema(arrow, what)
    rows, count = {"edges": _rows, "documents": _documents, "urls": _urls}[what](home), 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as out:
        while some := list(islice(rows, ROWS[what])):
            out.write_table(arrow.Table.from_pylist(some, schema))
            count += len(some)
    return count


def _schema(arrow: ModuleType, what: str) -> object:
    text, id = arrow.string(), arrow.binary()
    edges = [("source", arrow.binary(16)), ("target", arrow.binary(16)), ("anchor", text)]
    edges += [("nofollow", arrow.bool_()), ("source_host", text), ("target_host", text)]
    documents = [("id", id), ("url", text), ("fetched_at", arrow.float64())]
    documents += [("anchors", arrow.list_(text)), ("parts", id), ("body", id)]
    urls = [("id", id), ("job", text), ("record", arrow.binary())]
    return arrow.schema({"edges": edges, "documents": documents, "urls": urls}[what])


def _documents(home: Home) -> Iterator[dict[str, object]]:
    """The pages whose documents may be found, each as the stores keep it."""
    closed = {record.id for record in home.urls.closed()}
    for _, page in home.documents.entries():
        if page.documents and page.id not in closed:
            yield page_row(page)


def page_row(page: PageVersion) -> dict[str, object]:
    """A page and its documents as a row of Parquet."""
    parts, body = pack_parts(page.documents)
    url = next(iter(page.documents.values())).url
    row = {"id": page.id, "url": url, "fetched_at": page.fetched_at}
    return row | {"anchors": list(page.anchors), "parts": parts, "body": body}


def _urls(home: Home) -> Iterator[dict[str, object]]:
    for _, entry in home.urls.entries():
        yield {
            "id": entry.record.id,
            "job": entry.job,
            "record": msgspec.msgpack.encode(entry.record),
        }


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
    _, parquet = pyarrow()
    try:
        table = parquet.read_table(folder)
        nodes = nodes_of(table["id"].to_pylist())
        values = table["rank"].to_numpy()
        given = table["floor"][0].as_py() if "floor" in table.column_names and len(table) else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"cannot read ranks from {folder}: {error}") from error
    order = np.argsort(nodes)
    nodes, values = nodes[order], values[order]

    def ranks(graph: Graph) -> Ranks:
        floor = given or float(values.min(initial=1.0))
        found = np.full(len(graph), floor)
        places = graph.places(nodes)
        found[places[places >= 0]] = values[places >= 0]
        return Ranks(found, floor, 0, 0.0, converged=True)

    return ranks


def pyarrow() -> tuple[ModuleType, ModuleType]:
    """The package, if it is there."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ConfigurationError(MISSING) from error
