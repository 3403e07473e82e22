"""The Model Context Protocol: language models search and read the collection."""
