"""RANK: compute ranks, incoming links and names of pages from all links.

One pass over the links. Each goes to the graph, and packed to the others of its bucket of targets;
bucket by bucket it is then worked out who links to a page and what they call it. So memory grows
by about 20 bytes for a link and by no text that is not needed at the moment.

Ranks lie by ordinal, and a page that is indexed again gets another ordinal. So its rank stands
beside its links too, and `follow` gives it to the new ordinal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer.core.crawl.host_worth import worths
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import page_of
from gossamer.core.index.anchors import digest, kept
from gossamer.core.links.anchor_names import names_of
from gossamer.core.links.graph import GraphBuilder, Nodes, nodes_of, places_in
from gossamer.core.links.link_buckets import LinkBuckets
from gossamer.core.links.pagerank import DAMPING, levels, pagerank
from gossamer.core.urls import host_of, url_id
from gossamer.ports.edges import InLink, InLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.ids import DocumentId
    from gossamer.core.links.graph import Graph, Ints
    from gossamer.core.links.link_buckets import LinkBucket, LinksTo
    from gossamer.core.links.pagerank import Ranks
    from gossamer.ports.edges import EdgeStore, PackedLinks
    from gossamer.ports.home import Home
    from gossamer.ports.index import IndexStore
    from gossamer.ports.live_documents import Ordinal

    Levels = npt.NDArray[np.uint8]
    Tell = Callable[[str], None]

MOST_HOPS = 5  # from a URL to the page that it leads to
MOST_LINKS = 50  # that are shown of those that lead to a page
SLACK = 4  # levels; a rank that moved by less is not worth writing a page's links again
LOOKED_UP = 10_000  # ordinals at a time
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

    page: Ordinal
    links: InLinks = InLinks()  # noqa: RUF009 frozen
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The live pages, by node: place i of every array is the same page."""

    nodes: Nodes
    ordinals: Ints
    hosts: Ints  # numbers: equal for the same host
    sizes: Ints  # by such a number: how many pages the host has
    names: Sequence[str]  # by such a number: of the host

    def places(self, nodes: Nodes) -> Ints:
        """Where these nodes are; -1 for those that are not."""
        return places_in(self.nodes, nodes)


def rank(
    home: Home,
    links: Iterable[tuple[bytes, PackedLinks]],
    records: Iterable[UrlRecord],
    *,
    damping: float = DAMPING,
    internal: float = 1.0,
    engine: Callable[[Graph], Ranks] | None = None,
    changed: Callable[[Sequence[Ordinal]], None] = lambda _: None,
    tell: Tell = lambda _: None,
) -> Ranking:
    """Rank the live pages; `changed` is told of documents that must be indexed again.

    What was found before and is the same is not written again. `engine` is who works the ranks out
    instead of us.
    """
    index = home.index
    pages = live_pages(index)
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
        else pagerank(graph, damping=damping, internal=internal, hosts=pages.hosts)
    )
    tell(f"{ranks.iterations} iterations")
    found = levels(ranks)
    _keep_ranks(index, pages, found)
    worth = worths(graph, ranks.values, pages.hosts, pages.sizes)
    home.reputation.set_worth(dict(zip(pages.names, worth.tolist(), strict=True)))
    count = 0
    for bucket in buckets:
        named = _named(bucket, pages, ranks, found, index)
        count += _keep(named, home, changed)
        tell(f"{bucket.last:,} of {len(pages.nodes):,} pages named")
    return Ranking(len(graph), graph.links, ranks.iterations, ranks.converged, count)


def live_pages(index: IndexStore) -> Pages:
    """The pages that can be found now."""
    numbers: dict[str, int] = {}
    ids: list[bytes] = []
    ordinals: list[int] = []
    hosts: list[int] = []
    for page in _looked_up(index, index.live()):
        ids.append(page.id)
        ordinals.append(page.ordinal)
        hosts.append(numbers.setdefault(host_of(page.url), len(numbers)))
    nodes, first = np.unique(nodes_of(ids), return_index=True)
    in_order = np.array(hosts, np.int64)[first]
    sizes = np.bincount(in_order, minlength=len(numbers))
    return Pages(nodes, np.array(ordinals, np.int64)[first], in_order, sizes, list(numbers))


def _looked_up(index: IndexStore, ordinals: Sequence[int]) -> Iterator[Ordinal]:
    for begin in range(0, len(ordinals), LOOKED_UP):
        yield from index.look_up(ordinals[begin : begin + LOOKED_UP]).values()


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


