"""The fingerprint of a content."""

from __future__ import annotations

from hashlib import md5

FINGERPRINT_BYTES = 16


def fingerprint(body: bytes) -> bytes:
    """Sixteen bytes that are equal for equal bodies. It tells change, it proves nothing."""
    return md5(body, usedforsecurity=False).digest()
