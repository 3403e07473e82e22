"""How does the API describe itself?

Built from the structs that are encoded and the table of parameters that is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
from gossamer.entrypoints.api.admin import ACTIONS, JobView, SeedRequest
from gossamer.entrypoints.api.endpoints import JSON, STATIC, ErrorBody, Health, Jobs
from gossamer.entrypoints.api.parameters import DOCUMENT_ID, SEARCH, Parameter
from gossamer.entrypoints.seeding import SeedReport

if TYPE_CHECKING:
    from collections.abc import Iterable

TITLES = {
    304: "Not modified since the answer that If-None-Match names",
    400: "A parameter is missing, unknown, repeated or out of range, or the query cannot be read",
    401: "The admin key is missing",
    403: "The key is wrong, or this home is steered from the command line",
    404: "There is no such thing",
    405: "The method is not allowed",
    414: "The address is too long",
    415: "The body is not JSON",
    429: "Too many wrong keys",
    431: "The header is too large",
    500: "Something is broken here",
    503: "Not available at the moment",
}
ALWAYS = (405, 414, 431, 500, 503)
POST_STATUSES = (400, 401, 403, 404, 415, 429)
TAG = {
    "ETag": {"description": "Names this answer, for If-None-Match", "schema": {"type": "string"}}
}


def description() -> dict[str, Any]:
    """The API as OpenAPI 3.1."""
    kinds = (
        SearchResponse,
        DocumentView,
        CollectionStats,
        Health,
        ErrorBody,
        Jobs,
        JobView,
        SeedReport,
        SeedRequest,
    )
    _, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gossamer",
            "version": "1",
            "description": "Search over a collection of crawled pages.",
        },
        "servers": [{"url": "."}],
        "paths": _paths(),
        "components": {
            "schemas": components,
            "securitySchemes": {"admin": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths() -> dict[str, Any]:
    return _read_paths() | _admin_paths()


def _admin_paths() -> dict[str, Any]:
    """What needs the admin key."""
    job = _in_path(Parameter("job", "text", "The name of a job.", maximum=100, required=True))
    action = _in_path(Parameter("action", "choice", "What to do.", choices=ACTIONS, required=True))
    get_job = _get("A job", _holds("JobView"), [job], (401, 403, 404, 429))
    paths = {
        "/jobs": _get("All jobs", _holds("Jobs"), (), (401, 403, 429)),
        "/jobs/{job}": get_job,
        "/seeds": _post("Give a job more URLs", "SeedReport", (), "SeedRequest"),
        "/jobs/{job}/{action}": _post("Pause, resume or stop a job", "JobView", [job, action]),
    }
    for path in paths.values():
        for operation in path.values():
            operation["security"] = [{"admin": []}]
    return paths


def _post(
    summary: str, result: str, parameters: Iterable[dict[str, Any]], body: str = ""
) -> dict[str, Any]:
    posted: dict[str, Any] = _get(summary, _holds(result), parameters, POST_STATUSES)["get"]
    if body:
        posted["requestBody"] = {"required": True, "content": _holds(body)}
    return {"post": posted}


def _read_paths() -> dict[str, Any]:
    name = Parameter("name", "choice", "A file of the page.", choices=tuple(STATIC), required=True)
    return {
        "/": _get("The search page", {"text/html": {}}, statuses=(304,)),
        "/search": _get("Search", _holds("SearchResponse"), _in_query(SEARCH), (304, 400)),
        "/documents/{id}": _get(
            "A document", _holds("DocumentView"), [_in_path(DOCUMENT_ID)], (304, 400, 404)
        ),
        "/stats": _get("The collection and its crawl", _holds("CollectionStats"), (), (400,)),
        "/health": _get("Is it alive?", _holds("Health"), (), (400,)),
        "/openapi.json": _get(
            "This document", {JSON: {"schema": {"type": "object"}}}, (), (304, 400)
        ),
        "/static/{name}": _get("A file of the page", _files(), [_in_path(name)], (304, 404)),
    }


def _get(
    summary: str,
    content: dict[str, Any],
    parameters: Iterable[dict[str, Any]] = (),
    statuses: tuple[int, ...] = (),
) -> dict[str, Any]:
    headers = {"headers": TAG} if 304 in statuses else {}
    responses: dict[str, Any] = {"200": {"description": summary, "content": content, **headers}}
    for status in (*statuses, *ALWAYS):
        body = {} if status == 304 else {"content": _holds("ErrorBody")}
        responses[str(status)] = {"description": TITLES[status], **body}
    return {"get": {"summary": summary, "parameters": list(parameters), "responses": responses}}


def _holds(name: str) -> dict[str, Any]:
    return {JSON: {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _files() -> dict[str, Any]:
    return {kind.partition(";")[0]: {} for kind in STATIC.values()}


def _in_query(table: Iterable[Parameter]) -> list[dict[str, Any]]:
    return [_described(parameter, "query") for parameter in table]


def _in_path(parameter: Parameter) -> dict[str, Any]:
    return _described(parameter, "path")


def _described(parameter: Parameter, place: str) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": place,
        "required": parameter.required,
        "description": parameter.description,
        "schema": parameter.schema(),
    }
