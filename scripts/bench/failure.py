"""Why could a measurement not be made at all?"""


class BenchFailure(Exception):
    """Something the bench needs is missing or broke; the message says what."""
