"""Turn lots into parts of a segment, in this process or in others.

A lot is asked for by ids of documents (`batch.index`) or by places in a file (`batch.index_pages`),
and what is told of it when it was read differs likewise. The rest is the same.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

import msgspec

from gossamer.core.ids import DocumentId, UrlId

Asked = TypeVar("Asked")
Told = TypeVar("Told")
A = TypeVar("A", contravariant=True)
T = TypeVar("T", covariant=True)


class Decided(msgspec.Struct, frozen=True, array_like=True):
    """What the part of a lot needs besides its documents: its name, clusters and ranks."""

    name: str
    clusters: dict[DocumentId, int]
    levels: dict[UrlId, int]


class Written(msgspec.Struct, frozen=True, array_like=True):
    """The part of a lot."""

    name: str
    size: int
    documents: int


class LotWorker(Protocol[A, T]):
    """Works on one lot after another."""

    def read(self, asked: A, /) -> T:
        """Read and analyse a lot."""

    def write(self, decided: Decided) -> Written:
        """Write the part of the lot that was read."""


class Inverter(Protocol[A, T]):
    """Has lots worked on, one after another or several at once.

    Lots are read, decided and written in the order in which they are begun.
    """

    @property
    def width(self) -> int:
        """How many lots are worked on at once."""

    def begin(self, asked: A, /) -> None:
        """Begin a lot."""

    def read(self) -> T:
        """The next lot that was read."""

    def decide(self, decided: Decided) -> None:
        """Go on with that lot."""

    def written(self) -> Written:
        """The next part that was written."""


class InlineInverter(Generic[Asked, Told]):
    """An inverter in this process."""

    width = 1

    def __init__(self, worker: LotWorker[Asked, Told]) -> None:
        self._worker = worker
        self._begun: list[Asked] = []
        self._done: list[Written] = []

    def begin(self, asked: Asked, /) -> None:
        """Begin a lot."""
        self._begun.append(asked)

    def read(self) -> Told:
        """The lot that was begun."""
        return self._worker.read(self._begun.pop())

    def decide(self, decided: Decided) -> None:
        """Write it."""
        self._done.append(self._worker.write(decided))

    def written(self) -> Written:
        """What was written."""
        return self._done.pop()
