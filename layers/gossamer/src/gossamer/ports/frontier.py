"""The store of parked URLs, whose host is busy."""

from __future__ import annotations

from typing import Protocol

import msgspec

from gossamer.messages import CrawlRequest

PACK_LEASE = 120.0  # seconds until a pack that was taken and not forgotten can be taken again


class Pack(msgspec.Struct, frozen=True):
    """Parked URLs that were taken, and the key to forget them by."""

    key: str
    request: CrawlRequest


class Frontier(Protocol):
    """Packs of URLs per host, shallow ones first.

    A pack is taken by one caller at a time and stays until it is forgotten, which happens once it
    was sent on: a crash in between brings it back when its lease is over. The same pack parked
    twice, because a message came twice, is one pack; parked again after it was taken it is a new
    one, which the holder of the old mark cannot forget.
    """

    def park(self, request: CrawlRequest, until: float = 0.0) -> None:
        """Keep a pack; its host need not be looked at before `until`."""

    def wake(self, host: str) -> None:
        """Something changed: the packs of this host may be taken now."""

    def take(self, host: str, now: float) -> Pack | None:
        """Take the best pack of a host, if there is one and its time has come."""

    def forget(self, host: str, key: str) -> None:
        """The pack was sent on."""

    def waiting(self, now: float, limit: int = 1000) -> list[str]:
        """Hosts whose packs may be taken by now."""
