"""SEARCH: answer for a group of segments, where one function cannot hold the whole index."""

from gossamer.entrypoints.lambdas.search import handler

__all__ = ["handler"]
