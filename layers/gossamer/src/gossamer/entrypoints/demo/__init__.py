"""A small website to try a crawl on, and the server of it."""
