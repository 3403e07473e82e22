"""Scores: which documents of one segment have the most."""
