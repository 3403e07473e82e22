"""The routing table of the API, and the app that one machine serves from it.

An app takes the events of a REST API (API Gateway v1), which AWS sends in the cloud and the server
on one machine makes of ordinary requests. In the cloud Chalice routes by the same table
(lambdas/chalice_app.py), and the description of the API is made from it.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.core.bot_auth import DIRECTORY_PATH, DIRECTORY_TYPE
from gossamer.core.crawl.job import DEFAULT_JOB
from gossamer.core.page.read_response import PICTURE_TYPES
from gossamer.core.page.templates.template import Template
from gossamer.core.search.query_log import QueryReport
from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
from gossamer.entrypoints.api import answers
from gossamer.entrypoints.api.admin import ACTIONS, JobView, SeedRequest
from gossamer.entrypoints.api.answers import JSON
from gossamer.entrypoints.api.endpoints import (
    collection,
    documents,
    jobs,
    mcp,
    pages,
    queries,
    search,
    settings,
    synonyms,
    templates,
)
from gossamer.entrypoints.api.parameters import (
    DOCUMENT_ID,
    DOCUMENT_NAME,
    FEED,
    PLAIN,
    SEARCH,
    SUGGEST,
    TABLES,
    VERSIONS,
    Parameter,
    SearchBody,
)
from gossamer.entrypoints.api.views.feed import OPENSEARCH, RSS
from gossamer.entrypoints.api.views.markdown import MARKDOWN
from gossamer.entrypoints.api.views.suggestions import SUGGESTIONS
from gossamer.entrypoints.collection.settings import Stored
from gossamer.entrypoints.collection.synonyms import StoredSynonyms
from gossamer.entrypoints.collection.templates import Kept
from gossamer.entrypoints.mcp.protocol import Message
from gossamer.entrypoints.seeding import SeedReport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import msgspec

    from gossamer.entrypoints.api.backend import Backend
    from gossamer.entrypoints.api.gateway_event import App, Said

    Event = dict[str, Any]

    Endpoint = Callable[[Backend, answers.Request], answers.Content]

HTML = "text/html"
ANY = "*/*"
FILES = tuple(dict.fromkeys(kind.partition(";")[0] for kind in pages.STATIC.values()))
FILE = Parameter(
    "name", "choice", "A file of the page.", choices=tuple(pages.STATIC), required=True,
    example=pages.WIDGET,
)  # fmt: skip
JOB = Parameter(
    "job", "text", "The name of a job.", maximum=100, required=True, example=DEFAULT_JOB
)
ACTION = Parameter(
    "action", "choice", "What to do.", choices=tuple(ACTIONS), required=True, example="pause"
)
NEEDS_KEY = (401, 403, 429)
# They read no index: the page, its description and files, and what programs check.
FREE_PATHS = frozenset(
    ("/", "/docs", "/health", "/openapi.json", "/opensearch.xml", "/static/{name}", DIRECTORY_PATH)
)


class Route(NamedTuple):
    """An address: who answers there, with what, and how that can fail."""

    path: str
    endpoint: Endpoint
    summary: str
    result: type[msgspec.Struct] | tuple[str, ...]  # a struct as JSON, or media types
    statuses: tuple[int, ...] = ()  # besides 200 and what can happen everywhere
    parameters: tuple[Parameter, ...] = ()  # of the path if it names them, else of the query
    method: str = "GET"  # HEAD besides, if that is what it is
    takes: tuple[str, ...] = ()  # media types of the body
    body: type[msgspec.Struct] | None = None  # of the body in JSON, if that is a struct
    example: Mapping[str, object] | str | None = None  # of the body, in the first of its types
    for_admins: bool = False
    also: tuple[str, ...] = ()  # media types besides the result
    refuses_in: tuple[str, ...] = ()  # media types of a 400 or 404 other than ErrorBody

    @property
    def operation(self) -> str:
        """Its name, for clients that are generated from the description."""
        return self.endpoint.__name__

    @property
    def costs_search(self) -> bool:
        """Whether it counts against the budget for searches, which a stack may have spent."""
        return not self.for_admins and self.path not in FREE_PATHS

    def ask(self, backend: Backend, request: answers.Request) -> answers.Content:
        """Ask the endpoint."""
        return self.endpoint(backend, request)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it answers, besides OPTIONS."""
        return answers.READS if self.method == "GET" else (self.method,)

    @property
    def is_conditional(self) -> bool:
        """Whether a request must say which version it replaces."""
        return 428 in self.statuses


def _steering(path: str, endpoint: Endpoint, summary: str, result: type[msgspec.Struct]) -> Route:
    statuses = (400, *NEEDS_KEY, 404, 409, 415)
    return Route(
        path, endpoint, summary, result, statuses, method="POST", takes=(JSON,), for_admins=True
    )


