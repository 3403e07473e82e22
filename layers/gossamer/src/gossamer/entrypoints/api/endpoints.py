"""How does the API answer? Requests in, answers out; no framework and no socket.

Every endpoint is a function from a request to content; `answer` wraps it in what all answers share:
errors as JSON, validators, caching, and the headers that keep a browser safe.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from gossamer.core.errors import GossamerError, QueryError, TransientError
from gossamer.entrypoints.api import admin, parameters
from gossamer.entrypoints.api.parameters import BadParameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.ports.search import SearchService

    Endpoint = Callable[["Request"], "Content"]

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "OPTIONS")
WRITES = ("POST", "OPTIONS")
JSON = "application/json"
NO_STORE = "no-store"
SEARCH_CACHE = "public, max-age=30"
STATIC_CACHE = "public, max-age=3600"
REVALIDATE = "no-cache"  # kept, but asked about each time

STATIC = {
    "app.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "ask.js": "text/javascript; charset=utf-8",
    "crawl.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "results.js": "text/javascript; charset=utf-8",
    "why.js": "text/javascript; charset=utf-8",
    "favicon.svg": "image/svg+xml",
}

SECURITY = {
    # Titles and snippets come from strangers: nothing inline runs, nothing foreign loads, and no
    # script may turn text into markup.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # the address of this page holds what somebody asked
    "Cross-Origin-Opener-Policy": "same-origin",
}
CORS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag"}
PREFLIGHT = {
    "Access-Control-Allow-Methods": ", ".join(METHODS),
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
    "Allow": ", ".join(METHODS),
}


class Fault(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What was wrong, and where."""

    code: str
    message: str
    position: int | None = None  # the character of the query, from 0
    field: str | None = None  # the parameter


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer that is not a success."""

    error: Fault


class Jobs(msgspec.Struct, frozen=True):
    """All jobs of a collection."""

    jobs: list[admin.JobView]


class Health(msgspec.Struct, frozen=True):
    """The collection can be opened."""

    status: str


@dataclass(frozen=True, slots=True)
class Request:
    """What an endpoint needs to know of a request. Header names are in lower case."""

    method: str = "GET"
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    args: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    client: str = ""  # the address that asks


class Content(NamedTuple):
    """What an endpoint has to say."""

    body: str
    type: str = JSON
    cache: str = NO_STORE
    tag: str = ""  # empty: not worth asking about again


class Answer(NamedTuple):
    """A whole HTTP answer."""

    status: int
    headers: dict[str, str]
    body: str


_replacement: SearchService | None = None


def use_service(service: SearchService | None) -> None:
    """Answer from this service; None goes back to the home's own."""
    global _replacement
    _replacement = service


def _service() -> SearchService:
    """Asked for on every request, in the thread that answers it, so a home may keep one each."""
    if _replacement is not None:
        return _replacement
    from gossamer.entrypoints.api.services import service

    return service()


def _admitted(request: Request) -> admin.Administration:
    """What an admin may ask for, if the request shows the key."""
    from gossamer.entrypoints.api.services import administration

    gate, asked = administration()
    gate.admit(request.headers, request.client)
    return asked


# ── the endpoints ─────────────────────────────────────────────────────────────────────────────────


def search(request: Request) -> Content:
    """A page of results."""
    asked = cast("dict[str, Any]", parameters.read(parameters.SEARCH, request.query))
    if asked["page"] * asked["limit"] > parameters.MAX_DEPTH:
        message = f"page × limit may not exceed {parameters.MAX_DEPTH:,}"
        raise BadParameter("invalid_parameter", message, "page")
    response = _service().search(
        asked["q"],
        page=asked["page"],
        limit=asked["limit"],
        explain=asked["explain"],
        profile=asked["profile"] or "",
        similar=asked["similar"],
    )
    # The same results are the same answer, however long they took.
    timeless = msgspec.json.encode(msgspec.structs.replace(response, took_ms=0.0))
    return Content(_json(response), cache=SEARCH_CACHE, tag=_tag(timeless))


def document(request: Request) -> Content:
    """One document."""
    parameters.read((), request.query)
    id = cast("int", parameters.DOCUMENT_ID.read(request.args["id"]))
    found = _service().document(id)
    if found is None:
        raise NotFound(f"there is no document {id}")
    body = _json(found)
    return Content(body, cache=SEARCH_CACHE, tag=_tag(body.encode()))


def stats(request: Request) -> Content:
    """How large the collection is, and how its crawl stands."""
    parameters.read((), request.query)
    return Content(_json(_service().stats()))


def health(request: Request) -> Content:
    """Whether the collection can be opened."""
    parameters.read((), request.query)
    _service()
    return Content(_json(Health("ok")))


def openapi(request: Request) -> Content:
    """This API, described."""
    parameters.read((), request.query)
    body = _description()
    return Content(body, cache=STATIC_CACHE, tag=_tag(body.encode()))


def home(_request: Request) -> Content:
    """The search page. Its parameters are read by its script."""
    body, tag = _file("index.html")
    return Content(body, "text/html; charset=utf-8", REVALIDATE, tag)


def static(request: Request) -> Content:
    """What the search page is made of."""
    name = request.args["name"]
    if name not in STATIC:
        raise NotFound("there is no such file")
    body, tag = _file(name)
    return Content(body, STATIC[name], STATIC_CACHE, tag)


class NotFound(GossamerError):
    """There is nothing at this address."""


