"""FETCH: claim a URL, make one request, apply the response."""
