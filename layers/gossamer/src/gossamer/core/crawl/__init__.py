"""The rules of a crawl: jobs, scope, politeness, and what becomes of each URL."""
