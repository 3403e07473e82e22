"""Jobs over a whole collection: compact, rank, recrawl, near-duplicates."""
