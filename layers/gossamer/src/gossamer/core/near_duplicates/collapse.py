"""Which results are so similar that one can stand for them?

Results come best first. Each joins the first cluster that it belongs to, or founds one; it belongs
where the founder's value is near enough, or where the canonical URL, its own or its fellow's, says
so. Near means near to the founder, not to any member: similarity is not handed on. What ranks lower
can never change how the results above it were grouped. Pages of results are cut from the list of
clusters, so a cluster is on one page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.near_duplicates.hashing import bands, distance

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Item:
    """A result, as far as it matters here. What a page does not say is empty."""

    ordinal: int
    url: str = ""
    canonical: str = ""  # where the page says that it belongs
    value: int | None = None  # its SimHash, or that of the text it was found similar to


@dataclass(frozen=True, slots=True)
class Cluster:
    """One result that is shown, at the rank of the best, and those it stands for, best first."""

    shown: Item
    others: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All of them, the one that is shown first."""
        return (self.shown, *self.others)


@dataclass(slots=True)
class _Group:
    items: list[Item] = field(default_factory=list)

    def cluster(self) -> Cluster:
        shown = self._shown()
        return Cluster(shown, tuple(item for item in self.items if item is not shown))

    def _shown(self) -> Item:
        """The page that the best of those with a canonical URL in the group points to."""
        by_url = {item.url: item for item in reversed(self.items) if item.url}
        targets = (by_url.get(item.canonical) for item in self.items if item.canonical)
        return next((target for target in targets if target), self.items[0])


def collapse(items: Iterable[Item], limit: int | None = None, most: int = 0) -> list[Cluster]:
    """The first clusters of results in rank order, up to `limit`; every item is looked at.

    `most` is how many bits of two values may differ. With 0 they must be equal, which is right, and
    fast, for values of which similar texts were given the same one. With MAX_DISTANCE the time
    grows with the number of clusters, and more is found than is similar.
    """
    groups: list[_Group] = []
    by_url: dict[str, _Group] = {}  # of members, and what they say is canonical
    founders = _Founders(most)
    for item in items:
        named = by_url.get(item.url) or by_url.get(item.canonical)
        group = named or founders.near(item)
        if group is None:
            group = _Group()
            groups.append(group)
        if group is named or not group.items:
            founders.add(item, group)
        group.items.append(item)
        for url in (item.url, item.canonical):
            if url:
                by_url.setdefault(url, group)
    return [group.cluster() for group in groups[:limit]]


class _Founders:
    """The first item of each group, and those that a canonical URL brought, by their values."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_band: dict[bytes, list[tuple[int, int]]] = {}  # value, number in `_groups`
        self._groups: list[_Group] = []

    def near(self, item: Item) -> _Group | None:
        """The group whose founder is near, the first of several; none for an item without value."""
        value, most = item.value, self._most
        if value is None:
            return None
        near = [
            number
            for band in bands(value, most)
            for founder, number in self._by_band.get(band, ())
            if distance(value, founder) <= most
        ]
        return self._groups[min(near)] if near else None

    def add(self, item: Item, group: _Group) -> None:
        """Make an item known as a founder of a group."""
        if item.value is None:
            return
        for band in bands(item.value, self._most):
            self._by_band.setdefault(band, []).append((item.value, len(self._groups)))
        self._groups.append(group)