def follow(index: IndexStore, edges: EdgeStore) -> int:
    """Give pages that were indexed again the rank they had; returns how many ordinals were new.

    New ordinals are higher than all that were ranked.
    """
    ranks = index.ranks()
    new = [ordinal for ordinal in index.live() if ordinal >= len(ranks)] if ranks else []
    if not new:
        return 0
    more = bytearray(max(new) + 1 - len(ranks))
    for begin in range(0, len(new), LOOKED_UP):
        pages = index.look_up(new[begin : begin + LOOKED_UP])
        known = edges.inlinks([page_of(page.id) for page in pages.values()])
        for ordinal, page in pages.items():
            more[ordinal - len(ranks)] = known.get(page_of(page.id), InLinks()).level
    index.put_ranks(ranks + bytes(more))
    return len(new)


def _keep_ranks(index: IndexStore, pages: Pages, found: Levels) -> None:
    by_ordinal = np.zeros(int(pages.ordinals.max(initial=-1)) + 1, np.uint8)
    by_ordinal[pages.ordinals] = found
    if by_ordinal.tobytes() != index.ranks():
        index.put_ranks(by_ordinal.tobytes())


def _keep(
    named: dict[DocumentId, _Named], home: Home, changed: Callable[[Sequence[Ordinal]], None]
) -> int:
    """Keep who links to some pages and what they call them; returns how many names have changed.

    What a page is called is compared with what it was indexed with: if RANK or INDEX died
    on the way, the next ranking repairs it. A page to which no link leads any more is known by the
    links that it had.
    """
    before = home.edges.inlinks(list(map(page_of, named)))
    met = {
        page: (each, before.get(page, InLinks()))
        for page, each in ((page_of(id), each) for id, each in named.items())
        if each.links.total or page in before
    }
    renamed = [id for id, each in named.items() if each.page.anchors != digest(kept(each.names))]
    home.documents.put_anchors({id: named[id].names for id in renamed})
    changed([named[id].page for id in renamed])
    home.edges.put_inlinks(
        {page: each.links for page, (each, known) in met.items() if _is_other(known, each.links)}
    )
    return len(renamed)


def _is_other(before: InLinks, after: InLinks) -> bool:
    is_near = abs(before.level - after.level) <= SLACK
    return not is_near or msgspec.structs.replace(before, level=after.level) != after


def _named(
    bucket: LinkBucket, pages: Pages, ranks: Ranks, found: Levels, index: IndexStore
) -> dict[DocumentId, _Named]:
    """The pages of a bucket by their ids."""
    linked = {group.target: group for group in bucket.by_target(ranks.values)}
    shown = {target: group.best(MOST_LINKS) for target, group in linked.items()}
    urls = _urls(shown.values(), pages, index)
    places = np.arange(bucket.first, bucket.last)
    ordinals = _ordinals(pages, places)
    live = {page.ordinal: page for page in _looked_up(index, ordinals)}
    named: dict[DocumentId, _Named] = {}
    for place, ordinal in zip(places.tolist(), ordinals, strict=True):
        page = live.get(ordinal)
        if page is None:  # gone since
            continue
        named[page.id] = _Named(page)
        if place in linked:
            best = [InLink(urls[at], words) for at, words in shown[place].items() if at in urls]
            names = _names(linked[place], pages)
            links = InLinks(linked[place].total, best, int(found[place]))
            named[page.id] = _Named(page, links, names)
    return named


def _urls(shown: Iterable[dict[int, str]], pages: Pages, index: IndexStore) -> dict[int, str]:
    """The URLs of pages by their places."""
    places = np.unique(np.array([place for some in shown for place in some], np.int64))
    ordinals = _ordinals(pages, places)
    urls = {page.ordinal: page.url for page in _looked_up(index, ordinals)}
    found = zip(places.tolist(), ordinals, strict=True)
    return {place: urls[ordinal] for place, ordinal in found if ordinal in urls}


def _names(linked: LinksTo, pages: Pages) -> list[str]:
    host = int(pages.hosts[linked.target])
    said = zip(pages.hosts[linked.sources].tolist(), linked.words(), strict=True)
    return names_of(((by, *link) for by, link in said), host, int(pages.sizes[host]))


def _ordinals(pages: Pages, places: Ints) -> list[int]:
    found: list[int] = pages.ordinals[places].tolist()
    return found
