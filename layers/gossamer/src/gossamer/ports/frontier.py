"""The store of parked URLs, whose host is busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.messages import CrawlRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PACK_LEASE = 120.0  # seconds until a pack that was taken and not forgotten can be taken again
SLEEP = 900.0  # seconds until a host is looked at again of which only packs of sleeping jobs wait


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

    def take_many(
        self, hosts: Iterable[str], now: float, asleep: frozenset[str] = frozenset()
    ) -> list[Pack]:
        """Take the best pack of each of these hosts whose time has come.

        Packs of jobs that are `asleep`, because they are paused or have no budget, stay: a host
        that has no others need not be looked at for a while.
        """

    def forget(self, host: str, key: str) -> None:
        """The pack was sent on."""

    def forget_many(self, packs: Sequence[tuple[str, str]]) -> None:
        """Packs, by host and key, were sent on."""

    def waiting(self, now: float, limit: int = 1000) -> list[str]:
        """Hosts whose packs may be taken by now.

        If there are more than `limit`, the next call goes on behind them, in any process, and
        begins again after the last: none waits for ever.
        """
