"""Running a crawl on this machine."""
