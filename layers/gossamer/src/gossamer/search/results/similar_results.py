"""Show one result per cluster of similar pages.

What is similar was found out when the pages were indexed (`batch.near_duplicates`): their clusters
are equal. Only as many results are looked at as a page of results needs, and some more. What ranks
lower never changes how those above it are grouped, so however far one looks, the same clusters come
in the same order, and a cluster is on one page. Only how many are in it depends on that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from gossamer.core.index import schema
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.index.segments.identities import ID_BYTES
from gossamer.core.near_duplicates.collapse import Cluster, Item, collapse
from gossamer.core.near_duplicates.translations import is_untranslated
from gossamer.search.budget import NOT_GROUPED, UNLIMITED
from gossamer.search.results.same_item import Said, joined, most_believed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.index.segments.stored import Stored
    from gossamer.search.budget import Budget
    from gossamer.search.ranking import Found
    from gossamer.search.snapshot import Snapshot

MAX_RESULTS = 10_000  # that can be reached, similar ones among them
AHEAD = 20  # results looked at beyond a page: similar pages have similar scores
MAX_MEMBERS = 8  # of a cluster, that may be shown for it: what is stored of them is read
MAX_ALIKE = 100  # of a cluster, that are shown on request


class Results(Protocol):
    """The best results, best first."""

    @property
    def best(self) -> Sequence[object]:
        """As many as were asked for, or all there are."""


R = TypeVar("R", bound=Results)


def clusters(
    rank: Callable[[int], R],
    values: Callable[[R], Sequence[int]],
    last: int,
    budget: Budget = UNLIMITED,
) -> tuple[R, list[Cluster]]:
    """The clusters of the best results, in order: at least `last`, or all there are in time.

    `values` tells the clusters of results by numbers; 0 is for what is like no other.
    """
    depth = last + AHEAD
    while True:
        ranked = rank(min(depth, MAX_RESULTS))
        found = _grouped(values(ranked))
        if len(found) >= last or depth >= MAX_RESULTS or len(ranked.best) < depth:
            return ranked, found
        if budget.leaves_out(NOT_GROUPED):
            return ranked, found
        depth *= 2


def each_alone(rank: Callable[[int], R], last: int) -> tuple[R, list[Cluster]]:
    """The best results, similar or not."""
    ranked = rank(last)
    return ranked, [Cluster(Item(place)) for place in range(len(ranked.best))]


def candidates(cluster: Cluster) -> list[int]:
    """Which of a cluster may be shown: places among the best results."""
    return [item.ordinal for item in cluster.items[:MAX_MEMBERS]]


class Addressed(Said, Protocol):
    """What has an address and a language, and may name a better address."""

    @property
    def url(self) -> str:
        """Where it is."""

    @property
    def canonical(self) -> str:
        """Where it says it should be."""

    @property
    def language(self) -> str:
        """The language of its text."""


def shown(cluster: Cluster, documents: Mapping[int, Addressed]) -> int:
    """The place of what is shown: the canonical page if it is among them, or else the best.

    What a page calls canonical counts only inside of its cluster: many sites name their home there
    on every page, and such a page says something else. Of an item of templates it is its own page,
    or else what was read last.
    """
    if not cluster.others:
        return cluster.shown.ordinal
    there = [(place, documents[place]) for place in candidates(cluster) if place in documents]
    originals = [pair for pair in there if not is_untranslated(pair[1].url, pair[1].language)]
    there = originals or there
    urls = {document.url for _, document in there}
    items = [
        Item(place, document.url, document.canonical if document.canonical in urls else "", 1)
        for place, document in there
    ]
    best = collapse(items)[0].shown.ordinal if items else cluster.shown.ordinal
    said = sources(cluster, best, documents)
    return said[0] if said else best


def sources(cluster: Cluster, chosen: int, documents: Mapping[int, Addressed]) -> list[int]:
    """What a result has its values from, if templates read it from several pages."""
    if not cluster.others or chosen not in documents or not documents[chosen].template:
        return []
    return most_believed(candidates(cluster), documents)


def of_item(cluster: Cluster, chosen: int, documents: Mapping[int, Stored]) -> Stored:
    """What is shown, with the values of all pages that say something of the same item."""
    said = sources(cluster, chosen, documents)
    if len(said) < 2:
        return documents[chosen]
    values = joined([documents[place].values for place in said])
    return msgspec.structs.replace(documents[chosen], values=values)


def _grouped(values: Sequence[int]) -> list[Cluster]:
    """The clusters of results with these values."""
    known = [value for value in values if value]
    if len(set(known)) == len(known):
        return [Cluster(Item(place)) for place in range(len(values))]
    return collapse([Item(place, value=value or None) for place, value in enumerate(values)])


def cluster_values(found: Sequence[Found], snapshot: Snapshot, pinned: int = 0) -> list[int]:
    """The clusters that some results are in, by number; 0 for what is like no other.

    So are those that are pinned: each is shown itself, in its place.
    """
    parts = {each.part for each in found}
    columns = {part: snapshot.parts[part].view.column(schema.CLUSTER) for part in parts}
    known = {p: c.values for p, c in columns.items() if isinstance(c, NumberColumn)}
    values = [int(known[part][document]) if part in known else 0 for part, document, _ in found]
    return [0] * pinned + values[pinned:]


def alike(
    found: Sequence[Cluster], ids: Callable[[Sequence[int]], Sequence[bytes]], id: bytes
) -> list[Cluster]:
    """What a result stands for, each alone, best first; nothing if it is not among the clusters.

    `ids` tells the ids of results by their places, as segments have them: all of one length.
    """
    id = id.ljust(ID_BYTES, b"\0")
    several = [[item.ordinal for item in cluster.items] for cluster in found if cluster.others]
    places = [place for cluster in several for place in cluster]
    id_at = dict(zip(places, ids(places), strict=True))
    ours = next((each for each in several if id in (id_at[place] for place in each)), [])
    return [Cluster(Item(place)) for place in ours if id_at[place] != id][:MAX_ALIKE]


def members(clusters: Sequence[Cluster]) -> list[int]:
    """The places of all that may be shown."""
    return [place for cluster in clusters for place in candidates(cluster)]
