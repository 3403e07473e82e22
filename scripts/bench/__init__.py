"""How fast, how large, how polite and how good is it? Run as `python -m scripts.bench`."""
