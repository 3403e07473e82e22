"""The frontier for housekeeping and reports: what is parked, and when to look again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gossamer.ports.frontier import Frontier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.ports.frontier import Pack


class FrontierLedger(Frontier, Protocol):
    """A frontier that can also be read as a whole."""

    def all(self) -> Iterator[tuple[str, Pack]]:
        """Every pack with its host; it stays where it is."""

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, str, Pack]]:
        """The same, each with a mark; behind an earlier mark, if there is one.

        What was parked meanwhile may be left out.
        """

    def wake_later_than(self, latest: float) -> None:
        """Wake the hosts that need not be looked at before a moment that is later than `latest`."""

    def count(self) -> int:
        """How many URLs are parked."""

    def has_packs(self) -> bool:
        """Whether anything is parked."""

    def next_at(self) -> float | None:
        """When the next host may be looked at; None if nothing is parked."""
