"""Answering a query from the index."""
