"""Which page links to which?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.messages import Link


class EdgeStore(Protocol):
    """The links of each page, packed: one item per source, never one per link."""

    def put(self, source: bytes, links: Sequence[Link], part: int, parts: int) -> None:
        """Replace the links of a source."""
        ...

    def get(self, source: bytes) -> list[Link]:
        """The links of a source."""
        ...
