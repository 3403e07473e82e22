"""Search over one collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse


class SearchService(Protocol):
    """Search over one collection. Raises QueryError for a query it cannot read."""

    def search(
        self,
        query: str,
        *,
        page: int = 1,
        limit: int = 10,
        explain: bool = False,
        profile: str = "",
        similar: str = "one",
        exact_total: bool = False,
    ) -> SearchResponse:
        """A page of results; of similar pages one or, on request, "all" are shown.

        Without `exact_total` the total may be a lower bound, and says so.
        """

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""

    def stats(self) -> CollectionStats:
        """How large the collection is."""
