"""The store of the languages that pages of a host have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class HostLanguages(Protocol):
    """Counts of pages by host and language. A message that comes twice may count twice."""

    def add(self, host: str, pages: Mapping[str, int]) -> None:
        """Add pages by language, unless enough of the host are counted.

        Written with the home's next commit at the latest.
        """

    def pages(self, host: str) -> Mapping[str, int]:
        """Return how many pages of a host have which language, those just added included."""
