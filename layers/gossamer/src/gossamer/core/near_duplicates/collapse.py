"""Group similar results into clusters and choose the one that is shown.

Results come best first. Each joins the first cluster that matches, or starts a new one. It matches
if its SimHash is near the SimHash of the cluster's founder, or if a canonical URL connects it with
a member. Similarity to another member does not count: it is not transitive. A lower result never
changes how the results above it were grouped. Pages of results are cut from the list of clusters,
so a cluster is on one page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.near_duplicates.hashing import bands, distance

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Item:
    """What grouping needs to know of a result. Unknown values are empty."""

    ordinal: int
    url: str = ""
    canonical: str = ""  # the page's rel=canonical
    value: int | None = None  # its SimHash, or the SimHash of its cluster's founder


@dataclass(frozen=True, slots=True)
class Cluster:
    """One result that is shown, at the rank of the best, and those it replaces, best first."""

    shown: Item
    others: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All results of the cluster, the shown one first."""
        return (self.shown, *self.others)


@dataclass(slots=True)
class _Group:
    items: list[Item] = field(default_factory=list)

    def cluster(self) -> Cluster:
        shown = self._shown()
        return Cluster(shown, tuple(item for item in self.items if item is not shown))

    def _shown(self) -> Item:
        """The canonical page that the best-ranked members name, if it is in the group."""
        by_url = {item.url: item for item in reversed(self.items) if item.url}
        targets = (by_url.get(item.canonical) for item in self.items if item.canonical)
        return next((target for target in targets if target), self.items[0])


def collapse(items: Iterable[Item], limit: int | None = None, most: int = 0) -> list[Cluster]:
    """The first `limit` clusters of results in rank order; every item is grouped.

    `most` is the number of bits in which two values may differ. 0 is right, and fast, where similar
    texts carry the same value (that of their founder). With MAX_DISTANCE the time grows with the
    number of clusters, and texts that are not similar are grouped too.
    """
    groups: list[_Group] = []
    by_url: dict[str, _Group] = {}  # by URLs and canonical URLs of members
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
    """The first item of each group, and items added by canonical URL, looked up by value."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_band: dict[bytes, list[tuple[int, int]]] = {}  # value, number in `_groups`
        self._groups: list[_Group] = []

    def near(self, item: Item) -> _Group | None:
        """The first group whose founder is near; None for an item without a value."""
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
        """Register an item as a founder of a group."""
        if item.value is None:
            return
        for band in bands(item.value, self._most):
            self._by_band.setdefault(band, []).append((item.value, len(self._groups)))
        self._groups.append(group)
