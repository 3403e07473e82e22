"""A collection whose database is made anew, beside the old one, until it takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gossamer.core.collection import CollectionSettings
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord
    from gossamer.settings import Settings


class Salvage(Protocol):
    """What can be read of a database that is damaged, or gone."""

    def job(self, name: str) -> JobRecord | None:
        """A job with its configuration and its state; None if they cannot be read."""

    def settings(self) -> CollectionSettings | None:
        """The settings of the collection; None if they cannot be read."""

    def read_list(self, name: str) -> str:
        """A list that the settings name; "" if it cannot be read."""


class Rebuilding(Protocol):
    """The new collection. Nothing of the old one changes before `install`.

    Promise: a kill at any moment leaves the old database or the new one, never a part of one.
    """

    @property
    def settings(self) -> Settings:
        """By which other processes read the new collection."""

    @property
    def old(self) -> Salvage:
        """The old database."""

    @property
    def files(self) -> Sequence[Path]:
        """The WARC files from which it is made, in the order of their making."""

    @property
    def home(self) -> Home:
        """The new collection, which is empty at first."""

    def add_sums(self, sums: Mapping[str, int]) -> None:
        """Add to what was done since the beginning, as `Home.sums` counts it."""

    def keep_ends(self, ends: Mapping[str, int]) -> None:
        """Note up to which byte WARC files were found whole, or as whole as they will ever be."""

    def install(self) -> str:
        """Close the collection and put it in place of the old one.

        Returns the path where the old database is kept; empty if there was none.
        """
