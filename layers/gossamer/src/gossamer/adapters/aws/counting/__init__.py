"""Counts that are mended while a crawl goes on."""
