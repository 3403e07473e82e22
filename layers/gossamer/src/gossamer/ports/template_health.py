"""The store of what templates find, hour by hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.page.templates.health import HourOfTemplate


class TemplateHealth(Protocol):
    """Counts of templates by hour. A message that comes twice may count twice."""

    def add(self, template: str, counts: Mapping[str, int], now: float) -> None:
        """Add to the counts of the hour; written with the home's next commit at the latest."""

    def forget(self, template: str, now: float) -> None:
        """Delete the counts of the hour: all pages of the template are read again."""

    def read(self, since: float, until: float) -> list[HourOfTemplate]:
        """The counts of the days from one moment to another, hour by hour."""
