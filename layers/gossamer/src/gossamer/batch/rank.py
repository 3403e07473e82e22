"""RANK: compute ranks, incoming links and names of pages from all links.

One pass over the links. Each goes to the graph, and packed to the others of its bucket of targets;
bucket by bucket it is then worked out who links to a page and what they call it. So memory grows
by about 20 bytes for a link and by no text that is not needed at the moment.

Ranks lie beside the segments of the index. A page's rank stands beside its links too: there INDEX
finds it when the page is indexed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer.batch.indexed_pages import IndexedPage, IndexedPages, indexed_pages, page_ids
from gossamer.bolts.manifest import put_levels
from gossamer.core.crawl.host_worth import worths
from gossamer.core.crawl.url_state import State
from gossamer.core.index.anchors import digest, kept
from gossamer.core.links.anchor_names import names_of
from gossamer.core.links.graph import GraphBuilder, Nodes, nodes_of, places_in
from gossamer.core.links.link_buckets import LinkBuckets
from gossamer.core.links.pagerank import DAMPING, levels, pagerank
from gossamer.core.urls import url_id
from gossamer.ports.edges import InLink, InLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.ids import UrlId
    from gossamer.core.links.graph import Graph, Ints
    from gossamer.core.links.link_buckets import LinkBucket, LinksTo
    from gossamer.core.links.pagerank import Ranks
    from gossamer.ports.edges import PackedLinks
    from gossamer.ports.home import Home

    Levels = npt.NDArray[np.uint8]
    Tell = Callable[[str], None]

MOST_HOPS = 5  # from a URL to the page that it leads to
MOST_LINKS = 50  # that are shown of those that lead to a page
SLACK = 4  # levels; a rank that moved by less is not worth writing a page's links again
AT_ONCE = 1 << 16  # links whose targets are looked up together
LEAVES = (State.REDIRECTED, State.DUPLICATE)


class Ranking(msgspec.Struct, frozen=True):
    """What a ranking has found."""

    nodes: int
    links: int  # each once
    iterations: int
    converged: bool
    anchors_changed: int  # documents that others call by other names than before


@dataclass(frozen=True, slots=True)
class _Named:
    """A page, who links to it, and what they call it."""

    page: IndexedPage
    links: InLinks = InLinks()  # noqa: RUF009 frozen
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The live pages, by node: place i of every array is the same page."""

    nodes: Nodes
    numbers: Ints  # in the index
    hosts: Ints  # numbers: equal for the same host
    sizes: Ints  # by such a number: how many pages the host has
    names: Sequence[str]  # by such a number: of the host

    def places(self, nodes: Nodes) -> Ints:
        """Where these nodes are; -1 for those that are not."""
        return places_in(self.nodes, nodes)


def rank(
    home: Home,
    writer: IndexWriter,
    links: Iterable[tuple[bytes, PackedLinks]],
    records: Iterable[UrlRecord],
    *,
    damping: float = DAMPING,
    internal: float = 1.0,
    engine: Callable[[Graph], Ranks] | None = None,
    changed: Callable[[Sequence[IndexedPage]], None] = lambda _: None,
    tell: Tell = lambda _: None,
) -> Ranking:
    """Rank the live pages; `changed` is told of documents that must be indexed again.

    What was found before and is the same is not written again. `engine` is who works the ranks out
    instead of us.
    """
    indexed = indexed_pages(writer)
    pages = live_pages(indexed)
    tell(f"{len(pages.nodes):,} pages")
    builder, buckets = GraphBuilder(pages.nodes), LinkBuckets(len(pages.nodes))
    for sources, targets, anchors in _resolved(links, pages, Detours(records)):
        builder.add(pages.nodes[sources], pages.nodes[targets])
        buckets.add(sources, targets, anchors)
        tell(f"{buckets.links:,} links")
    graph = builder.build()
    ranks = (
        engine(graph)
        if engine
        else pagerank(
            graph, damping=damping, internal=internal, hosts=pages.hosts,
            tell=lambda count: tell(f"{buckets.links:,} links, iteration {count}"),
        )
    )  # fmt: skip
    found = levels(ranks)
    _keep_ranks(writer, indexed, pages, found)
    worth = worths(graph, ranks.values, pages.hosts, pages.sizes)
    home.reputation.set_worth(dict(zip(pages.names, worth.tolist(), strict=True)))
    count = 0
    for bucket in buckets:
        named = _named(bucket, pages, ranks, found, indexed)
        count += _keep(named, home, changed)
        tell(f"{bucket.last:,} of {len(pages.nodes):,} pages named")
    return Ranking(len(graph), graph.links, ranks.iterations, ranks.converged, count)


def live_pages(indexed: IndexedPages) -> Pages:
    """The pages that can be found now."""
    nodes, first = np.unique(nodes_of([page_ids(indexed.ids)]), return_index=True)
    hosts, names = indexed.hosts()
    in_order = hosts[first]
    sizes = np.bincount(in_order, minlength=len(names))
    return Pages(nodes, indexed.live[first], in_order, sizes, names)


