"""Show one result per cluster of similar pages.

What is similar was found out when the pages were indexed (`batch.near_duplicates`): their clusters
are equal. Only as many results are looked at as a page of results needs, and some more. What ranks
lower never changes how those above it are grouped, so however far one looks, the same clusters come
in the same order, and a cluster is on one page. Only how many are in it depends on that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.near_duplicates.collapse import Cluster, Item, collapse
from gossamer.core.search.scoring import best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.search.scoring import Floats, Ints
    from gossamer.ports.documents import Version
    from gossamer.ports.index import IndexStore
    from gossamer.ports.live_documents import Ordinal

MAX_RESULTS = 10_000  # that can be reached, similar ones among them
AHEAD = 20  # results looked at beyond a page: similar pages have similar scores
MAX_MEMBERS = 8  # of a cluster, that may be shown for it: their documents are read
MAX_KNOWN = 2 * MAX_RESULTS


class Gatherer:
    """Gathers results of one state of the index. What it looked up it does not look up again."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._known: dict[int, Ordinal] = {}

    def look_up(self, ordinals: Sequence[int]) -> dict[int, Ordinal]:
        """Pages by ordinal."""
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        if missing := [ordinal for ordinal in ordinals if ordinal not in self._known]:
            self._known |= self._index.look_up(missing)
        return {o: self._known[o] for o in ordinals if o in self._known}

    def clusters(self, ordinals: Ints, scores: Floats, last: int) -> list[Cluster]:
        """The clusters of the best results, in order: at least `last`, or all there are."""
        reachable = min(len(ordinals), MAX_RESULTS)
        depth = last + AHEAD
        while True:
            top = best(ordinals, scores, min(depth, reachable)).tolist()
            pages = self.look_up(top)
            clusters = collapse([_item(ordinal, pages) for ordinal in top])
            if len(clusters) >= last or depth >= reachable:
                return clusters
            depth *= 2


def each_alone(ordinals: Ints, scores: Floats, last: int) -> list[Cluster]:
    """The best results, similar or not."""
    return [Cluster(Item(ordinal)) for ordinal in best(ordinals, scores, last).tolist()]


def candidates(cluster: Cluster) -> list[int]:
    """Which of a cluster may be shown."""
    return [item.ordinal for item in cluster.items[:MAX_MEMBERS]]


def shown(
    cluster: Cluster, pages: Mapping[int, Ordinal], versions: Mapping[DocumentId, Version]
) -> int:
    """The ordinal that is shown: the canonical page if it is among them, or else the best.

    What a page calls canonical counts only inside of its cluster: many sites name their home there
    on every page, and such a page says something else.
    """
    there = [pages[ordinal] for ordinal in candidates(cluster) if ordinal in pages]
    urls = {page.url for page in there}
    items = []
    for page in there:
        version = versions.get(page.id)
        canonical = version.document.canonical if version else ""
        items.append(Item(page.ordinal, page.url, canonical if canonical in urls else "", 1))
    return collapse(items)[0].shown.ordinal if items else cluster.shown.ordinal


def _item(ordinal: int, pages: Mapping[int, Ordinal]) -> Item:
    page = pages.get(ordinal)
    return Item(ordinal, value=page.cluster or None if page else None)
