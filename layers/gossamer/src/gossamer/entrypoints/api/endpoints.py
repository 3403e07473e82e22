"""The endpoints of the API: each makes content from a request, with no framework and no socket."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, Unpack

import msgspec

from gossamer.entrypoints.api import admin, parameters
from gossamer.entrypoints.api.answers import (
    REVALIDATE,
    SEARCH_CACHE,
    STATIC_CACHE,
    Content,
    NotFound,
    Request,
    tag_of,
    to_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import CollectionStats, DocumentView, How, SearchResponse

SCRIPTS = ("app.js", "ask.js", "crawl.js", "dom.js", "results.js", "why.js")
STATIC = {
    "app.css": "text/css; charset=utf-8",
    **dict.fromkeys(SCRIPTS, "text/javascript; charset=utf-8"),
    "favicon.svg": "image/svg+xml",
}


class Jobs(msgspec.Struct, frozen=True):
    """All jobs of a collection."""

    jobs: list[admin.JobView]


class Health(msgspec.Struct, frozen=True):
    """The collection can be opened."""

    status: str


class SearchService(Protocol):
    """Search over one collection. Raises QueryError for a query it cannot read."""

    def search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        """A page of results."""

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""

    def stats(self) -> CollectionStats:
        """How large the collection is."""


def no_administration() -> tuple[admin.Gate, admin.Administration]:
    """Refuse: on one machine there is no key that could be shown."""
    raise admin.Denied(403, "on one machine a crawl is steered with `gossamer`, not over HTTP")


@dataclass(frozen=True, slots=True)
class Backend:
    """What the endpoints answer from. Both are opened by the first request that needs them."""

    search: Callable[[], SearchService]
    administration: Callable[[], tuple[admin.Gate, admin.Administration]] = no_administration


def search(backend: Backend, request: Request) -> Content:
    """A page of results."""
    asked = parameters.read_search(request.query)
    response = backend.search().search(
        asked.q,
        page=asked.page,
        limit=asked.limit,
        explain=asked.explain,
        profile=asked.profile or "",
        similar=asked.similar,
        exact_total=asked.exact_total,
        facets=_names(asked.facets),
        sort=asked.sort,
        fields=_names(asked.fields),
    )
    # The same results are the same answer, however long they took.
    timeless = msgspec.json.encode(msgspec.structs.replace(response, took_ms=0.0))
    return Content(to_json(response), cache=SEARCH_CACHE, tag=tag_of(timeless))


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between, each once."""
    return tuple(dict.fromkeys(filter(None, text.split(","))))


def document(backend: Backend, request: Request) -> Content:
    """One document."""
    parameters.read((), request.query)
    id = parameters.read_document_id(request.args["id"])
    found = backend.search().document(id)
    if found is None:
        raise NotFound(f"there is no document {id.hex()}")
    body = to_json(found)
    return Content(body, cache=SEARCH_CACHE, tag=tag_of(body.encode()))


def stats(backend: Backend, request: Request) -> Content:
    """How large the collection is, and how its crawl stands."""
    parameters.read((), request.query)
    return Content(to_json(backend.search().stats()))


def health(backend: Backend, request: Request) -> Content:
    """Whether the collection can be opened."""
    parameters.read((), request.query)
    backend.search()
    return Content(to_json(Health("ok")))


def openapi(_backend: Backend, request: Request) -> Content:
    """This API, described."""
    parameters.read((), request.query)
    body = _description()
    return Content(body, cache=STATIC_CACHE, tag=tag_of(body.encode()))


def home(_backend: Backend, _request: Request) -> Content:
    """The search page. Its parameters are read by its script."""
    body, tag = _file("index.html")
    return Content(body, "text/html; charset=utf-8", REVALIDATE, tag)


def static(_backend: Backend, request: Request) -> Content:
    """What the search page is made of."""
    name = request.args["name"]
    if name not in STATIC:
        raise NotFound("there is no such file")
    body, tag = _file(name)
    return Content(body, STATIC[name], STATIC_CACHE, tag)


# ── for admins ────────────────────────────────────────────────────────────────────────────────────


def _admitted(backend: Backend, request: Request) -> admin.Administration:
    """What an admin may ask for, if the request shows the key."""
    gate, administration = backend.administration()
    gate.admit(request.headers, request.client)
    return administration


def seeds(backend: Backend, request: Request) -> Content:
    """Give a job more URLs."""
    return Content(to_json(_admitted(backend, request).seed(*admin.read_seeds(request.body))))


def jobs(backend: Backend, request: Request) -> Content:
    """All jobs."""
    return Content(to_json(Jobs(_admitted(backend, request).jobs())))


def job(backend: Backend, request: Request) -> Content:
    """One job."""
    name, views = request.args["job"], _admitted(backend, request).jobs()
    found = next((view for view in views if view.job == name), None)
    if found is None:
        raise NotFound(f"there is no job {name!r}")
    return Content(to_json(found))


def steer(backend: Backend, request: Request) -> Content:
    """Pause, resume or stop a job."""
    administration = _admitted(backend, request)
    if request.args["action"] not in admin.ACTIONS:
        raise NotFound("a job can be paused, resumed and stopped")
    found = administration.steer(request.args["job"], request.args["action"])
    if found is None:
        raise NotFound(f"there is no job {request.args['job']!r}")
    return Content(to_json(found))


@cache
def _file(name: str) -> tuple[str, str]:
    body = files("gossamer").joinpath("web", name).read_text(encoding="utf-8")
    return body, tag_of(body.encode())


@cache
def _description() -> str:
    from gossamer.entrypoints.api.openapi import description

    return msgspec.json.encode(description()).decode()
