"""The pages for people: the search page with its files, and the reference of the API."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import (
    EMBEDDABLE,
    REVALIDATE,
    STATIC_CACHE,
    Content,
    NotFound,
    Request,
    tag_of,
)

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend

WIDGET = "widget.js"
SCRIPTS = (
    "address.js", "app.js", "ask.js", "cards.js", "crawl.js", "dom.js", "facets.js", "filters.js",
    "instant.js", "results.js", "suggest.js", "table.js", "values.js", WIDGET, "why.js",
)  # fmt: skip
STATIC = {
    **dict.fromkeys(("app.css", "docs.css"), "text/css; charset=utf-8"),
    **dict.fromkeys(SCRIPTS, "text/javascript; charset=utf-8"),
    "favicon.svg": "image/svg+xml",
}
HTML = "text/html; charset=utf-8"
# The search box is a script for the pages of others. It says nothing of what was crawled; whose
# pages may read that is decided where answers are sent (access.py).
FOR_ALL_PAGES = (("Access-Control-Allow-Origin", "*"), EMBEDDABLE)


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
