"""Several processes over one collection: the lock, commands to a running crawl, the parsers."""
