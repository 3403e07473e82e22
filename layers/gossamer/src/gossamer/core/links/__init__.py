"""The link graph: PageRank and the names that links give to pages."""
