"""The error that ends a benchmark."""


class BenchFailure(Exception):
    """Something that the benchmark needs is missing or broke; the message says what."""
