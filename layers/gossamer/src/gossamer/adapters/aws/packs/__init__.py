"""Small WARC objects, joined into large ones."""
