"""Where do URLs wait whose host is busy?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.messages import CrawlRequest


class Frontier(Protocol):
    """Packs of URLs per host, shallow ones first. A pack is taken by exactly one caller."""

    def park(self, request: CrawlRequest, until: float = 0.0) -> None:
        """Keep a pack; its host need not be looked at before `until`."""
        ...

    def wake(self, host: str) -> None:
        """Something changed: the packs of this host may be taken now."""
        ...

    def take(self, host: str, now: float) -> CrawlRequest | None:
        """Take the best pack of a host, if there is one and its time has come."""
        ...

    def waiting(self, now: float, limit: int = 1000) -> list[str]:
        """Hosts whose packs may be taken by now."""
        ...
