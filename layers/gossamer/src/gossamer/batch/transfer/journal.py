"""How far a copy has come: what a copy that was killed needs to go on."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Progress(msgspec.Struct, kw_only=True):
    """A copy: between which homes, of what, and how far it is."""

    source: str
    target: str
    what: str
    emptied: bool = False  # whether the target is known to have been empty when it began
    done: list[str] = []  # parts that were copied whole
    part: str = ""  # the part that is being copied,
    mark: bytes = b""  # behind which entry of it,
    copied: int = 0  # and how many entries those are
    finished: bool = False
    stamp: str = ""  # what the source was like; if that has changed, all of it is copied again

    def begin_again(self, stamp: str) -> None:
        """Copy everything once more: the source is not what it was."""
        self.stamp, self.done = stamp, []
        self.part, self.mark, self.copied = "", b"", 0

    def is_like(self, other: Progress) -> bool:
        """Whether it is a copy of the same between the same homes."""
        mine, theirs = (self.source, self.target, self.what), (other.source, other.target)
        return mine == (*theirs, other.what)


class Journal(Protocol):
    """Where the progress of a copy is kept."""

    def load(self) -> Progress | None:
        """The progress as it was saved last."""

    def save(self, progress: Progress) -> None:
        """Keep it; durable when this returns."""
