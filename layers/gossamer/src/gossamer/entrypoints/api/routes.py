"""Which address leads to which endpoint?

Chalice is the router: it takes the events of a REST API (API Gateway v1), which AWS sends in the
cloud and `serve` makes of ordinary requests on one machine.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from chalice.app import Chalice, Response

from gossamer.entrypoints.api import endpoints

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalice.app import Request

# An empty environment: Chalice would write its own name into the process's.
app = Chalice("gossamer", configure_logs=False, env={})

ANY: dict[str, Any] = {"methods": list(endpoints.METHODS), "content_types": []}
POSTED: dict[str, Any] = {"methods": list(endpoints.WRITES), "content_types": ["application/json"]}

# `app.current_request` is one attribute for all threads: a second request would replace it between
# the routing and the reading of the first. The middleware is handed the request of its own call,
# so the views read it from here.
_current: ContextVar[Request] = ContextVar("request")


@app.route("/", **ANY)
def home() -> Response:
    """The search page."""
    return _respond(endpoints.home)


@app.route("/search", **ANY)
def search() -> Response:
    """A page of results."""
    return _respond(endpoints.search)


@app.route("/documents/{id}", **ANY)
def document(id: str) -> Response:
    """One document."""
    return _respond(endpoints.document, id=id)


@app.route("/stats", **ANY)
def stats() -> Response:
    """The collection and its crawl."""
    return _respond(endpoints.stats)


@app.route("/health", **ANY)
def health() -> Response:
    """Is it alive?"""
    return _respond(endpoints.health)


@app.route("/openapi.json", **ANY)
def openapi() -> Response:
    """This API, described."""
    return _respond(endpoints.openapi)


@app.route("/static/{name}", **ANY)
def static(name: str) -> Response:
    """A file of the page."""
    return _respond(endpoints.static, name=name)


@app.route("/seeds", **POSTED)
def seeds() -> Response:
    """Give a job more URLs."""
    return _respond(endpoints.seeds)


@app.route("/jobs", **ANY)
def jobs() -> Response:
    """All jobs."""
    return _respond(endpoints.jobs)


@app.route("/jobs/{job}", **ANY)
def job(job: str) -> Response:
    """One job."""
    return _respond(endpoints.job, job=job)


@app.route("/jobs/{job}/{action}", **POSTED)
def steer(job: str, action: str) -> Response:
    """Pause, resume or stop a job."""
    return _respond(endpoints.steer, job=job, action=action)


@app.middleware("http")
def rewrite_errors(request: Request, get_response: Callable[[Request], Response]) -> Response:
    """Keep the request for the view, and say Chalice's own refusals the way we say ours."""
    _current.set(request)
    response = get_response(request)
    if "Content-Security-Policy" in response.headers:
        return response
    return _response(endpoints.refusal(response.status_code))


def _respond(endpoint: endpoints.Endpoint, **args: str) -> Response:
    asked = _current.get()
    event = asked.to_original_event()
    client = event["requestContext"].get("identity", {}).get("sourceIp", "")
    query = event["multiValueQueryStringParameters"] or {}
    raw: bytes | str = asked.raw_body
    body = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    request = endpoints.Request(asked.method, query, asked.headers, args, body, client)
    return _response(endpoints.answer(endpoint, request))


def _response(answer: endpoints.Answer) -> Response:
    return Response(answer.body, dict(answer.headers), answer.status)
