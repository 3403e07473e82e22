"""How does the API describe itself?

Built from the structs that are encoded and the table of parameters that is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
from gossamer.entrypoints.api import JSON, STATIC, ErrorBody, Health
from gossamer.entrypoints.api_parameters import DOCUMENT_ID, SEARCH, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable

TITLES = {
    304: "Not modified since the answer that If-None-Match names",
    400: "A parameter is missing, unknown, repeated or out of range, or the query cannot be read",
    404: "There is no such thing",
    405: "The method is not allowed",
    414: "The address is too long",
    431: "The header is too large",
    500: "Something is broken here",
    503: "Not available at the moment",
}
ALWAYS = (405, 414, 431, 500, 503)
TAG = {
    "ETag": {"description": "Names this answer, for If-None-Match", "schema": {"type": "string"}}
}


def description() -> dict[str, Any]:
    """The API as OpenAPI 3.1."""
    kinds = (SearchResponse, DocumentView, CollectionStats, Health, ErrorBody)
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
        "components": {"schemas": components},
    }


def _paths() -> dict[str, Any]:
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
