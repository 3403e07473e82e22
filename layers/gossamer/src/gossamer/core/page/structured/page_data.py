"""What a page declares about itself, read when it is asked for.

A value is looked up by where it is declared and a path: `jsonld:Product.offers.price` is the price
of the offers of every object of the type Product, wherever in the linked data it stands.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from gossamer.core.page.structured.graph import MAX_NODES, Graph
from gossamer.core.page.structured.lenient_json import read_escaped_json
from gossamer.core.page.structured.scripts import embedded_state, linked_data, typed_state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.page.structured.graph import Node
    from gossamer.core.page.structured.lenient_json import Json

Found = str | int | float | bool | dict[str, "Json"]

PREFIXES: Final = ("jsonld", "microdata", "meta", "state", "table")


class PageData:
    """The declared data of one page. Nothing is read before it is looked up."""

    def __init__(
        self, html: str, url: str, metas: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.html = html
        self.url = url
        self._metas = metas

    @classmethod
    def of(cls, html: str, url: str) -> PageData:
        """The data of a page."""
        return cls(html, url)

    def lookup(self, source: str) -> list[Found]:
        """The values behind a source, as "meta:og:title"; none for what the page does not have."""
        prefix, _, path = source.partition(":")
        if prefix == "jsonld":
            return _found(_looked_up(self.linked, path))
        if prefix == "microdata":
            return _found(_looked_up(self.microdata, path))
        if prefix == "meta":
            return list(self.metas.get(path.strip().lower(), ()))
        if prefix == "state":
            return _found(_in_state(self.state, path))
        return list(self.tables.get(path.strip().casefold(), ())) if prefix == "table" else []

    @cached_property
    def linked(self) -> Graph:
        """JSON-LD."""
        scripts = linked_data(self.html)
        return Graph(value for script in scripts for value in read_escaped_json(script))

    @cached_property
    def microdata(self) -> Graph:
        """Microdata, as if it were written in JSON-LD."""
        if "itemscope" not in self.html and "itemScope" not in self.html:
            return Graph(())
        from gossamer.core.page.structured.microdata import read_microdata  # lxml

        return Graph(read_microdata(self.html, self.url))

    @cached_property
    def metas(self) -> Mapping[str, Sequence[str]]:
        """What the meta tags say, by their names in small letters."""
        if self._metas is not None:
            return self._metas
        from gossamer.core.page.structured.elements import read_metas  # lxml

        return read_metas(self.html)

    @cached_property
    def state(self) -> dict[str, Json]:
        """What scripts of the page begin with, by their names."""
        return embedded_state(self.html)

    @cached_property
    def typed_state(self) -> Graph:
        """The objects in there that have a type, as if they were written in JSON-LD."""
        return Graph(typed_state(self.html))

    @cached_property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """The cells of tables by their headers, in small letters."""
        if "<th" not in self.html and "<dt" not in self.html:
            return {}
        from gossamer.core.page.structured.elements import read_tables  # lxml

        return read_tables(self.html)


def _looked_up(graph: Graph, path: str) -> list[Json]:
    """What a path means: it begins with a type, or with a property of an outermost object."""
    first, *names = path.strip().split(".")
    typed = graph.of_type(first)
    if typed:
        return [value for node in typed for value in graph.values(node, *names)]
    return [value for root in graph.roots for value in graph.values(root, first, *names)]


def _in_state(state: dict[str, Json], path: str) -> list[Json]:
    """A path begins with the name of a script's state, or with any key within one."""
    first, *names = path.strip().split(".")
    graph = Graph(())
    if first in state:
        start = state[first]
        return _below(graph, start, names)
    nodes: list[Node] = [node for root in state.values() for node in Graph([root]).nodes]
    return [value for node in nodes[:MAX_NODES] for value in graph.values(node, first, *names)]


def _below(graph: Graph, start: Json, names: list[str]) -> list[Json]:
    starts = list(graph.flat(start))
    return [v for node in starts if isinstance(node, dict) for v in graph.values(node, *names)]


def _found(values: list[Json]) -> list[Found]:
    """Values without those that say nothing; a value in an object is what the object means."""
    plain = [_plain(value) for value in values]
    return [each for each in plain if each is not None and not isinstance(each, list)]


def _plain(value: Json) -> Json:
    return value["@value"] if isinstance(value, dict) and "@value" in value else value
