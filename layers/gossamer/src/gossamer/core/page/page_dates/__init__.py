"""When a page was published or changed, by all that tells it in the page itself."""
