"""Compare the pages and links that a crawl found with those that the site has."""

from collections.abc import Iterable
from dataclasses import dataclass

from scripts.bench.worlds.reachable_pages import Edge, Reachable

SHOWN = 5  # examples of each kind of difference


@dataclass(frozen=True, slots=True)
class Difference:
    """Pages and edges that a crawl missed or invented. Falsy if there are none."""

    missing_pages: list[str]
    extra_pages: list[str]
    missing_edges: list[Edge]
    extra_edges: list[Edge]

    def __bool__(self) -> bool:
        return any((self.missing_pages, self.extra_pages, self.missing_edges, self.extra_edges))

    def lines(self) -> list[str]:
        """For the report: how many of each kind, and the first few."""
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
    """Compare crawled pages and edges with those of the site.

    URLs with the same body count as one end of an edge, because a crawler is free to keep any one
    of them. Links of a page to itself are ignored.
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
