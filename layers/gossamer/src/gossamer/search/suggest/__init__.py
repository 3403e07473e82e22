"""Completions of what was typed, from the entries of all segments."""
