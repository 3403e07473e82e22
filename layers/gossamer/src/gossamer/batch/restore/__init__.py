"""Bringing a collection of a stack back to how it was."""
