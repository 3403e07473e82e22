"""gossamer audit: check a crawl's politeness from its WARC files alone."""
