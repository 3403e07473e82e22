"""Store unsigned 64-bit numbers in SQLite, whose integers are signed."""

from __future__ import annotations

SIGN = 1 << 63


def to_signed(value: int) -> int:
    """A number below 2^64, as one that SQLite takes."""
    return value - 2 * SIGN if value >= SIGN else value


def from_signed(value: int) -> int:
    """The same number again."""
    return value % (2 * SIGN)
