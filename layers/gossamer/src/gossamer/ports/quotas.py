"""How many URLs of this kind were admitted so far?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuotaStore(Protocol):
    """Counters with a ceiling, for hosts and for shapes of URLs."""

    def take(self, wanted: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        """Per key, how many of `wanted` (first number) fit under its ceiling (second)."""
        ...
