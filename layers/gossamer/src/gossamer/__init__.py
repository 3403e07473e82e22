"""Gossamer: a web search engine with no servers."""

__version__ = "0.1.0"
