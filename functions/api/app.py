"""API: the search page, searches, documents, the state of the collection, and its steering."""

from gossamer.entrypoints.lambdas.api import handler

__all__ = ["handler"]
