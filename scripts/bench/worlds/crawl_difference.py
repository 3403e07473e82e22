"""Did a crawl find exactly the pages and links that are there?"""

from collections.abc import Iterable
from dataclasses import dataclass

from scripts.bench.worlds.reachable_pages import Edge, Reachable

SHOWN = 5  # examples of each kind of difference


@dataclass(frozen=True, slots=True)
class Difference:
    """What a crawl missed and what it made up. Empty when all is well."""

    missing_pages: list[str]
    extra_pages: list[str]
    missing_edges: list[Edge]
    extra_edges: list[Edge]

    def __bool__(self) -> bool:
        return any((self.missing_pages, self.extra_pages, self.missing_edges, self.extra_edges))

    def lines(self) -> list[str]:
        """For people: how many of each kind, and the first few."""
        kinds = {
            "missing pages": self.missing_pages,
            "extra pages": self.extra_pages,
            "missing edges": [" -> ".join(edge) for edge in self.missing_edges],
            "extra edges": [" -> ".join(edge) for edge in self.extra_edges],
        }
        return [
            f"{len(found)} {kind}: {', '.join(found[:SHOWN])}"
            for kind, found in kinds.items()
            if found
        ]


def compare(wanted: Reachable, pages: set[str], edges: Iterable[Edge]) -> Difference:
    """Hold crawled pages and edges against those that are there.

    Addresses with the same bytes count as one end of an edge: which of them a crawler keeps is its
    own affair. Links of a page to itself are left out on both sides.
    """
    expected = _folded(wanted, wanted.edges)
    actual = _folded(wanted, edges)
    return Difference(
        missing_pages=sorted(wanted.pages.keys() - pages),
        extra_pages=sorted(pages - wanted.pages.keys() - wanted.others),
        missing_edges=sorted(expected - actual),
        extra_edges=sorted(actual - expected),
    )


def _folded(wanted: Reachable, edges: Iterable[Edge]) -> set[Edge]:
    one_of = wanted.representatives
    folded = (
        (one_of.get(source, source), one_of.get(end, end))
        for source, end in edges
        if end not in wanted.others
    )
    return {(source, end) for source, end in folded if source != end}