# ── for admins ────────────────────────────────────────────────────────────────────────────────────


def seeds(request: Request) -> Content:
    """Give a job more URLs."""
    return Content(_json(_admitted(request).seed(*admin.read_seeds(request.body))))


def jobs(request: Request) -> Content:
    """All jobs."""
    return Content(_json(Jobs(_admitted(request).jobs())))


def job(request: Request) -> Content:
    """One job."""
    found = next((j for j in _admitted(request).jobs() if j.job == request.args["job"]), None)
    if found is None:
        raise NotFound(f"there is no job {request.args['job']!r}")
    return Content(_json(found))


def steer(request: Request) -> Content:
    """Pause, resume or stop a job."""
    administration = _admitted(request)
    if request.args["action"] not in admin.ACTIONS:
        raise NotFound("a job can be paused, resumed and stopped")
    found = administration.steer(request.args["job"], request.args["action"])
    if found is None:
        raise NotFound(f"there is no job {request.args['job']!r}")
    return Content(_json(found))


# ── what all answers share ────────────────────────────────────────────────────────────────────────


def answer(endpoint: Endpoint, request: Request) -> Answer:
    """Ask an endpoint, and make a complete answer of what it says or raises."""
    if request.method == "OPTIONS":
        return Answer(204, {**SECURITY, **CORS, **PREFLIGHT, "Allow": _allow(endpoint)}, "")
    if request.method not in _allow(endpoint).split(", "):
        return refusal(405, allow=_allow(endpoint))
    try:
        content = endpoint(request)
    except Exception as error:  # noqa: BLE001 — the outermost frame: whatever happens is an answer
        return _failure(error)
    headers = {**SECURITY, **CORS, "Cache-Control": content.cache}
    if content.tag:
        headers["ETag"] = content.tag
        if _has_it(request.headers.get("if-none-match", ""), content.tag):
            return Answer(304, headers, "")
    headers["Content-Type"] = content.type
    return Answer(200, headers, "" if request.method == "HEAD" else content.body)


REFUSALS = {
    400: ("bad_request", "the request cannot be read"),
    401: ("unauthorized", "this needs the admin key"),
    403: ("forbidden", "this is not the admin key"),
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this method is not allowed here; see Allow"),
    411: ("length_required", "a body needs a Content-Length"),
    413: ("too_large", "the body is too large"),
    414: ("too_long", "the address is too long"),
    415: ("unsupported_media_type", "the body must be application/json"),
    417: ("expectation_failed", "only 100-continue can be expected"),
    429: ("too_many_requests", "wait a minute"),
    431: ("too_large", "the header is too large"),
    500: ("internal_error", "something went wrong here; the log says what"),
    503: ("unavailable", "try again in a moment"),
    505: ("version_not_supported", "only HTTP/1.1 and HTTP/1.0 are spoken here"),
}


RETRY_AFTER = {503: "1", 429: "60"}


def _allow(endpoint: Endpoint) -> str:
    """The methods of an endpoint: what steers a crawl is posted, everything else is read."""
    return ", ".join(WRITES if endpoint in (seeds, steer) else METHODS)


def refusal(status: int, message: str = "", *, allow: str = ", ".join(METHODS)) -> Answer:
    """An answer for what never reaches an endpoint."""
    code, usual = REFUSALS.get(status, REFUSALS[500])
    made = _error(status, Fault(code=code, message=message or usual))
    if status == 405:
        made.headers["Allow"] = allow
    if status in RETRY_AFTER:
        made.headers["Retry-After"] = RETRY_AFTER[status]
    if status == 401:
        made.headers["WWW-Authenticate"] = "Bearer"
    return made


def _failure(error: Exception) -> Answer:
    match error:
        case BadParameter():
            return _error(
                400,
                Fault(
                    code=error.code,
                    message=error.message,
                    field=error.field,
                    position=error.position,
                ),
            )
        case QueryError():
            fault = Fault(
                code="query_syntax", message=error.message, position=error.position, field="q"
            )
            return _error(400, fault)
        case RecursionError():
            fault = Fault(code="query_syntax", message="nested too deeply", position=0, field="q")
            return _error(400, fault)
        case NotFound():
            return refusal(404, str(error))
        case admin.Denied():
            return refusal(error.status, str(error))
        case admin.BadBody():
            return refusal(400, str(error))
        case TransientError():
            log.warning("unavailable: %s", error)
            return refusal(503, str(error))
    log.error("an endpoint failed", exc_info=error)
    # Our own errors say what is broken (a block, a file) and nothing private; others stay inside.
    return refusal(500, str(error) if isinstance(error, GossamerError) else "")


def _error(status: int, fault: Fault) -> Answer:
    headers = {**SECURITY, **CORS, "Cache-Control": NO_STORE, "Content-Type": JSON}
    return Answer(status, headers, _json(ErrorBody(fault)))


def _json(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def _tag(body: bytes) -> str:
    """A weak validator: compressed or not, it is the same answer."""
    return f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def _has_it(if_none_match: str, tag: str) -> bool:
    given = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return "*" in given or tag.removeprefix("W/") in given


@cache
def _file(name: str) -> tuple[str, str]:
    body = files("gossamer").joinpath("web", name).read_text(encoding="utf-8")
    return body, _tag(body.encode())


@cache
def _description() -> str:
    from gossamer.entrypoints.api.openapi import description

    return msgspec.json.encode(description()).decode()
