"""Compose keys. Every key begins with its collection, and none is empty."""

from __future__ import annotations

import hashlib

MAX_TEXT = 900  # bytes; DynamoDB takes 1,024 for a sort key


def binary(collection: str, id: bytes) -> bytes:
    """A key of bytes: collection, "#", id."""
    return collection.encode() + b"#" + id


def id_in(collection: str, key: bytes) -> bytes:
    """The id of a key of bytes."""
    return bytes(key)[len(collection.encode()) + 1 :]


def textual(collection: str, name: str) -> str:
    """A key of text: collection, "#", name."""
    return f"{collection}#{short(name)}"


def name_in(collection: str, key: str) -> str:
    """The name of a key of text."""
    return key[len(collection) + 1 :]


def short(name: str) -> str:
    """A name that fits into a key: the end of a longer one becomes its fingerprint."""
    raw = name.encode()
    if len(raw) <= MAX_TEXT:
        return name
    mark = hashlib.md5(raw, usedforsecurity=False).hexdigest()
    return raw[: MAX_TEXT - 33].decode(errors="ignore") + "~" + mark
