"""One document, and the stored copy of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import (
    JSON,
    SEARCH_CACHE,
    Content,
    NotFound,
    Request,
    tag_of,
    to_json,
)
from gossamer.entrypoints.api.views.markdown import MARKDOWN, prefers_markdown, to_markdown

if TYPE_CHECKING:
    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import DocumentView
    from gossamer.entrypoints.api.backend import Backend, SearchService
    from gossamer.entrypoints.api.views.stored_copy import PageCopy

HTML = "text/html; charset=utf-8"
ALONE = "sandbox; default-src 'none'; frame-ancestors 'none'"


def document(backend: Backend, request: Request) -> Content:
    """One document, as JSON or as markdown."""
    parameters.read((), request.query)
    name = request.args["id"]
    found = _found(backend, name.removesuffix(".md"))
    vary = () if name.endswith(".md") else (("Vary", "Accept"),)
    if not vary or prefers_markdown(request.headers.get("accept", "")):
        body, kind = to_markdown(found), f"{MARKDOWN}; charset=utf-8"
    else:
        body, kind = to_json(found), JSON
    return Content(body, kind, SEARCH_CACHE, tag_of(body.encode()), vary)


def _found(backend: Backend, name: str) -> DocumentView:
    id = parameters.read_document_id(name)
    found = backend.search().document(id)
    if found is None:
        raise NotFound(f"there is no document {id.hex()}")
    return found


def cached(backend: Backend, request: Request) -> Content:
    """The page of a document as it was fetched, without anything that could run or load.

    It names earlier versions where the archive has some.
    """
    from gossamer.entrypoints.api.views.page_changes import to_changes
    from gossamer.entrypoints.api.views.stored_copy import NotShown, missing, policy, to_html

    at, since = parameters.read_versions(request.query)
    id = parameters.read_document_id(request.args["id"])
    service = backend.search()
    headers = (("Content-Security-Policy", policy()), ("X-Robots-Tag", "noindex"))
    try:
        found = _copy(service, id, at)
        if since:
            body = to_changes(_copy(service, id, since), found)
        else:
            body = to_html(found, service.versions(id)._replace(shown=at))
    except NotShown as error:
        # The reader has followed a link: a page says why.
        page = missing(str(error), service.document(id))
        return Content(page, HTML, headers=headers, status=404)
    return Content(body, HTML, SEARCH_CACHE, tag_of(body.encode()), headers)


def picture(backend: Backend, request: Request) -> Content:
    """The picture of a document, as it was fetched; it runs nothing, wherever it is opened."""
    parameters.read((), request.query)
    id = parameters.read_document_id(request.args["id"])
    found = backend.search().picture(id)
    if found is None:
        raise NotFound(f"there is no stored picture of {id.hex()}")
    headers = (("Content-Security-Policy", ALONE), ("X-Robots-Tag", "noindex"))
    return Content(found.body, found.type, SEARCH_CACHE, tag_of(found.body), headers)


def _copy(service: SearchService, id: DocumentId, at: int) -> PageCopy | None:
    from gossamer.entrypoints.api.views.stored_copy import NotShown

    found = service.copy(id, at)
    if found is None and at:
        raise NotShown("no version that was fetched then was found in the archive")
    return found
