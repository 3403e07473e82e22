"""Results and completions, for programs, feed readers and browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.errors import QueryError
from gossamer.core.search.fields import RELEVANCE
from gossamer.core.search.result_table import ALL
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.admin import BadBody
from gossamer.entrypoints.api.answers import (
    NO_CACHE,
    NO_STORE,
    SEARCH_CACHE,
    STATIC_CACHE,
    Content,
    Request,
    tag_of,
    to_json,
)
from gossamer.entrypoints.api.reply import is_admin
from gossamer.entrypoints.api.views.feed import OPENSEARCH, RSS, to_opensearch, to_rss
from gossamer.entrypoints.api.views.narrowing import Narrowed
from gossamer.entrypoints.api.views.plain_page import to_page
from gossamer.entrypoints.api.views.suggestions import SUGGESTIONS, to_suggestions
from gossamer.entrypoints.tables.formats import table_lines

if TYPE_CHECKING:
    from gossamer.core.search.result import SearchResponse
    from gossamer.entrypoints.api.backend import Backend

HTML = "text/html; charset=utf-8"


def search(backend: Backend, request: Request) -> Content:
    """A page of results."""
    is_admin.set(backend.shows_key(request))
    asked = parameters.read_search(request.query)
    if asked.format in parameters.TABLES:
        return _table(backend, asked)
    response = _searched(backend, asked)
    return Content(to_json(response), cache=_cache(response), tag=_tag(response))


def search_long(backend: Backend, request: Request) -> Content:
    """A page of results for a query that is too long for an address."""
    is_admin.set(backend.shows_key(request))
    try:
        raw = request.body.encode(errors="replace")
        body = msgspec.json.decode(raw, type=parameters.SearchBody)
    except msgspec.DecodeError as error:
        raise BadBody(str(error)) from error
    response = _searched(backend, parameters.read_long_search(body))
    return Content(to_json(response), cache=NO_STORE)


def _table(backend: Backend, asked: parameters.SearchParameters) -> Content:
    """Results as a file: a row for each."""
    fields = asked.fields or ALL
    response = _searched(backend, msgspec.structs.replace(asked, fields=fields), fill=False)
    body = "".join(table_lines(response.hits, _names(fields), asked.format))
    kind = f"{parameters.TABLES[asked.format]}; charset=utf-8"
    named = (("Content-Disposition", f'attachment; filename="results.{asked.format}"'),)
    return Content(body, kind, _cache(response), tag_of(body.encode()), named)


def _cache(response: SearchResponse) -> str:
    """A partial answer may be whole the next time; where queries are logged, each is counted."""
    if response.partial:
        return NO_STORE
    return NO_CACHE if response.logged else SEARCH_CACHE


def _searched(
    backend: Backend, asked: parameters.SearchParameters, *, fill: bool = True
) -> SearchResponse:
    """Search; without `fill` nothing is there but what matches: rows and items have no line."""
    return backend.search().search(
        asked.q,
        page=asked.page,
        limit=asked.limit,
        explain=asked.explain,
        profile=asked.profile or "",
        similar=asked.similar,
        like=asked.like or "",
        exact_total=asked.exact_total,
        filters=asked.filter,
        facets=_names(asked.facets),
        sort=asked.sort,
        fields=_names(asked.fields),
        correct=asked.correct,
        strict=asked.strict,
        fill=fill,
    )


def _tag(response: SearchResponse) -> str:
    """The same results are the same answer, however long they took."""
    return tag_of(msgspec.json.encode(msgspec.structs.replace(response, took_ms=0.0)))


def feed(backend: Backend, request: Request) -> Content:
    """A page of results as RSS."""
    asked = parameters.read_search(request.query, parameters.FEED)
    sort = "" if asked.sort == RELEVANCE else asked.sort
    response = _searched(backend, asked, fill=False)
    body = to_rss(response, request.base, sort, asked.filter)
    return Content(body, f"{RSS}; charset=utf-8", _cache(response), tag_of(body.encode()))


def suggest(backend: Backend, request: Request) -> Content:
    """Completions of what was typed so far, as browsers read them (OpenSearch suggestions).

    An array of four: what was typed, the completions, what each of them is, and for each an
    address: the page that is called so, else a search for it.
    """
    typed, limit = parameters.read_suggest(request.query)
    found = backend.search().suggest(typed, limit)
    body = to_suggestions(found, request.base)
    cache = NO_STORE if found.partial else SEARCH_CACHE
    return Content(body, SUGGESTIONS, cache, tag_of(body.encode()))


def opensearch(_backend: Backend, request: Request) -> Content:
    """How a browser asks here."""
    parameters.read((), request.query)
    body = to_opensearch(request.base)
    return Content(body, f"{OPENSEARCH}; charset=utf-8", STATIC_CACHE, tag_of(body.encode()))


def plain(backend: Backend, request: Request) -> Content:
    """A page of results as HTML; what is wrong with a query is said there, too."""
    query = request.query.get("q", [""])[0]
    try:
        asked = parameters.read_search(request.query, parameters.PLAIN)
        asked = msgspec.structs.replace(asked, fields=ALL)  # results show what they declare
        response = _searched(backend, asked) if asked.q.strip() else None
    except (parameters.BadParameter, QueryError) as error:
        return Content(to_page(query, None, error.message), HTML, status=400)
    sort = "" if asked.sort == RELEVANCE else asked.sort
    narrowed = Narrowed(asked.similar, tuple(asked.filter), sort, asked.facets, asked.correct)
    body = to_page(asked.q, response, narrowed=narrowed)
    cache = _cache(response) if response else SEARCH_CACHE
    return Content(body, HTML, cache, tag_of(body.encode()))


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between, each once."""
    return tuple(dict.fromkeys(filter(None, text.split(","))))
