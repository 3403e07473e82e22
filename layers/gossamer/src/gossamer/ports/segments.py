"""Storage of the inverted index: packed items, and the manifest that names the live ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.manifest import Manifest, Packed


class SegmentStore(Protocol):
    """Packed items under keys, and one manifest.

    Promises: an item that was put is found under its key until it is dropped; `publish` replaces
    the manifest only if no other process did meanwhile.
    """

    def manifest(self) -> Manifest:
        """The live parts of the index."""

    def publish(self, manifest: Manifest) -> bool:
        """Replace the manifest of the version before; False if it was replaced already."""

    def put(self, items: Iterable[Packed]) -> None:
        """Keep items."""

    def get(
        self, key: str, sorts: Sequence[str] | None = None, *, positions: bool = True
    ) -> list[Packed]:
        """The items of a key, in order; of all its sort keys or of some.

        Without positions a store may read less.
        """

    def dictionary(self, key: str, prefix: str) -> list[Packed]:
        """The dictionary items that may hold terms with this prefix."""

    def drop(self, key: str, sort: str | None = None) -> None:
        """Forget items that no manifest names any more; a key may end with `*`."""

    def size(self) -> int:
        """How many bytes the items take; a store may answer with an older count."""
