"""The description of the API as OpenAPI 3.1, made from its routing table."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.api.answers import JSON, ErrorBody
from gossamer.entrypoints.api.routes import PATHS, ROUTES
from gossamer.entrypoints.api.views.suggestions import SCHEMA, SUGGESTIONS

if TYPE_CHECKING:
    from gossamer.entrypoints.api.parameters import Parameter
    from gossamer.entrypoints.api.routes import Route

    Json = dict[str, object]

TITLES = {
    202: "A notification was taken; there is nothing to say",
    304: "Not modified since the answer that If-None-Match names",
    400: "A parameter is missing, unknown, repeated or out of range, or the query or the body"
    " cannot be read; the answer names the place",
    401: "The admin key is missing",
    403: "The key is wrong, or this home is steered from the command line",
    404: "There is no such thing",
    405: "The method is not allowed",
    409: "The job has no money left to go on, a crawl has the collection for itself, or two declare"
    " one name for different things",
    412: "Somebody else has changed this since the version that If-Match names",
    414: "The address is too long",
    415: "The body is of another type",
    421: "The server is not known by the name that the request gives",
    428: "The request does not say which version it replaces",
    429: "Too many requests or wrong keys, or the budget of the day for searches is spent",
    431: "The header is too large",
    500: "Something is broken here",
    503: "Not available at the moment",
}
SCHEMAS: dict[str, Json] = {JSON: {"type": "object"}, SUGGESTIONS: SCHEMA}
ALWAYS = (405, 414, 421, 429, 431, 500, 503)
TAG = {
    "ETag": {
        "description": "Names this version, for If-None-Match and If-Match",
        "schema": {"type": "string"},
    }
}
IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of what is replaced, as a GET names it; * for any. Without it: 428.",
    "schema": {"type": "string"},
    "example": "*",
}


def description() -> Json:
    """The API as OpenAPI 3.1."""
    kinds = {kind for route in ROUTES for kind in (route.result, route.body, ErrorBody)}
    structs = sorted((kind for kind in kinds if isinstance(kind, type)), key=lambda k: k.__name__)
    _, components = msgspec.json.schema_components(
        structs, ref_template="#/components/schemas/{name}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gossamer",
            "version": "1",
            "description": "Search over a collection of crawled pages.",
        },
        "servers": [{"url": "."}],
        "paths": {path: dict(map(_operation, routes)) for path, routes in PATHS.items()},
        "components": {
            "schemas": components,
            "securitySchemes": {"admin": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route) -> tuple[str, Json]:
    """A method of an address, and what it does."""
    operation: Json = {
        "operationId": route.operation,
        "summary": route.summary,
        "description": inspect.getdoc(route.endpoint) or route.summary,
        "parameters": [
            *(_parameter(route, parameter) for parameter in route.parameters),
            *([IF_MATCH] if route.is_conditional else []),
        ],
        "responses": _responses(route),
    }
    if body := _body(route):
        operation["requestBody"] = {"required": True, "content": body}
    if route.for_admins:
        operation["security"] = [{"admin": []}]
    return route.method.lower(), operation


def _body(route: Route) -> Json:
    """What a body may be, by its types; one that only tells what to do has none."""
    if route.body is None and route.example is None:
        return {}
    schemas = {kind: SCHEMAS.get(kind, {"type": "string"}) for kind in route.takes}
    content: dict[str, Json] = {kind: {"schema": schema} for kind, schema in schemas.items()}
    if route.body is not None:
        content.update(_content(route.body))
    if route.example is not None:
        content[route.takes[0]]["example"] = route.example
    return dict(content)


def _responses(route: Route) -> Json:
    headers = {"headers": TAG} if 304 in route.statuses or route.is_conditional else {}
    content = {**_content(route.result), **_content(route.also)}
    good = {"description": route.summary, "content": content, **headers}
    responses: Json = {"200": good}
    for status in (*route.statuses, *ALWAYS):
        kind = (status in (400, 404) and route.refuses_in) or ErrorBody
        body = {} if status in (202, 304) else {"content": _content(kind)}
        responses[str(status)] = {"description": TITLES[status], **body}
    return responses


def _content(kind: type[msgspec.Struct] | tuple[str, ...]) -> dict[str, Json]:
    if isinstance(kind, tuple):
        return {name: {"schema": SCHEMAS[name]} if name in SCHEMAS else {} for name in kind}
    return {JSON: {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}


def _parameter(route: Route, parameter: Parameter) -> Json:
    example = {"example": parameter.example} if parameter.example else {}
    return {
        "name": parameter.name,
        "in": "path" if f"{{{parameter.name}}}" in route.path else "query",
        "required": parameter.required,
        "description": parameter.description,
        "schema": parameter.schema(),
        **example,
    }
