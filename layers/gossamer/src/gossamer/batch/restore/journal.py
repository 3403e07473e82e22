"""How far a restore has come: what one that was killed needs to go on."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Restoring(msgspec.Struct, kw_only=True):
    """A restore: of what, to when, and how far it is."""

    stack: str
    collection: str
    at: float
    done: list[str] = []  # steps
    part: str = ""  # the step that is under way,
    mark: bytes = b""  # behind which entry of it,
    read: int = 0  # and how many entries those are
    counts: dict[str, int] = {}  # what was changed: `urls written`, `pages undeleted`, …
    finished: bool = False

    def is_like(self, other: Restoring) -> bool:
        """Whether it restores the same to the same time."""
        mine = (self.stack, self.collection, self.at)
        return mine == (other.stack, other.collection, other.at)

    def add(self, name: str, count: int) -> None:
        """Count what was changed."""
        self.counts[name] = self.counts.get(name, 0) + count


class Journal(Protocol):
    """Where the progress of a restore is kept."""

    def load(self) -> Restoring | None:
        """The progress as it was saved last."""

    def save(self, progress: Restoring) -> None:
        """Keep it; durable when this returns."""
