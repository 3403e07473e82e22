"""Segments: immutable files that each index some documents."""
