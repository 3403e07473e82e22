"""Founders of clusters of similar pages, in sorted files."""
