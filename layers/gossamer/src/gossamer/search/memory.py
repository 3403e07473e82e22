"""A memory of what was read and unpacked, limited in bytes; what was used least lately goes."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")
MAX_BYTES = 96_000_000
ENTRY_BYTES = 200  # that any entry takes, besides its arrays


class Memory:
    """Values by key, each with its size."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._known: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self._most = most
        self._size = 0

    def grow(self, most: int) -> None:
        """Take up to so many bytes from now on, if it was less before."""
        self._most = max(self._most, most)

    def get(self, key: Hashable) -> object | None:
        """What is known under a key."""
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Remember a value of so many bytes."""
        size += ENTRY_BYTES
        if size > self._most // 4:  # it would push out everything else
            return
        if before := self._known.pop(key, None):
            self._size -= before[1]
        self._known[key] = value, size
        self._size += size
        while self._size > self._most:
            _, (_, freed) = self._known.popitem(last=False)
            self._size -= freed

    def recall(self, key: Hashable, read: Callable[[], T], size: Callable[[T], int]) -> T:
        """What is known under a key, read if it is not."""
        found = self.get(key)
        if found is None:
            value = read()
            self.put(key, value, size(value))
            return value
        return cast("T", found)
