"""A soak test: crawl, recrawl, searches, kills and restarts for a long time on one machine."""
