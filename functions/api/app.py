"""API: the search page, searches, documents, the state of the collection, and its steering."""

from gossamer.entrypoints.api_lambda import handler
from gossamer.entrypoints.rest import app

__all__ = ["app", "handler"]