def _owning(
    method: str,
    path: str,
    endpoint: Endpoint,
    summary: str,
    result: type[msgspec.Struct],
    *takes: str,
) -> Route:
    """A change of the collection, for one version of it."""
    statuses = (400, *NEEDS_KEY, 409, 412, *([415] if takes else []), 428)
    return Route(
        path, endpoint, summary, result, statuses, method=method, takes=takes, for_admins=True
    )


ROUTES = (
    Route("/", pages.home, "The search page", (HTML,), (304,)),
    Route(
        "/search", search.search, "Search", SearchResponse, (304, 400), SEARCH,
        also=tuple(TABLES.values()),
    ),
    Route(
        "/search", search.search_long, "Search for a long text", SearchResponse, (400, 415),
        method="POST", takes=(JSON,), body=SearchBody, example={"q": "spider silk"},
    ),
    Route(
        "/suggest", search.suggest, "Completions of what was typed", (SUGGESTIONS,), (304, 400),
        SUGGEST,
    ),
    Route("/search.rss", search.feed, "Search, as RSS", (RSS,), (304, 400), FEED),
    Route(
        "/html", search.plain, "Search without JavaScript", (HTML,), (304, 400), PLAIN,
        refuses_in=(HTML,),
    ),
    Route(
        "/opensearch.xml", search.opensearch, "How a browser asks here", (OPENSEARCH,),
        (304, 400),
    ),
    Route(
        "/documents/{id}", documents.document, "A document", DocumentView, (304, 400, 404),
        (DOCUMENT_NAME,), also=(MARKDOWN,),
    ),
    Route(
        "/documents/{id}/cached", documents.cached, "The stored copy of its page", (HTML,),
        (304, 400, 404), (DOCUMENT_ID, *VERSIONS), refuses_in=(HTML, JSON),
    ),
    Route(
        "/documents/{id}/picture", documents.picture, "The stored picture of it", PICTURE_TYPES,
        (304, 400, 404), (DOCUMENT_ID,),
    ),
    Route(
        "/mcp", mcp.mcp, "The Model Context Protocol: tools for language models", (JSON,),
        (202, 400, 403, 404, 415), method="POST", takes=(JSON,), body=Message, refuses_in=(JSON,),
        example={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ),
    Route("/stats", collection.stats, "The collection and its crawl", CollectionStats, (400,)),
    Route("/health", collection.health, "Is it alive?", collection.Health, (400,)),
    Route("/openapi.json", pages.openapi, "The API, for programs", (JSON,), (304, 400)),
    Route("/docs", pages.docs, "The API, for people", (HTML,), (304, 400)),
    Route(
        DIRECTORY_PATH, collection.keys, "The key that signs the crawler's requests",
        (DIRECTORY_TYPE,), (400, 404),
    ),
    Route("/static/{name}", pages.static, "A file of the page", FILES, (304, 404), (FILE,)),
    _steering("/seeds", jobs.seeds, "Give a job more URLs", SeedReport)._replace(
        body=SeedRequest, example={"urls": ["https://www.example.org/"], "job": DEFAULT_JOB}
    ),
    Route(
        "/clicks", queries.clicks, "A result was opened", queries.Counted, (400, 403, 404, 415),
        method="POST", takes=(JSON,), body=queries.Click, example={"q": "spider silk"},
    ),
    Route(
        "/queries", queries.queries, "What people ask", QueryReport, (400, *NEEDS_KEY),
        queries.QUERIES, for_admins=True,
    ),
    Route(
        "/settings", settings.settings, "The settings of the collection", settings.SettingsView,
        (304, 400, *NEEDS_KEY), for_admins=True, also=(settings.TOML,),
    ),
    _owning(
        "PUT", "/settings", settings.replace_settings, "Replace the settings", Stored,
        JSON, settings.TOML,
    )._replace(parameters=settings.PREVIEW, example={"profile": "bm25"}),
    _owning(
        "PATCH", "/settings", settings.change_settings, "Change some settings", Stored, JSON
    )._replace(parameters=settings.PREVIEW, example={"bm25": {"rank": 0.5}}),
    Route(
        "/synonyms", synonyms.synonyms, "The list of synonyms", (synonyms.TEXT,),
        (304, 400, *NEEDS_KEY), for_admins=True,
    ),
    _owning(
        "PUT", "/synonyms", synonyms.replace_synonyms, "Replace the synonyms", StoredSynonyms,
        synonyms.TEXT,
    )._replace(example="car, automobile\ntv => television\n"),
    _owning(
        "DELETE", "/synonyms", synonyms.remove_synonyms, "Remove the synonyms", StoredSynonyms
    ),
    Route(
        "/templates", templates.templates, "All templates", templates.TemplateList,
        (400, *NEEDS_KEY), for_admins=True,
    ),
    Route(
        "/templates/{name}", templates.template, "A template", Template,
        (304, 400, *NEEDS_KEY, 404), (templates.NAME,), for_admins=True, also=(settings.TOML,),
    ),
    _owning(
        "PUT", "/templates/{name}", templates.put_template, "Add or replace a template", Kept,
        JSON, settings.TOML,
    )._replace(
        parameters=(templates.NAME,),
        example={
            "match": ["https://shop.example/p/*"],
            "fields": {"price": {"select": ".price", "type": "money", "sort": True}},
        },
    ),
    _owning(
        "DELETE", "/templates/{name}", templates.remove_template, "Remove a template", Kept
    )._replace(parameters=(templates.NAME,), statuses=(400, *NEEDS_KEY, 404, 409, 412, 428)),
    Route("/jobs", jobs.jobs, "All jobs", jobs.Jobs, NEEDS_KEY, for_admins=True),
    Route(
        "/jobs/{job}", jobs.job, "A job", JobView, (*NEEDS_KEY, 404), (JOB,), for_admins=True
    ),
    _steering(
        "/jobs/{job}/{action}", jobs.steer, "Pause, resume or stop a job", JobView
    )._replace(parameters=(JOB, ACTION)),
)  # fmt: skip


def _by_path() -> dict[str, tuple[Route, ...]]:
    """The routes of each address, which differ by their methods."""
    found: dict[str, tuple[Route, ...]] = {}
    for route in ROUTES:
        found[route.path] = (*found.get(route.path, ()), route)
    return found


PATHS = _by_path()


def methods_at(path: str) -> tuple[str, ...]:
    """Which methods an address answers."""
    first, *others = (route.methods for route in PATHS[path])
    return (*first, "OPTIONS", *chain.from_iterable(others))


def make_app(backend: Backend) -> App:
    """The API over a backend, for the server on one machine."""
    return EmbeddedApp(backend)


class EmbeddedApp:
    """Leads the events of the server on one machine to their endpoints, from many threads."""

    routes = PATHS

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __call__(self, event: Event, context: object) -> Said:
        """Answer an event."""
        path, method = event["requestContext"]["resourcePath"], event["httpMethod"]
        headers = {name.lower(): value for name, value in event["headers"].items()}
        answer = self._answer(path, method, event, headers)
        return {"statusCode": answer.status, "headers": answer.headers, "body": answer.body}

    def _answer(
        self, path: str, method: str, event: Event, headers: Mapping[str, str]
    ) -> answers.Answer:
        """The answer of the route, or to what must not reach it: a body of another type."""
        allowed = methods_at(path)
        if method not in allowed:
            return answers.refusal(405, allow=", ".join(allowed))
        route = next((each for each in PATHS[path] if method in each.methods), PATHS[path][0])
        types = re.split(r"\s*[,;]\s*", headers.get("content-type", JSON).lower().strip())
        if route.takes and not {*route.takes, ANY} & {*types}:
            return answers.refusal(415)
        return respond(self._backend, route, event, headers, event["body"] or "")


def respond(
    backend: Backend, route: Route, event: Event, headers: Mapping[str, str], body: str
) -> answers.Answer:
    """Ask the endpoint of a route. Names of headers are found in lower case."""
    identity = event["requestContext"].get("identity", {})
    client, has_read_key = identity.get("sourceIp", ""), bool(identity.get("apiKeyId"))
    query = event["multiValueQueryStringParameters"] or {}
    args, base = event["pathParameters"] or {}, _base(event, headers)
    request = answers.Request(
        event["httpMethod"], query, headers, args, body, client, base, has_read_key=has_read_key
    )
    ask = _within_budget if route.costs_search else Route.ask
    return answers.answer(partial(ask, route, backend), request, methods_at(route.path))


def _within_budget(route: Route, backend: Backend, request: answers.Request) -> answers.Content:
    backend.check_budget(request)
    return route.ask(backend, request)


def _base(event: Event, headers: Mapping[str, str]) -> str:
    """Where the API is, as the client knows it: behind a gateway or a proxy, not as we do."""
    path = str(event.get("path", ""))
    whole = str(event["requestContext"].get("path") or path)
    stage = whole.removesuffix(path) if whole.endswith(path) else ""
    scheme = headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    return f"{scheme if scheme == 'https' else 'http'}://{headers.get('host', '')}{stage}/"
