"""The endpoints of the API: each makes content from a request, with no framework and no socket."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, Unpack

import msgspec

from gossamer.core.bot_auth import DIRECTORY_TYPE, NONCE_BYTES
from gossamer.core.errors import QueryError
from gossamer.core.search.fields import RELEVANCE
from gossamer.core.search.result_table import ALL
from gossamer.entrypoints.api import admin, parameters
from gossamer.entrypoints.api.answers import (
    JSON,
    NO_STORE,
    REVALIDATE,
    SEARCH_CACHE,
    STATIC_CACHE,
    Content,
    NotFound,
    Request,
    tag_of,
    to_json,
)
from gossamer.entrypoints.api.reply import is_admin
from gossamer.entrypoints.api.views.feed import OPENSEARCH, RSS, to_opensearch, to_rss
from gossamer.entrypoints.api.views.markdown import MARKDOWN, prefers_markdown, to_markdown
from gossamer.entrypoints.api.views.plain_page import Narrowed, to_page
from gossamer.entrypoints.api.views.suggestions import SUGGESTIONS, to_suggestions
from gossamer.entrypoints.tables.formats import table_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.bot_auth import Signer
    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import (
        CollectionStats,
        DocumentView,
        How,
        SearchResponse,
        SuggestResponse,
    )
    from gossamer.entrypoints.api.views.stored_copy import PageCopy, Versions
    from gossamer.entrypoints.cli.explain_url import Biography

WIDGET = "widget.js"
SCRIPTS = (
    "address.js", "app.js", "ask.js", "crawl.js", "dom.js", "facets.js", "filters.js", "instant.js",
    "results.js", "suggest.js", "table.js", WIDGET, "why.js",
)  # fmt: skip
STATIC = {
    **dict.fromkeys(("app.css", "docs.css"), "text/css; charset=utf-8"),
    **dict.fromkeys(SCRIPTS, "text/javascript; charset=utf-8"),
    "favicon.svg": "image/svg+xml",
}
HTML = "text/html; charset=utf-8"
# The search box is a script for the pages of others. It says nothing of what was crawled; whose
# pages may read that is decided where answers are sent (access.py).
FOR_ALL_PAGES = (
    ("Access-Control-Allow-Origin", "*"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
)


class Jobs(msgspec.Struct, frozen=True):
    """All jobs of a collection."""

    jobs: list[admin.JobView]


class Health(msgspec.Struct, frozen=True):
    """The collection can be opened."""

    status: str


class SearchService(Protocol):
    """Search over one collection. Raises QueryError for a query it cannot read."""

    def search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        """A page of results."""

    def suggest(self, typed: str, limit: int) -> SuggestResponse:
        """Completions of what was typed."""

    def clicked(self, query: str) -> bool:
        """A result of a query was opened; False if that is not counted here."""

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""

    def copy(self, id: DocumentId, at: int = 0) -> PageCopy | None:
        """The page of a document that can be found, as it was fetched last, or then, if kept."""

    def versions(self, id: DocumentId) -> Versions:
        """The earlier versions of the page of a document that can be found."""

    def explain(self, url: str) -> Biography:
        """What became of a URL."""

    def collections(self) -> list[str]:
        """The names of all collections where this one is."""

    def stats(self) -> CollectionStats:
        """How large the collection is."""


def no_administration() -> tuple[admin.Gate, admin.Administration]:
    """Refuse: on one machine there is no key that could be shown."""
    raise admin.Denied(403, "on one machine a crawl is steered with `gossamer`, not over HTTP")


@dataclass(frozen=True, slots=True)
class Backend:
    """What the endpoints answer from. Both are opened by the first request that needs them."""

    search: Callable[[], SearchService]
    administration: Callable[[], tuple[admin.Gate, admin.Administration]] = no_administration
    signer: Callable[[], Signer | None] = lambda: None


def search(backend: Backend, request: Request) -> Content:
    """A page of results."""
    is_admin.set(_shows_key(backend, request))
    asked = parameters.read_search(request.query)
    if asked.format in parameters.TABLES:
        return _table(backend, asked)
    response = _searched(backend, asked)
    return Content(to_json(response), cache=_cache(response), tag=_tag(response))


def _table(backend: Backend, asked: parameters.SearchParameters) -> Content:
    """Results as a file: a row for each."""
    fields = asked.fields or ALL
    response = _searched(backend, msgspec.structs.replace(asked, fields=fields))
    body = "".join(table_lines(response.hits, _names(fields), asked.format))
    kind = f"{parameters.TABLES[asked.format]}; charset=utf-8"
    named = (("Content-Disposition", f'attachment; filename="results.{asked.format}"'),)
    return Content(body, kind, _cache(response), tag_of(body.encode()), named)


def _shows_key(backend: Backend, request: Request) -> bool:
    """Whether a query may cost more: if it shows the admin key; anybody may ask without."""
    if "authorization" in request.headers:
        with suppress(admin.Denied):
            _admitted(backend, request)
            return True
    return False


def _cache(response: SearchResponse) -> str:
    """A partial answer may be whole the next time."""
    return NO_STORE if response.partial else SEARCH_CACHE


def _searched(backend: Backend, asked: parameters.SearchParameters) -> SearchResponse:
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
    )


def _tag(response: SearchResponse) -> str:
    """The same results are the same answer, however long they took."""
    return tag_of(msgspec.json.encode(msgspec.structs.replace(response, took_ms=0.0)))


def feed(backend: Backend, request: Request) -> Content:
    """A page of results as RSS."""
    asked = parameters.read_search(request.query, parameters.FEED)
    sort = "" if asked.sort == RELEVANCE else asked.sort
    response = _searched(backend, asked)
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
        response = _searched(backend, asked) if asked.q.strip() else None
    except (parameters.BadParameter, QueryError) as error:
        return Content(to_page(query, None, error.message), HTML, status=400)
    sort = "" if asked.sort == RELEVANCE else asked.sort
    narrowed = Narrowed(asked.similar, tuple(asked.filter), sort)
    body = to_page(asked.q, response, narrowed=narrowed)
    cache = _cache(response) if response else SEARCH_CACHE
    return Content(body, HTML, cache, tag_of(body.encode()))


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between, each once."""
    return tuple(dict.fromkeys(filter(None, text.split(","))))


