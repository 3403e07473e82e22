"""Entries of feeds: RSS, Atom and JSON Feed."""
