"""What the endpoints answer from."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Unpack

from gossamer.entrypoints.api import admin

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.bot_auth import Signer
    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import (
        CollectionStats,
        DocumentView,
        How,
        SearchResponse,
        SuggestResponse,
    )
    from gossamer.entrypoints.api.answers import Request
    from gossamer.entrypoints.api.owner import Owner
    from gossamer.entrypoints.api.views.stored_copy import PageCopy, Versions
    from gossamer.entrypoints.api.views.stored_pictures import Picture
    from gossamer.entrypoints.cli.explain_url import Biography


class SearchService(Protocol):
    """Search over one collection. Raises QueryError for a query it cannot read."""

    def search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        """A page of results."""

    def suggest(self, typed: str, limit: int) -> SuggestResponse:
        """Completions of what was typed."""

    def clicked(self, query: str) -> bool:
        """A result of a query was opened; False if that is not counted here."""

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""

    def copy(self, id: DocumentId, at: int = 0) -> PageCopy | None:
        """The page of a document that can be found, as it was fetched last, or then, if kept."""

    def picture(self, id: DocumentId) -> Picture | None:
        """The picture that a document names, if it was fetched and can be shown."""

    def versions(self, id: DocumentId) -> Versions:
        """The earlier versions of the page of a document that can be found."""

    def explain(self, url: str) -> Biography:
        """What became of a URL."""

    def collections(self) -> list[str]:
        """The names of all collections where this one is."""

    def stats(self) -> CollectionStats:
        """How large the collection is."""


SPENT = "today's budget for searches is spent; try again after midnight UTC"


def no_administration() -> tuple[admin.Gate, admin.Administration]:
    """Refuse: on one machine there is no key that could be shown."""
    raise admin.Denied(403, "on one machine a crawl is steered with `gossamer`, not over HTTP")


def no_owner() -> tuple[admin.Gate, Owner]:
    """Refuse: no key was made that could be shown."""
    raise admin.Denied(
        403,
        "a collection is changed with `gossamer`; over HTTP where `gossamer serve --admin-key FILE`"
        " names a key",
    )


@dataclass(frozen=True, slots=True)
class Backend:
    """What the endpoints answer from. Each is opened by the first request that needs it."""

    search: Callable[[], SearchService]
    administration: Callable[[], tuple[admin.Gate, admin.Administration]] = no_administration
    changing: Callable[[], tuple[admin.Gate, Owner]] = no_owner
    signer: Callable[[], Signer | None] = lambda: None
    closed_for: Callable[[], float] = lambda: 0.0  # seconds in which searches are refused

    def shows_key(self, request: Request) -> bool:
        """Whether a request shows the admin key."""
        if "authorization" in request.headers:
            with suppress(admin.Denied):
                self.admitted(request)
                return True
        return False

    def check_budget(self, request: Request) -> None:
        """Raise Denied if searches have cost their budget and the request shows no key."""
        seconds = self.closed_for()
        if seconds and not request.has_read_key and not self.shows_key(request):
            raise admin.Denied(429, SPENT, math.ceil(seconds))

    def admitted(self, request: Request) -> admin.Administration:
        """What an admin may ask for, if the request shows the key."""
        gate, administration = self.administration()
        gate.admit(request.headers, request.client)
        return administration

    def owner(self, request: Request) -> Owner:
        """What the owner of the collection may do, if the request shows the key.

        Raises SettingError for a body that was not UTF-8, of which nothing may be stored.
        """
        gate, owner = self.changing()
        gate.admit(request.headers, request.client)
        admin.check_charset(request.body)
        return owner