def document(backend: Backend, request: Request) -> Content:
    """One document, as JSON or as markdown."""
    parameters.read((), request.query)
    name = request.args["id"]
    found = _found(backend, name.removesuffix(".md"))
    vary = () if name.endswith(".md") else (("Vary", "Accept"),)
    if not vary or prefers_markdown(request.headers.get("accept", "")):
        body, kind = to_markdown(found), f"{MARKDOWN}; charset=utf-8"
    else:
        body, kind = to_json(found), JSON
    return Content(body, kind, SEARCH_CACHE, tag_of(body.encode()), vary)


def _found(backend: Backend, name: str) -> DocumentView:
    id = parameters.read_document_id(name)
    found = backend.search().document(id)
    if found is None:
        raise NotFound(f"there is no document {id.hex()}")
    return found


def cached(backend: Backend, request: Request) -> Content:
    """The page of a document as it was fetched, without anything that could run or load.

    It names earlier versions where the archive has some.
    """
    from gossamer.entrypoints.api.views.page_changes import to_changes
    from gossamer.entrypoints.api.views.stored_copy import NotShown, missing, policy, to_html

    at, since = parameters.read_versions(request.query)
    id = parameters.read_document_id(request.args["id"])
    service = backend.search()
    headers = (("Content-Security-Policy", policy()), ("X-Robots-Tag", "noindex"))
    try:
        found = _copy(service, id, at)
        if since:
            body = to_changes(_copy(service, id, since), found)
        else:
            body = to_html(found, service.versions(id)._replace(shown=at))
    except NotShown as error:
        # The reader has followed a link: a page says why.
        page = missing(str(error), service.document(id))
        return Content(page, HTML, headers=headers, status=404)
    return Content(body, HTML, SEARCH_CACHE, tag_of(body.encode()), headers)


def _copy(service: SearchService, id: DocumentId, at: int) -> PageCopy | None:
    from gossamer.entrypoints.api.views.stored_copy import NotShown

    found = service.copy(id, at)
    if found is None and at:
        raise NotShown("no version that was fetched then was found in the archive")
    return found


def stats(backend: Backend, request: Request) -> Content:
    """How large the collection is, and how its crawl stands."""
    parameters.read((), request.query)
    return Content(to_json(backend.search().stats()))


