"""Reputation of hosts, from which their URL quotas follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Reputation(msgspec.Struct, frozen=True):
    """The part of a host's record that its quota follows from."""

    pages: int = 0
    worth: int = 0
    named: bool = False


class ReputationStore(Protocol):
    """Reputations of many hosts at once. Pages are counted by `HostStore`, with each request."""

    def get(self, hosts: Iterable[str]) -> dict[str, Reputation]:
        """The standing of each host; one never met has none yet. It may be some seconds old."""

    def set_worth(self, worths: Mapping[str, int]) -> None:
        """Say what hosts are worth; what stands there already is not written again."""

    def mark_named(self, hosts: Iterable[str]) -> None:
        """Say that a person named these hosts."""
