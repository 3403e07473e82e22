"""The collection as a whole: its size, whether it can be opened, and who crawls for it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.bot_auth import DIRECTORY_TYPE, NONCE_BYTES
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import (
    EMBEDDABLE,
    STATIC_CACHE,
    Content,
    NotFound,
    Request,
    to_json,
)

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend


class Health(msgspec.Struct, frozen=True):
    """The collection can be opened."""

    status: str


def stats(backend: Backend, request: Request) -> Content:
    """How large the collection is, and how its crawl stands."""
    parameters.read((), request.query)
    return Content(to_json(backend.search().stats()))


def health(backend: Backend, request: Request) -> Content:
    """Whether the collection can be opened. A search box on a foreign page asks it as well."""
    parameters.read((), request.query)
    backend.search()
    return Content(to_json(Health("ok")), headers=(EMBEDDABLE,))


def keys(backend: Backend, request: Request) -> Content:
    """The public key of what signs the crawler's requests, proved to be served by its holder."""
    parameters.read((), request.query)
    signer = backend.signer()
    if signer is None:
        raise NotFound("the requests of this crawler are not signed")
    authority = signer.agent.removeprefix("https://")
    proof = signer.directory_headers(authority, time.time(), os.urandom(NONCE_BYTES))
    body = signer.directory().decode()
    return Content(body, DIRECTORY_TYPE, STATIC_CACHE, headers=tuple(proof.items()))
