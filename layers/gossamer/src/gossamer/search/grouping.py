"""Show one result per cluster of similar pages.

What is similar was found out when the pages were indexed (`batch.near_duplicates`): their clusters
are equal. Only as many results are looked at as a page of results needs, and some more. What ranks
lower never changes how those above it are grouped, so however far one looks, the same clusters come
in the same order, and a cluster is on one page. Only how many are in it depends on that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.index import schema
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.near_duplicates.collapse import Cluster, Item, collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.index.segments.stored import Stored
    from gossamer.search.ranking import Found, Ranked
    from gossamer.search.snapshot import Snapshot

MAX_RESULTS = 10_000  # that can be reached, similar ones among them
AHEAD = 20  # results looked at beyond a page: similar pages have similar scores
MAX_MEMBERS = 8  # of a cluster, that may be shown for it: what is stored of them is read


def clusters(
    rank: Callable[[int], Ranked], snapshot: Snapshot, last: int
) -> tuple[Ranked, list[Cluster]]:
    """The clusters of the best results, in order: at least `last`, or all there are."""
    depth = last + AHEAD
    while True:
        ranked = rank(min(depth, MAX_RESULTS))
        found = _grouped(_values(ranked.best, snapshot))
        if len(found) >= last or depth >= MAX_RESULTS or len(ranked.best) < depth:
            return ranked, found
        depth *= 2


def each_alone(rank: Callable[[int], Ranked], last: int) -> tuple[Ranked, list[Cluster]]:
    """The best results, similar or not."""
    ranked = rank(last)
    return ranked, [Cluster(Item(place)) for place in range(len(ranked.best))]


def candidates(cluster: Cluster) -> list[int]:
    """Which of a cluster may be shown: places among the best results."""
    return [item.ordinal for item in cluster.items[:MAX_MEMBERS]]


def shown(cluster: Cluster, documents: Mapping[int, Stored]) -> int:
    """The place of what is shown: the canonical page if it is among them, or else the best.

    What a page calls canonical counts only inside of its cluster: many sites name their home there
    on every page, and such a page says something else.
    """
    if not cluster.others:
        return cluster.shown.ordinal
    there = [(place, documents[place]) for place in candidates(cluster) if place in documents]
    urls = {document.url for _, document in there}
    items = [
        Item(place, document.url, document.canonical if document.canonical in urls else "", 1)
        for place, document in there
    ]
    return collapse(items)[0].shown.ordinal if items else cluster.shown.ordinal


def _grouped(values: Sequence[int]) -> list[Cluster]:
    """The clusters of results with these values; 0 for what is like no other."""
    known = [value for value in values if value]
    if len(set(known)) == len(known):
        return [Cluster(Item(place)) for place in range(len(values))]
    return collapse([Item(place, value=value or None) for place, value in enumerate(values)])


def _values(found: Sequence[Found], snapshot: Snapshot) -> list[int]:
    columns = {part: snapshot.parts[part].view.column(schema.CLUSTER) for part, *_ in found}
    known = {p: c.values for p, c in columns.items() if isinstance(c, NumberColumn)}
    return [int(known[part][document]) if part in known else 0 for part, document, _ in found]


def members(clusters: Sequence[Cluster]) -> list[int]:
    """The places of all that may be shown."""
    return [place for cluster in clusters for place in candidates(cluster)]
