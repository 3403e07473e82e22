"""The routing table of the API, and the Chalice app that is made from it.

Chalice takes the events of a REST API (API Gateway v1), which AWS sends in the cloud and the server
on one machine makes of ordinary requests. The description of the API is made from the same table.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from chalice.app import Chalice, Response

from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
from gossamer.entrypoints.api import answers, endpoints
from gossamer.entrypoints.api.admin import ACTIONS, JobView, SeedRequest
from gossamer.entrypoints.api.answers import JSON
from gossamer.entrypoints.api.parameters import DOCUMENT_ID, SEARCH, Parameter
from gossamer.entrypoints.seeding import SeedReport

if TYPE_CHECKING:
    from collections.abc import Callable

    import msgspec
    from chalice.app import Request

    from gossamer.entrypoints.api.endpoints import Backend
    from gossamer.entrypoints.api.gateway_event import App

    Endpoint = Callable[[Backend, answers.Request], answers.Content]

HTML = "text/html"
FILES = tuple(dict.fromkeys(kind.partition(";")[0] for kind in endpoints.STATIC.values()))
FILE = Parameter(
    "name", "choice", "A file of the page.", choices=tuple(endpoints.STATIC), required=True
)
JOB = Parameter("job", "text", "The name of a job.", maximum=100, required=True)
ACTION = Parameter("action", "choice", "What to do.", choices=tuple(ACTIONS), required=True)
NEEDS_KEY = (401, 403, 429)


class Route(NamedTuple):
    """An address: who answers there, with what, and how that can fail."""

    path: str
    endpoint: Endpoint
    summary: str
    result: type[msgspec.Struct] | tuple[str, ...]  # a struct as JSON, or media types
    statuses: tuple[int, ...] = ()  # besides 200 and what can happen everywhere
    parameters: tuple[Parameter, ...] = ()  # of the path if it names them, else of the query
    is_posted: bool = False
    body: type[msgspec.Struct] | None = None
    for_admins: bool = False

    @property
    def methods(self) -> tuple[str, ...]:
        """What steers a crawl is posted, everything else is read."""
        return answers.WRITES if self.is_posted else answers.METHODS


def _steering(path: str, endpoint: Endpoint, summary: str, result: type[msgspec.Struct]) -> Route:
    statuses = (400, *NEEDS_KEY, 404, 415)
    return Route(path, endpoint, summary, result, statuses, is_posted=True, for_admins=True)


ROUTES = (
    Route("/", endpoints.home, "The search page", (HTML,), (304,)),
    Route("/search", endpoints.search, "Search", SearchResponse, (304, 400), SEARCH),
    Route(
        "/documents/{id}", endpoints.document, "A document", DocumentView, (304, 400, 404),
        (DOCUMENT_ID,),
    ),
    Route("/stats", endpoints.stats, "The collection and its crawl", CollectionStats, (400,)),
    Route("/health", endpoints.health, "Is it alive?", endpoints.Health, (400,)),
    Route("/openapi.json", endpoints.openapi, "This document", (JSON,), (304, 400)),
    Route("/static/{name}", endpoints.static, "A file of the page", FILES, (304, 404), (FILE,)),
    _steering("/seeds", endpoints.seeds, "Give a job more URLs", SeedReport)._replace(
        body=SeedRequest
    ),
    Route("/jobs", endpoints.jobs, "All jobs", endpoints.Jobs, NEEDS_KEY, for_admins=True),
    Route(
        "/jobs/{job}", endpoints.job, "A job", JobView, (*NEEDS_KEY, 404), (JOB,), for_admins=True
    ),
    _steering(
        "/jobs/{job}/{action}", endpoints.steer, "Pause, resume or stop a job", JobView
    )._replace(parameters=(JOB, ACTION)),
)  # fmt: skip

# `app.current_request` is one attribute for all threads: a second request would replace it between
# the routing and the reading of the first. The middleware is handed the request of its own call,
# so the views read it from here.
_current: ContextVar[Request] = ContextVar("request")


def make_app(backend: Backend) -> App:
    """The API over a backend."""
    # An empty environment: Chalice would write its own name into the process's.
    app = Chalice("gossamer", configure_logs=False, env={})
    for route in ROUTES:
        types = [JSON] if route.is_posted else []
        register = app.route(route.path, methods=list(route.methods), content_types=types)
        register(_view(route, backend))
    app.middleware("http")(_with_request)
    return cast("App", app)


def _view(route: Route, backend: Backend) -> Callable[..., Response]:
    def view(**args: str) -> Response:
        return _respond(route, backend, args)

    return view


def _with_request(request: Request, get_response: Callable[[Request], Response]) -> Response:
    """Keep the request for the view, and replace Chalice's own error bodies by ours."""
    _current.set(request)
    response = get_response(request)
    if "Content-Security-Policy" in response.headers:
        return response
    allow = str(response.headers.get("Allow", ""))
    return _response(answers.refusal(response.status_code, allow=allow))


def _respond(route: Route, backend: Backend, args: dict[str, str]) -> Response:
    asked = _current.get()
    event = asked.to_original_event()
    client = event["requestContext"].get("identity", {}).get("sourceIp", "")
    query = event["multiValueQueryStringParameters"] or {}
    raw: bytes | str = asked.raw_body
    body = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    request = answers.Request(asked.method, query, asked.headers, args, body, client)
    return _response(answers.answer(partial(route.endpoint, backend), request, route.methods))


def _response(answer: answers.Answer) -> Response:
    return Response(answer.body, dict(answer.headers), answer.status)
