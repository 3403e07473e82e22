"""The list of synonyms of a collection, for those who have the admin key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import Content, Request, to_json
from gossamer.entrypoints.api.owner import tag_of_text

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend

TEXT = "text/plain"


def synonyms(backend: Backend, request: Request) -> Content:
    """The list as it was stored, in Solr's format; an empty one if there is none."""
    parameters.read((), request.query)
    text = backend.owner(request).synonyms()
    return Content(text, f"{TEXT}; charset=utf-8", tag=tag_of_text(text))


def replace_synonyms(backend: Backend, request: Request) -> Content:
    """Replace the list by that of the body, in Solr's format. It has effect at once."""
    return _replaced(backend, request, request.body)


def remove_synonyms(backend: Backend, request: Request) -> Content:
    """Remove the list."""
    return _replaced(backend, request, "")


def _replaced(backend: Backend, request: Request, text: str) -> Content:
    owner = backend.owner(request)
    parameters.read((), request.query)
    done = owner.replace_synonyms(text, request.headers.get("if-match", ""))
    stored = text if done.rules else ""
    return Content(to_json(done), headers=(("ETag", tag_of_text(stored)),))
