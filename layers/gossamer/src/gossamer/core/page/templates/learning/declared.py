"""Marked values that pages also declare about themselves: candidates beside what the pages show."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from gossamer.core.page.structured import PageData
from gossamer.core.page.structured.graph import short, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.page.structured.graph import Graph, Node
    from gossamer.core.page.structured.lenient_json import Json
    from gossamer.core.page.structured.page_data import Found
    from gossamer.core.page.templates.learning.choosing import Marked

MAX_NODES: Final = 300  # objects of a page whose properties are tried
MAX_DEPTH: Final = 3  # names of a path, after the type
MAX_SOURCES: Final = 400  # of the pages together
MAX_VALUES: Final = 32  # of a source on a page


class Declarations:
    """What some pages declare, by where a field of a template would read it.

    Types and their properties are made for programs and outlast a redesign, so they come before
    what is shown. Meta tags and headers of tables are tried where no selector finds everything.
    """

    def __init__(self, pages: Sequence[tuple[str, str]]) -> None:
        self._data = [PageData.of(html, url) for html, url in pages]

    def typed(self, marked: Sequence[Marked | None]) -> str:
        """The property of a typed object that is what is marked on all pages; "" if none is."""
        return _agreeing(self._typed, marked, certain=True)

    def named(self, marked: Sequence[Marked | None]) -> str:
        """The same of meta tags and tables."""
        return _agreeing(self._named, marked, certain=False)

    @cached_property
    def _typed(self) -> dict[str, list[list[str]]]:
        paths = dict.fromkeys(path for data in self._data for path in _typed_paths(data))
        return self._looked_up(list(paths))

    @cached_property
    def _named(self) -> dict[str, list[list[str]]]:
        paths = dict.fromkeys(path for data in self._data for path in _named_paths(data))
        return self._looked_up(list(paths))

    def _looked_up(self, paths: Sequence[str]) -> dict[str, list[list[str]]]:
        return {
            path: [list(filter(None, map(_text, data.lookup(path)[:MAX_VALUES])))
                   for data in self._data]
            for path in paths[:MAX_SOURCES]
        }  # fmt: skip


def _agreeing(
    sources: Mapping[str, list[list[str]]], marked: Sequence[Marked | None], *, certain: bool
) -> str:
    """The shortest source that says on each page what is marked there, no less and no more.

    What is the same on all pages may agree by chance; so may one page, unless the source says what
    its value is.
    """
    pages = [page for page in marked if page is not None and page.says]
    truths = [frozenset(page.plain(page.values)) for page in pages]
    if len(set(filter(None, truths))) < 2 and not (certain and len(truths) == 1):
        return ""
    many = any(len(truth) > 1 for truth in truths)
    agreeing = [
        source
        for source, found in sources.items()
        if all(
            page is None or _is_same(page, texts, many=many)
            for page, texts in zip(marked, found, strict=True)
        )
    ]
    return min(agreeing, key=lambda source: (source.count("."), len(source), source), default="")


def _is_same(page: Marked, texts: Sequence[str], *, many: bool) -> bool:
    found = page.plain(texts if many else texts[:1])
    wrong = found & page.plain(page.wrong)
    return not wrong and (not page.says or found == page.plain(page.values))


def _typed_paths(data: PageData) -> Iterator[str]:
    for prefix, graph in (("jsonld", data.linked), ("microdata", data.microdata)):
        for node in graph.nodes[:MAX_NODES]:
            for name in types_of(node):
                if _is_name(name):
                    yield from (f"{prefix}:{path}" for path in _below(graph, node, (name,)))


def _below(graph: Graph, node: Node, path: tuple[str, ...]) -> Iterator[str]:
    """The paths of the values below an object."""
    for key, value in node.items():
        name = short(key)
        if key.startswith("@") or not _is_name(name):
            continue
        inner = [each for each in graph.flat(value) if isinstance(each, dict)][:1]
        yield ".".join((*path, name))
        if inner and len(path) < MAX_DEPTH:
            yield from _below(graph, inner[0], (*path, name))


def _named_paths(data: PageData) -> Iterator[str]:
    yield from (f"meta:{name}" for name in data.metas)
    yield from (f"table:{name}" for name in data.tables if name.strip() == name)


def _is_name(name: str) -> bool:
    return bool(name) and "." not in name


def _text(value: Found) -> str:
    """A value as marked texts are compared with it."""
    match value:
        case dict():
            named: Json = value.get("name", value.get("@value", ""))
            return str(named) if isinstance(named, str | int | float) else ""
        case bool():
            return ""
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)
