"""What people ask: clicks come in, and a report for admins goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.search.lexemes import MAX_TEXT
from gossamer.core.search.query_log import MAX_DAYS
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.admin import BadBody
from gossamer.entrypoints.api.answers import Content, NotFound, Request, to_json

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend

QUERIES = (
    parameters.Parameter(
        "days", "integer", "The last days.", default=30, minimum=1, maximum=MAX_DAYS
    ),
    parameters.Parameter(
        "limit", "integer", "Queries in each list.", default=20, minimum=1, maximum=1000
    ),
)


class Click(msgspec.Struct, forbid_unknown_fields=True):
    """The body of POST /clicks: the query of which a result was opened."""

    q: str


class Counted(msgspec.Struct, frozen=True):
    """The click was counted."""

    counted: bool


def clicks(backend: Backend, request: Request) -> Content:
    """Count that a result of a query was opened; which one, and by whom, is not asked."""
    try:
        click = msgspec.json.decode(request.body.encode(errors="replace"), type=Click)
    except msgspec.DecodeError as error:
        raise BadBody(str(error)) from error
    if not 0 < len(click.q.strip()) <= MAX_TEXT:
        raise BadBody(f"q must have 1 to {MAX_TEXT:,} characters")
    if not backend.search().clicked(click.q):
        raise NotFound("queries are not logged here")
    return Content(to_json(Counted(True)))


def queries(backend: Backend, request: Request) -> Content:
    """What was asked most, without results, and without clicks."""
    owner = backend.owner(request)
    asked = parameters.read(QUERIES, request.query)
    days, limit = (int(str(asked[name])) for name in ("days", "limit"))
    return Content(to_json(owner.queries(days, limit)))
