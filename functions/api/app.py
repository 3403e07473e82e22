"""API: the search page, searches, documents and the state of the collection."""

from gossamer.entrypoints.rest import app

__all__ = ["app"]
