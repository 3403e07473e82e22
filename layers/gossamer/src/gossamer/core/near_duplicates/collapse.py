"""Group similar results into clusters and choose the one that is shown.

Results come best first. Each joins the first cluster that matches, or starts a new one. It matches
if it has the value of a member, or if a canonical URL connects it with one. A lower result never
changes how the results above it were grouped. Pages of results are cut from the list of clusters,
so a cluster is on one page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Item(NamedTuple):
    """What grouping needs to know of a result. Unknown values are empty."""

    ordinal: int
    url: str = ""
    canonical: str = ""  # the page's rel=canonical
    value: int | None = None  # equal for similar texts


class Cluster(NamedTuple):
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


def collapse(items: Iterable[Item]) -> list[Cluster]:
    """The clusters of results in rank order; every item is grouped."""
    groups: list[_Group] = []
    by_url: dict[str, _Group] = {}  # by URLs and canonical URLs of members
    by_value: dict[int, _Group] = {}
    for item in items:
        group = by_url.get(item.url) or by_url.get(item.canonical)
        if group is None and item.value is not None:
            group = by_value.get(item.value)
        if group is None:
            group = _Group()
            groups.append(group)
        group.items.append(item)
        if item.value is not None:
            by_value.setdefault(item.value, group)
        for url in (item.url, item.canonical):
            if url:
                by_url.setdefault(url, group)
    return [group.cluster() for group in groups]
