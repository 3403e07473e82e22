"""The HTTP API and the search page's server."""