def health(backend: Backend, request: Request) -> Content:
    """Whether the collection can be opened."""
    parameters.read((), request.query)
    backend.search()
    return Content(to_json(Health("ok")))


def keys(backend: Backend, request: Request) -> Content:
    """The public key of what signs the crawler's requests, proved to be served by its holder."""
    parameters.read((), request.query)
    signer = backend.signer()
    if signer is None:
        raise NotFound("the requests of this crawler are not signed")
    authority = signer.agent.removeprefix("https://")
    proof = signer.directory_headers(authority, time.time(), os.urandom(NONCE_BYTES))
    body = signer.directory().decode()
    return Content(body, DIRECTORY_TYPE, STATIC_CACHE, headers=tuple(proof.items()))


def openapi(_backend: Backend, request: Request) -> Content:
    """All routes with their parameters, answers and examples, as OpenAPI 3.1."""
    parameters.read((), request.query)
    body = _description()
    return Content(body, cache=STATIC_CACHE, tag=tag_of(body.encode()))


def docs(_backend: Backend, request: Request) -> Content:
    """The same as a page, with examples for curl, Python and JavaScript."""
    parameters.read((), request.query)
    body = _reference(request.base)
    return Content(body, HTML, STATIC_CACHE, tag_of(body.encode()))


def home(_backend: Backend, _request: Request) -> Content:
    """The search page. Its parameters are read by its script."""
    body, tag = _file("index.html")
    return Content(body, HTML, REVALIDATE, tag)


def static(_backend: Backend, request: Request) -> Content:
    """What the search page is made of."""
    name = request.args["name"]
    if name not in STATIC:
        raise NotFound("there is no such file")
    body, tag = _file(name)
    return Content(body, STATIC[name], STATIC_CACHE, tag, FOR_ALL_PAGES if name == WIDGET else ())


def mcp(backend: Backend, request: Request) -> Content:
    """The Model Context Protocol: one message, one answer, no session."""
    from gossamer.entrypoints.mcp.protocol import handle
    from gossamer.entrypoints.mcp.tools import Tools

    reply = handle(request.body, Tools(backend.search), request.headers)
    body = "" if reply.body is None else msgspec.json.encode(reply.body).decode()
    return Content(body, status=reply.status)


# ── for admins ────────────────────────────────────────────────────────────────────────────────────


def _admitted(backend: Backend, request: Request) -> admin.Administration:
    """What an admin may ask for, if the request shows the key."""
    gate, administration = backend.administration()
    gate.admit(request.headers, request.client)
    return administration


def seeds(backend: Backend, request: Request) -> Content:
    """Give a job more URLs."""
    return Content(to_json(_admitted(backend, request).seed(*admin.read_seeds(request.body))))


def jobs(backend: Backend, request: Request) -> Content:
    """All jobs."""
    return Content(to_json(Jobs(_admitted(backend, request).jobs())))


def job(backend: Backend, request: Request) -> Content:
    """One job."""
    name, views = request.args["job"], _admitted(backend, request).jobs()
    found = next((view for view in views if view.job == name), None)
    if found is None:
        raise NotFound(f"there is no job {name!r}")
    return Content(to_json(found))


def steer(backend: Backend, request: Request) -> Content:
    """Pause, resume or stop a job."""
    administration = _admitted(backend, request)
    if request.args["action"] not in admin.ACTIONS:
        raise NotFound("a job can be paused, resumed and stopped")
    found = administration.steer(request.args["job"], request.args["action"])
    if found is None:
        raise NotFound(f"there is no job {request.args['job']!r}")
    return Content(to_json(found))


@cache
def _file(name: str) -> tuple[str, str]:
    body = files("gossamer").joinpath("web", name).read_text(encoding="utf-8")
    return body, tag_of(body.encode())


@cache
def _description() -> str:
    from gossamer.entrypoints.api.openapi import description

    return msgspec.json.encode(description()).decode()


@lru_cache(maxsize=8)  # a server has few names; a client may send any
def _reference(base: str) -> str:
    from gossamer.entrypoints.api.openapi import ALWAYS, description
    from gossamer.entrypoints.api.views.api_reference import to_reference

    return to_reference(description(), base, ALWAYS)
