"""The tools of the Model Context Protocol: search, read, explain a URL, list collections.

All of them only read. What a model did wrong is told in the result, so that it can do better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from gossamer.core.errors import GossamerError
from gossamer.core.ids import document_id
from gossamer.core.search.lexemes import MAX_TEXT
from gossamer.core.urls import normalise, url_id, with_scheme
from gossamer.entrypoints.api.parameters import MAX_FILTERS, MAX_NAMES, MAX_QUERY, read_document_id
from gossamer.entrypoints.api.views.markdown import to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import (
        CollectionStats,
        Correction,
        DocumentView,
        Hit,
        SearchResponse,
    )
    from gossamer.entrypoints.cli.explain_url import Biography

    Json = dict[str, Any]

MAX_RESULTS = 50
MAX_FACETS = 40  # names of facets or fields
MAX_URL = 4_000
MAX_CHARACTERS = 20_000  # of a document in one answer: about 5,000 tokens


class Sources(Protocol):
    """What the tools read; `HomeSearch` of the API is one."""

    def search(
        self,
        query: str,
        *,
        page: int,
        limit: int,
        sort: str,
        filters: Sequence[str],
        facets: Sequence[str],
        fields: Sequence[str],
        correct: bool,
        strict: bool,
    ) -> SearchResponse:
        """A page of results."""

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""

    def explain(self, url: str) -> Biography:
        """What became of a URL."""

    def stats(self) -> CollectionStats:
        """How large the collection is."""

    def collections(self) -> list[str]:
        """The names of all collections beside it, and its own."""


_Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAMES)]


class SearchArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `search` takes."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_TEXT,
            description='Text, or exact: a & b, a | b, !a, "a phrase", word*, title:word,'
            " site:example.org, url:docs, lang:en, date:2024, before:2024, after:2024-05-31",
        ),
    ]
    limit: Annotated[int, Meta(ge=1, le=MAX_RESULTS, description="Results per page.")] = 10
    page: Annotated[int, Meta(ge=1, le=200, description="Which page, from 1.")] = 1
    sort: Annotated[
        str, Meta(max_length=MAX_NAMES, description='"-date" begins with the newest.')
    ] = ""
    filter: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=MAX_QUERY)]],
        Meta(
            max_length=MAX_FILTERS,
            description="Conditions that narrow the results and leave their order: lang:de,"
            " kind:pdf, date:2024..2025, price:10..50, or a field that the collection declares.",
        ),
    ] = []

    facets: Annotated[
        list[_Name],
        Meta(
            max_length=MAX_FACETS,
            description="Whose values to count among all that match: site, lang, kind, year, a"
            ' column of the collection, or "*" for all that there are. They say what to filter by.',
        ),
    ] = []
    fields: Annotated[
        list[_Name],
        Meta(
            max_length=MAX_FACETS,
            description='Which values of the documents to give (price, brand); "*" for all.',
        ),
    ] = []
    correct: Annotated[
        bool,
        Meta(description="Whether a misspelt query that finds nothing is answered in another one."),
    ] = True
    strict: Annotated[
        bool,
        Meta(
            description="Read the query exactly, and give only what matches it. Else fewer than ten"
            " exact results are filled up with others that have some of its words."
        ),
    ] = False


class ReadArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `read` takes."""

    id: Annotated[str, Meta(max_length=40, description="The id of a result of `search`.")] = ""
    url: Annotated[str, Meta(max_length=MAX_URL, description="Instead of the id.")] = ""
    offset: Annotated[int, Meta(ge=0, description="The character to begin with.")] = 0


class UrlArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `explain_url` takes."""

    url: Annotated[str, Meta(min_length=1, max_length=MAX_URL, description="Any web address.")]


class NoArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `collections` takes: nothing."""


class Called(NamedTuple):
    """What a tool returned: text for a model, and the same as a value if it has parts."""

    text: str
    value: Json | None = None
    is_error: bool = False


class Tool(NamedTuple):
    """A tool: what it is for, what it takes, and who does it."""

    title: str
    description: str
    arguments: type[msgspec.Struct]
    call: Callable[[Sources, Any], Called]


class Wrong(GossamerError):
    """A tool cannot do what it was asked."""


