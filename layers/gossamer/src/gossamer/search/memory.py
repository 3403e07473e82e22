"""A cache of what was read and derived, limited in bytes.

It is a segmented LRU. Values that took long to derive, such as the documents with a phrase, have a
segment of their own: the lists of one query with many words are larger than all of them, and
would push them out although nobody asks for those lists again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

T = TypeVar("T")
MAX_BYTES = 96_000_000
ENTRY_BYTES = 200  # that any entry takes, besides its arrays
DERIVED_SHARE = 0.5  # of the bytes; derived values beyond it go before values that were read


class Memory:
    """Values by key, each with its size."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._read = _Segment()
        self._derived = _Segment()

    def grow(self, max_bytes: int) -> None:
        """Raise the limit; a lower one than before changes nothing."""
        self._max_bytes = max(self._max_bytes, max_bytes)

    def __iter__(self) -> Iterator[Hashable]:
        """Yield the keys: the name of a segment, and what of it is stored."""
        yield from self._read
        yield from self._derived

    def get(self, key: Hashable) -> object | None:
        """Return the value of a key, or None."""
        value = self._read.get(key)
        return self._derived.get(key) if value is None else value

    def put(self, key: Hashable, value: object, size: int, *, is_derived: bool = False) -> None:
        """Store a value of so many bytes, unless it would take the place of most others."""
        size += ENTRY_BYTES
        if size > self._max_bytes // 4:
            return
        (self._derived if is_derived else self._read).put(key, value, size)
        while self._read.size + self._derived.size > self._max_bytes:
            self._crowded_segment().evict()

    def recall(
        self,
        key: Hashable,
        read: Callable[[], T],
        size: Callable[[T], int],
        *,
        is_derived: bool = False,
    ) -> T:
        """Return the value of a key; read and store it if it is missing."""
        stored = self.get(key)
        if stored is None:
            value = read()
            self.put(key, value, size(value), is_derived=is_derived)
            return value
        return cast("T", stored)

    def _crowded_segment(self) -> _Segment:
        is_derived = self._derived.size > DERIVED_SHARE * self._max_bytes or not self._read.size
        return self._derived if is_derived else self._read


class _Segment:
    """Entries in the order of their last use."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self.size = 0

    def __iter__(self) -> Iterator[Hashable]:
        """Yield the keys."""
        return iter(self._entries)

    def get(self, key: Hashable) -> object | None:
        """Return the value of a key as the one used last."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Store a value, in place of an older one of the same key."""
        if previous := self._entries.pop(key, None):
            self.size -= previous[1]
        self._entries[key] = value, size
        self.size += size

    def evict(self) -> None:
        """Drop the value that was not used for the longest time."""
        _, (_, size) = self._entries.popitem(last=False)
        self.size -= size
