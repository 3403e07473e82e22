"""A cache of bounded size."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """A dictionary that forgets its oldest entries, a quarter at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        return self._entries.get(key)

    def put(self, key: K, value: V) -> None:
        self._entries.pop(key, None)
        if len(self._entries) >= self._most:
            for old in list(self._entries)[: max(1, self._most // 4)]:
                del self._entries[old]
        self._entries[key] = value

    def forget(self, key: K) -> None:
        self._entries.pop(key, None)

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