class Detours:
    """Where the URLs lead that are no pages of their own: redirected, or copies of another."""

    def __init__(self, records: Iterable[UrlRecord]) -> None:
        urls, targets = bytearray(), bytearray()
        for record in records:
            if record.target and record.state in LEAVES:
                urls += record.id
                targets += url_id(record.target)
        self._nodes, first = np.unique(nodes_of([bytes(urls)]), return_index=True)
        self._ends = nodes_of([bytes(targets)])[first]

    def follow(self, nodes: Nodes, pages: Pages) -> Ints:
        """The places of the pages that nodes are, or lead to in a few steps; -1 for none."""
        places = pages.places(nodes)
        lost = np.flatnonzero(places < 0)
        at = nodes[lost]
        for _ in range(MOST_HOPS):
            steps = places_in(self._nodes, at)
            lost, at = lost[steps >= 0], self._ends[steps[steps >= 0]]
            places[lost] = pages.places(at)
            still = places[lost] < 0
            lost, at = lost[still], at[still]
        return places


def _resolved(
    links: Iterable[tuple[bytes, PackedLinks]], pages: Pages, detours: Detours
) -> Iterator[tuple[Ints, Ints, list[str]]]:
    """Links between pages, in lots: the places of their ends, and their words."""
    for sources, targets, anchors, followed in _lots(links):
        begins = pages.places(nodes_of(sources))
        lengths = [len(each) // 16 for each in targets]
        starts = np.repeat(begins, lengths)
        ends = detours.follow(nodes_of(targets), pages)
        good = np.flatnonzero((starts >= 0) & (ends >= 0) & (starts != ends) & np.array(followed))
        yield starts[good], ends[good], [anchors[place] for place in good.tolist()]


def _lots(
    links: Iterable[tuple[bytes, PackedLinks]],
) -> Iterator[tuple[list[bytes], list[bytes], list[str], list[bool]]]:
    sources: list[bytes] = []
    targets: list[bytes] = []
    anchors: list[str] = []
    followed: list[bool] = []
    for source, packed in links:
        sources.append(source)
        targets.append(packed.targets)
        begin = len(anchors)
        anchors += packed.anchors
        followed += [True] * len(packed.anchors)
        for place in packed.nofollow:
            followed[begin + place] = False
        if len(anchors) >= AT_ONCE:
            yield sources, targets, anchors, followed
            sources, targets, anchors, followed = [], [], [], []
    if anchors:
        yield sources, targets, anchors, followed


def _keep_ranks(writer: IndexWriter, indexed: IndexedPages, pages: Pages, found: Levels) -> None:
    """Write the levels of all segments in which one has changed."""
    by_number = np.zeros(int(indexed.begins[-1]), np.uint8)
    # All documents of a page have its rank.
    nodes = nodes_of([page_ids(indexed.ids)])
    by_number[indexed.live] = found[pages.places(nodes)] if len(found) else 0
    changed = {}
    for number, info in enumerate(indexed.infos):
        ours = by_number[indexed.begins[number] : indexed.begins[number + 1]]
        live = writer.opened.live(info)
        if not np.array_equal(ours[live], writer.opened.levels(info)[live]):
            changed[info.name] = ours
    if changed:
        put_levels(writer, changed)


def _keep(
    named: dict[UrlId, _Named], home: Home, changed: Callable[[Sequence[IndexedPage]], None]
) -> int:
    """Keep who links to some pages and what they call them; returns how many names have changed.

    What a page is called is compared with what it was indexed with: if RANK or INDEX died
    on the way, the next ranking repairs it. A page to which no link leads any more is known by the
    links that it had.
    """
    before = home.edges.inlinks(list(named))
    met = {
        page: (each, before.get(page, InLinks()))
        for page, each in named.items()
        if each.links.total or page in before
    }
    renamed = [id for id, each in named.items() if each.page.anchors != digest(kept(each.names))]
    home.documents.put_anchors({id: named[id].names for id in renamed})
    home.edges.put_inlinks(
        {page: each.links for page, (each, known) in met.items() if _is_other(known, each.links)}
    )
    # INDEX may begin at once, and reads both.
    changed([named[id].page for id in renamed])
    return len(renamed)


def _is_other(before: InLinks, after: InLinks) -> bool:
    is_near = abs(before.level - after.level) <= SLACK
    return not is_near or msgspec.structs.replace(before, level=after.level) != after


def _named(
    bucket: LinkBucket, pages: Pages, ranks: Ranks, found: Levels, indexed: IndexedPages
) -> dict[UrlId, _Named]:
    """The pages of a bucket by their ids."""
    linked = {group.target: group for group in bucket.by_target(ranks.values)}
    shown = {target: group.best(MOST_LINKS) for target, group in linked.items()}
    urls = _urls(shown.values(), pages, indexed)
    places = np.arange(bucket.first, bucket.last)
    named: dict[UrlId, _Named] = {}
    looked_up = indexed.look_up(pages.numbers[places].tolist())
    for place, page in zip(places.tolist(), looked_up, strict=True):
        named[page.id] = _Named(page)
        if place in linked:
            best = [InLink(urls[at], words) for at, words in shown[place].items() if at in urls]
            names = _names(linked[place], pages)
            links = InLinks(linked[place].total, best, int(found[place]))
            named[page.id] = _Named(page, links, names)
    return named


def _urls(shown: Iterable[dict[int, str]], pages: Pages, indexed: IndexedPages) -> dict[int, str]:
    """The URLs of pages by their places."""
    places = np.unique(np.array([place for some in shown for place in some], np.int64))
    urls = indexed.urls(pages.numbers[places].tolist())
    return dict(zip(places.tolist(), urls, strict=True))


def _names(linked: LinksTo, pages: Pages) -> list[str]:
    host = int(pages.hosts[linked.target])
    hosts, sources = pages.hosts[linked.sources].tolist(), linked.sources.tolist()
    said = zip(hosts, sources, linked.words(), strict=True)
    return names_of(said, host, int(pages.sizes[host]))
