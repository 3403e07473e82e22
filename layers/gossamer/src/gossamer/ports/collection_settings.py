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

    def read_list(self, name: str) -> str:
        """A list that belongs to the settings, as synonyms do; "" for one that is not stored."""

    def put_list(self, text: str) -> str:
        """Store a list; returns its name, by which the settings may then call it."""

    def drop_list(self, name: str) -> None:
        """Delete a list that the settings do not name any more."""
