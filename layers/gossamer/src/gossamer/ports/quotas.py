"""Counters of admitted URLs, per host and per shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuotaEntry(msgspec.Struct, frozen=True):
    """A counter."""

    key: str
    used: int


class QuotaStore(Portable[QuotaEntry], Protocol):
    """Counters with a ceiling, for hosts and for shapes of URLs."""

    def take(self, wanted: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        """Per key, how many of `wanted` (first number) fit under its ceiling (second)."""

    def give_back(self, unused: Mapping[str, int]) -> None:
        """Let others have units that were just taken; a process that dies may keep them."""
