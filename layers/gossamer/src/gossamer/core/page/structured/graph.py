"""The objects of linked data: found by their types, and joined where one names another by its id.

Microdata is read into the same form, so everything that reads a graph reads both.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.page.structured.lenient_json import Json

Node: TypeAlias = "dict[str, Json]"

MAX_NODES: Final = 5_000  # of a page, that are looked at
MAX_DEPTH: Final = 30  # of values in values
_GRAPH: Final = "@graph"
_CONTEXTS: Final = ("http://schema.org/", "https://schema.org/", "schema:")


class Graph:
    """All objects of a page, those that others hold after those that hold them."""

    def __init__(self, values: Iterable[Json]) -> None:
        self.roots: list[Node] = list(_roots(list(values)))
        self.nodes: list[Node] = []
        self.by_id: dict[str, Node] = {}
        waiting: deque[tuple[Json, int]] = deque((root, 0) for root in self.roots)
        while waiting and len(self.nodes) < MAX_NODES:
            value, depth = waiting.popleft()
            if isinstance(value, dict):
                self._add(value)
            if depth < MAX_DEPTH:
                waiting.extend((each, depth + 1) for each in _inner(value))

    def _add(self, node: Node) -> None:
        self.nodes.append(node)
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            self.by_id.setdefault(name, node)

    def of_type(self, name: str) -> list[Node]:
        """The objects of a type, wherever they are."""
        return [node for node in self.nodes if name in types_of(node)]

    def resolved(self, value: Json) -> Json:
        """What a reference by id means; anything else is what it is."""
        if isinstance(value, dict) and len(value) == 1:
            name = value.get("@id")
            return self.by_id.get(name, value) if isinstance(name, str) else value
        return value

    def values(self, node: Node, *path: str) -> list[Json]:
        """What is below an object by the names of a path; lists are flattened."""
        found: list[Json] = [node]
        for name in path:
            found = [
                value
                for each in found
                if isinstance(each, dict)
                for value in self.flat(property_of(each, name))
            ][:MAX_NODES]
        return found

    def flat(self, value: Json) -> Iterator[Json]:
        """The items of a value, which may be a list of lists."""
        waiting, seen = [value], 0
        while waiting and seen < MAX_NODES:
            seen += 1
            each = waiting.pop()
            if isinstance(each, list):
                waiting += each[::-1]
            elif isinstance(each, dict) and ("@list" in each or "@set" in each):
                waiting.append(each.get("@list") or each.get("@set"))
            elif each is not None:
                yield self.resolved(each)


def types_of(node: Node) -> list[str]:
    """The names of an object's types, without the vocabulary they are from."""
    said = node.get("@type")
    types = said if isinstance(said, list) else [said]
    return [short(each) for each in types if isinstance(each, str)]


def short(name: str) -> str:
    """A name without its vocabulary: Product of https://schema.org/Product."""
    for context in _CONTEXTS:
        if name.startswith(context):
            return name.removeprefix(context)
    return name


def property_of(node: Node, name: str) -> Json:
    """A property, also where its name is written with its vocabulary."""
    if name in node:
        return node[name]
    return next((node[c + name] for c in _CONTEXTS if c + name in node), None)


def _roots(values: list[Json]) -> Iterator[Node]:
    """The outermost objects; a graph stands for what is in it."""
    waiting, seen = values[::-1], 0
    while waiting and seen < MAX_NODES:
        seen += 1
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value[::-1]
        elif isinstance(value, dict) and isinstance(value.get(_GRAPH), list | dict):
            waiting.append(value[_GRAPH])
        elif isinstance(value, dict):
            yield value


def _inner(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [each for each in value.values() if isinstance(each, dict | list)]
    if isinstance(value, list):
        return [each for each in value if isinstance(each, dict | list)]
    return []
