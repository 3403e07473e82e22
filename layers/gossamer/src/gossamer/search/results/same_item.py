"""What several pages say of one item: which of them is shown, and with which values.

Its own page is believed first, then what was read last. A value that it does not have is that of
the next one: the price of a list beside the description of the item's own page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from gossamer.core.index.schema import ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.page.values import Value


class Said(Protocol):
    """What a page says of an item."""

    @property
    def template(self) -> str:
        """What read it; "" if no template did."""

    @property
    def kind(self) -> str:
        """Whether it is the item's own page, or an item of another one."""

    @property
    def fetched_at(self) -> float:
        """When it was read."""


S = TypeVar("S", bound=Said)


def most_believed(places: Iterable[int], said: Mapping[int, S]) -> list[int]:
    """Which of these say something of an item by a template, the most believed first."""
    found = [place for place in places if place in said and said[place].template]
    return sorted(found, key=lambda place: (said[place].kind == ITEM, -said[place].fetched_at))


def joined(values: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """The values of an item, each from the first that has it."""
    found: dict[str, Value] = {}
    for each in values:
        for name, value in each.items():
            found.setdefault(name, value)
    return found