def _search(sources: Sources, asked: SearchArguments) -> Called:
    found = sources.search(
        asked.query,
        page=asked.page,
        limit=asked.limit,
        sort=asked.sort,
        # Answers are remembered by these.
        filters=tuple(asked.filter),
        facets=tuple(asked.facets),
        fields=tuple(asked.fields),
        correct=asked.correct,
        strict=asked.strict,
    )
    return _with_parts(
        {
            "total": found.total,
            "total_is_exact": found.total_is_exact,
            "page": found.page,
            "results": [_result(hit) for hit in found.hits],
            **({"facets": msgspec.to_builtins(found.facets)} if found.facets else {}),
            **({"correction": _correction(found.correction)} if found.correction else {}),
            **({"notes": found.notes} if found.notes else {}),
            **({"filled": found.filled} if found.filled else {}),
            **({"partial": True} if found.partial else {}),
        }
    )


def _correction(found: Correction) -> Json:
    """Another spelling, and whether the results are of it."""
    return {"typed": found.typed, "corrected": found.corrected, "applied": found.applied}


def _result(hit: Hit) -> Json:
    told = {
        "id": hit.id,
        "url": hit.url,
        "title": hit.title,
        "page": hit.page,
        "date": hit.date,
        "date_source": hit.date_source,
        "fetched": hit.fetched,
        "language": hit.language,
        "snippet": hit.snippet,
        "values": msgspec.to_builtins(hit.values),
        "filled": hit.filled,
    }
    return {name: value for name, value in told.items() if value}


def _read(sources: Sources, asked: ReadArguments) -> Called:
    found = sources.document(_id_of(asked))
    if found is None:
        raise Wrong(
            f"there is no document {asked.id or asked.url} in the index; `explain_url` says what"
            " became of a URL, `search` finds others"
        )
    text = to_markdown(found)
    end = asked.offset + MAX_CHARACTERS
    if end >= len(text):
        return Called(text[asked.offset :])
    more = f"\n\n[{end:,} of {len(text):,} characters; go on with offset {end}]"
    return Called(text[asked.offset : end] + more)


def _id_of(asked: ReadArguments) -> DocumentId:
    if bool(asked.id) == bool(asked.url):
        raise Wrong("give either the id of a result or a url")
    if asked.id:
        return read_document_id(asked.id)
    url = normalise(with_scheme(asked.url))
    if url is None:
        raise Wrong(f"{asked.url} is not a web address")
    return document_id(url_id(url))


def _explain(sources: Sources, asked: UrlArguments) -> Called:
    from gossamer.entrypoints.cli.explain_url import to_text

    life = sources.explain(asked.url)
    return Called(to_text(life), msgspec.to_builtins(life))


def _collections(sources: Sources, _asked: NoArguments) -> Called:
    served = sources.stats()
    others = [name for name in sources.collections() if name != served.collection]
    listed = [{**msgspec.to_builtins(served), "is_searched": True}]
    return _with_parts(
        {"collections": [*listed, *({"collection": n, "is_searched": False} for n in others)]}
    )


def _with_parts(value: Json) -> Called:
    return Called(msgspec.json.encode(value).decode(), value)


TOOLS = {
    "search": Tool(
        "Search the collection",
        "Find documents. Each result has an id for `read`, its address, title, date and a snippet.",
        SearchArguments,
        _search,
    ),
    "read": Tool(
        "Read a document",
        "The main text of a document as markdown, by the id of a result or by its URL. Long ones"
        f" come in parts of {MAX_CHARACTERS:,} characters.",
        ReadArguments,
        _read,
    ),
    "explain_url": Tool(
        "What became of a URL",
        "Whether a URL was found, fetched and indexed, and why or why not: how it was reached,"
        " what the server answered, what robots.txt says.",
        UrlArguments,
        _explain,
    ),
    "collections": Tool(
        "What there is",
        "The collection that is searched, how large it is and how its crawl stands, and the names"
        " of others beside it.",
        NoArguments,
        _collections,
    ),
}


class Tools:
    """The tools over a collection."""

    names = tuple(TOOLS)

    def __init__(self, sources: Callable[[], Sources]) -> None:
        self._sources = sources

    def described(self) -> list[Json]:
        """What a client is told of each tool, always in the same order."""
        return [_description(name, tool) for name, tool in TOOLS.items()]

    def call(self, name: str, arguments: Json) -> Called:
        """Call a tool; what a model can mend is a result, too."""
        tool = TOOLS[name]
        try:
            asked = msgspec.convert(arguments, tool.arguments)
            return tool.call(self._sources(), asked)
        except (msgspec.ValidationError, GossamerError) as error:
            return Called(str(error), is_error=True)


def _description(name: str, tool: Tool) -> Json:
    _, schemas = msgspec.json.schema_components([tool.arguments])
    schema = {k: v for k, v in schemas[tool.arguments.__name__].items() if k != "title"}
    return {
        "name": name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": {**schema, "description": tool.description},
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    }
