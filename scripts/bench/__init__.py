"""How fast, how large and how polite is a crawl? Run as `python -m scripts.bench`."""
