"""Several processes share a query: each answers for a group of segments."""
