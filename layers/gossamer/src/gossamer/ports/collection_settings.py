"""The store of a collection's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.collection import CollectionSettings


class CollectionSettingsStore(Protocol):
    """The settings of one collection, replaced as a whole."""

    def get(self) -> CollectionSettings:
        """The settings as they were stored last; the defaults, of version 0, if they never were."""

    def put(self, settings: CollectionSettings) -> bool:
        """Replace the settings of the version before; False if another writer already did."""
