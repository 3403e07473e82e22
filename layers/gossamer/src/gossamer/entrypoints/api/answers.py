"""What all answers of the API share: errors as JSON, validators, caching and safety headers."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.core.errors import (
    GossamerError,
    OverBudget,
    QueryError,
    SettingError,
    StoreGone,
    TransientError,
)
from gossamer.core.settings_file import dotted
from gossamer.entrypoints.api.admin import BadBody, Denied
from gossamer.entrypoints.api.parameters import BadParameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "OPTIONS")
READS = ("GET", "HEAD")
JSON = "application/json"
NO_STORE = "no-store"
NO_CACHE = "no-cache"  # it may be kept, but is asked for each time
SEARCH_CACHE = "public, max-age=30"
STATIC_CACHE = "public, max-age=3600"
REVALIDATE = "no-cache"  # kept, but asked about each time

SECURITY = {
    # Titles and snippets come from strangers: nothing inline runs, nothing foreign loads, and no
    # script may turn text into markup.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # the address of this page holds the query
    "Cross-Origin-Opener-Policy": "same-origin",
    # What a foreign page can embed tells it whether something was crawled. The search box is free.
    "Cross-Origin-Resource-Policy": "same-origin",
}
EMBEDDABLE = ("Cross-Origin-Resource-Policy", "cross-origin")  # says nothing of what was crawled
# Which origins may read an answer is added where it is sent (access.py).
PREFLIGHT = {
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match, MCP-Protocol-Version,"
    " Mcp-Method, Mcp-Name, X-Api-Key",
    "Access-Control-Max-Age": "86400",
}


class Fault(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What was wrong, and where."""

    code: str
    message: str
    position: int | None = None  # the character of the query or value, from 0
    field: str | None = None  # the parameter, or the setting with dots
    line: int | None = None  # of a body, from 1
    column: int | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer that is not a success."""

    error: Fault


@dataclass(frozen=True, slots=True)
class Request:
    """What an endpoint needs to know of a request. Header names are in lower case."""

    method: str = "GET"
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    args: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    client: str = ""  # the address that asks
    base: str = "/"  # where the API is, as the client knows it
    has_read_key: bool = False  # which API Gateway has checked


class Content(NamedTuple):
    """What an endpoint has to say."""

    body: str | bytes
    type: str = JSON
    cache: str = NO_STORE
    tag: str = ""  # empty: not worth asking about again
    headers: tuple[tuple[str, str], ...] = ()  # besides those that all answers have, or instead
    status: int = 200


class Answer(NamedTuple):
    """A whole HTTP answer."""

    status: int
    headers: dict[str, str]
    body: str | bytes


class NotFound(GossamerError):
    """There is nothing at this address."""


def answer(
    ask: Callable[[Request], Content], request: Request, methods: Sequence[str] = METHODS
) -> Answer:
    """Ask an endpoint, and make a complete answer of what it returns or raises."""
    allow = ", ".join(methods)
    if request.method == "OPTIONS":
        answered = {"Access-Control-Allow-Methods": allow, "Allow": allow}
        return Answer(204, {**SECURITY, **PREFLIGHT, **answered}, "")
    if request.method not in methods:
        return refusal(405, allow=allow)
    try:
        content = ask(request)
    except Exception as error:  # noqa: BLE001 — the outermost frame: every failure is answered
        return _failure(error)
    headers = {**SECURITY, "Cache-Control": content.cache, **dict(content.headers)}
    if content.tag:
        headers["ETag"] = content.tag
        if request.method in READS and _has_it(request, content.tag):
            return Answer(304, headers, "")
    headers["Content-Type"] = content.type
    return Answer(content.status, headers, "" if request.method == "HEAD" else content.body)


REFUSALS = {
    400: ("bad_request", "the request cannot be read"),
    401: ("unauthorized", "this needs the admin key"),
    403: ("forbidden", "this is not the admin key"),
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this method is not allowed here; see Allow"),
    409: ("conflict", "the job cannot do this as it stands"),
    412: ("changed", "somebody else has changed this since; read it again"),
    428: ("precondition_required", "say which version is replaced, with If-Match"),
    411: ("length_required", "a body needs a Content-Length"),
    413: ("too_large", "the body is too large"),
    414: ("too_long", "the address is too long"),
    415: ("unsupported_media_type", "the body is of a type that is not taken here"),
    417: ("expectation_failed", "only 100-continue can be expected"),
    421: ("misdirected", "this server is not known by that name"),
    429: ("too_many_requests", "wait a minute"),
    431: ("too_large", "the header is too large"),
    500: ("internal_error", "something went wrong here; the log says what"),
    503: ("unavailable", "try again in a moment"),
    505: ("version_not_supported", "only HTTP/1.1 and HTTP/1.0 are spoken here"),
}
RETRY_AFTER = {503: "1", 429: "60"}


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
    fault = _fault_of(error)
    if fault is not None:
        return _error(400, fault)
    match error:
        case NotFound():
            return refusal(404, str(error))
        case Denied():
            return _denial(error)
        case TransientError() | StoreGone():
            return _unavailable(error)
    log.error("an endpoint failed", exc_info=error)
    # Our own errors say what is broken (a block, a file) and nothing private; others stay inside.
    return refusal(500, str(error) if isinstance(error, GossamerError) else "")


def _denial(error: Denied) -> Answer:
    denied = refusal(error.status, str(error))
    if error.retry_after:
        denied.headers["Retry-After"] = str(error.retry_after)
    return denied


def _fault_of(error: Exception) -> Fault | None:
    """What was wrong with a request, and where; None if the fault is ours."""
    match error:
        case BadParameter():
            return _fault(error.code, error)
        case QueryError():
            return _fault("query_syntax", error)
        case RecursionError():
            return Fault(code="query_syntax", message="nested too deeply", position=0, field="q")
        case SettingError():
            return _setting_fault(error)
        case BadBody():
            return Fault(code="bad_request", message=str(error))
    return None


def _fault(code: str, error: BadParameter | QueryError) -> Fault:
    return Fault(code=code, message=error.message, position=error.position, field=error.field)


def _setting_fault(error: SettingError) -> Fault:
    return Fault(
        code="invalid_setting",
        message=error.message,
        position=error.position,
        field=dotted(error.key) or None,
        line=error.line,
        column=error.column,
    )


def _unavailable(error: GossamerError) -> Answer:
    if not isinstance(error, OverBudget):  # which is no fault of ours
        log.warning("unavailable: %s", error)
    return refusal(503, str(error))


def _error(status: int, fault: Fault) -> Answer:
    headers = {**SECURITY, "Cache-Control": NO_STORE, "Content-Type": JSON}
    return Answer(status, headers, to_json(ErrorBody(fault)))


def media_type(headers: Mapping[str, str]) -> str:
    """What a body is said to be; JSON, if nothing is said."""
    return headers.get("content-type", JSON).partition(";")[0].strip().lower()


def to_json(value: msgspec.Struct) -> str:
    """A body."""
    return msgspec.json.encode(value).decode()


def tag_of(body: bytes) -> str:
    """A weak validator: compressed or not, it is the same answer."""
    return f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def _has_it(request: Request, tag: str) -> bool:
    known = request.headers.get("if-none-match", "").split(",")
    given = [each.strip().removeprefix("W/") for each in known]
    return "*" in given or tag.removeprefix("W/") in given
