"""The API as a Chalice app, which takes the events of API Gateway.

Chalice is a router of the cloud alone: with what it depends on it would be a large part of a wheel.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, cast

from chalice.app import Chalice, Response

from gossamer.entrypoints.api import answers
from gossamer.entrypoints.api.routes import PATHS, respond

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalice.app import Request

    from gossamer.entrypoints.api.backend import Backend
    from gossamer.entrypoints.api.gateway_event import App
    from gossamer.entrypoints.api.routes import Route

# `app.current_request` is one attribute for all threads: a second request would replace it between
# the routing and the reading of the first. The middleware is handed the request of its own call,
# so the views read it from here.
_current: ContextVar[Request] = ContextVar("request")


def make_app(backend: Backend) -> App:
    """The API over a backend, for API Gateway."""
    # An empty environment: Chalice would write its own name into the process's.
    app = Chalice("gossamer", configure_logs=False, env={})
    for path, routes in PATHS.items():
        for route in routes:
            own = (*route.methods, "OPTIONS") if route is routes[0] else route.methods
            register = app.route(path, methods=[*own], content_types=[*route.takes])
            register(_view(route, backend))
    app.middleware("http")(_with_request)
    return cast("App", app)


def _view(route: Route, backend: Backend) -> Callable[..., Response]:
    def view(**_args: str) -> Response:
        return _respond(route, backend)

    return view


def _with_request(request: Request, get_response: Callable[[Request], Response]) -> Response:
    """Keep the request for the view, and replace Chalice's own error bodies by ours."""
    _current.set(request)
    response = get_response(request)
    if "Content-Security-Policy" in response.headers:
        return response
    allow = str(response.headers.get("Allow", ""))
    return _response(answers.refusal(response.status_code, allow=allow))


def _respond(route: Route, backend: Backend) -> Response:
    asked = _current.get()
    raw: bytes | str = asked.raw_body
    body = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return _response(respond(backend, route, asked.to_original_event(), asked.headers, body))


def _response(answer: answers.Answer) -> Response:
    return Response(answer.body, dict(answer.headers), answer.status)
