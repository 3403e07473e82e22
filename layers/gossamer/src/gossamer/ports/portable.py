"""What a store offers so that its content can be copied into another home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


class Portable(Protocol[T]):
    """A store that can be read and filled entry by entry.

    Promises: entries of one home mean the same in another; loading an entry again changes nothing.
    """

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, T]]:
        """Everything, each entry with a mark; `after` a mark goes on behind that entry.

        As long as nothing is written, every call has the same order.
        """

    def load(self, entries: Sequence[T]) -> None:
        """Keep entries of another home as they are, in place of those with the same key.

        What is counted (states of URLs) is right again after the home's `recount`.
        """
