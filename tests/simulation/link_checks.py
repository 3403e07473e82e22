"""When all is ranked and quiet: are links, names, ranks and clusters what the live pages say?"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from gossamer.batch.index import unindexed
from gossamer.batch.rank import LEAVES, MOST_HOPS
from gossamer.core.links.anchor_names import MOST_NAMES
from gossamer.core.links.pagerank import DAMPING, Ranks, levels
from gossamer.core.page.outlinks import MAX_NAMES
from gossamer.core.urls import url_id
from gossamer.homes import index_writer
from tests.simulation.indexed import indexed
from tests.simulation.web import anchor_of, items_of

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from tests.simulation.indexed import Indexed, LiveDocument
    from tests.simulation.simulation import Simulation
    from tests.simulation.spec import Anchor, PageSpec

Links = dict[str, dict[str, set[str]]]  # by target and source, the words of the links
Live = dict[str, list["LiveDocument"]]  # by URL, the documents of a page

ITERATIONS = 200
NEAR = 1  # levels by which two ways to compute a rank may differ


def check_all(run: Simulation, round_: int) -> None:
    """Every law of links that holds once RANK has come by."""
    if run.observer.violations:
        return
    found = indexed(run.home)
    live = found.pages
    links = _links(run, live)
    _check_inlinks(run, live, links)
    _check_names(run, found, links, round_)
    _check_ranks(run, live, links)
    _check_clusters(run, live, round_)
    if run.stage.is_embedded and unindexed(run.home, index_writer(run.home, run.kernel)):
        run.observer.violate("index", "documents were left out after ranking")


def _links(run: Simulation, live: Live) -> Links:
    """Who leads to whom, from the world and the ends of its URLs."""
    records = {record.url: record for record in run.home.urls.all() if record.purpose == "page"}
    links: Links = defaultdict(lambda: defaultdict(set))
    for source in live:
        page = run.web.content(source)
        for link in _distinct(page):
            target = _end(link.url, records)
            if link.nofollow or target == source or target not in live:
                continue
            links[target][source].add(anchor_of(page, link, run.document_of[source]))
    return links


def _distinct(page: PageSpec) -> list[Anchor]:
    """A page's links to each URL: those that are followed, if any is, by four words at most."""
    by_url: dict[str, dict[tuple[bool, str], Anchor]] = defaultdict(dict)
    for link in page.links:
        by_url[link.url].setdefault((link.nofollow, link.word), link)
    named: list[Anchor] = []
    for links in by_url.values():
        followed = [link for link in links.values() if not link.nofollow]
        named += (followed or list(links.values()))[:MAX_NAMES]
    ignored = page.kind == "dead-end"
    return [replace(link, nofollow=link.nofollow or ignored) for link in named]


def _end(url: str, records: dict[str, UrlRecord]) -> str:
    """Where a URL leads, through redirects and copies."""
    for _ in range(MOST_HOPS):
        record = records.get(url)
        if record is None or record.state not in LEAVES or not record.target:
            break
        url = record.target
    return url


def _check_inlinks(run: Simulation, live: Live, links: Links) -> None:
    known = run.home.edges.inlinks([url_id(url) for url in live])
    for url in live:
        told = known[url_id(url)].total if url_id(url) in known else 0
        if told != len(links[url]):
            run.observer.violate(
                "in-links", f"{url} has {told}, not {len(links[url])}: {sorted(links[url])}"
            )


def _check_names(run: Simulation, found: Indexed, links: Links, round_: int) -> None:
    """A page is found by what others call it now, and not by what they called it once.

    Those who call it so say the word too; on a long page it may count as no part of the text.
    A page of several items and nothing else is called by no name: it would mean none of them.
    """
    called: dict[str, set[str]] = defaultdict(set)
    for target, sources in links.items():
        if not _has_main_document(run, target):
            continue
        words = set().union(*sources.values())
        if len(words) > MOST_NAMES:
            return
        for word in words:
            called[word].add(target)
    for word, sayers in _all_words(run, found.pages, round_).items():
        got = found.having(word)
        if not called[word] <= got <= called[word] | sayers:
            run.observer.violate(
                "anchors", f"{word!r} finds {sorted(got)}, not {sorted(called[word])}"
            )
            return


def _has_main_document(run: Simulation, url: str) -> bool:
    page = run.web.content(url)
    is_one = len(items_of(page, run.document_of[url])) == 1
    return page.kind != "items" or page.whole or is_one


def _all_words(run: Simulation, live: Live, round_: int) -> dict[str, set[str]]:
    """Every word that any link ever had, and the live pages that say it now."""
    sayers: dict[str, set[str]] = {
        anchor_of(page, link, version): set()
        for page in run.world.pages
        for link in page.links
        for version in range(1, round_ + 1)
    }
    for source in live:
        page = run.web.content(source)
        for link in page.links:
            sayers[anchor_of(page, link, run.document_of[source])].add(source)
    return sayers


def _check_ranks(run: Simulation, live: Live, links: Links) -> None:
    urls = sorted(live)
    wanted = _levels(urls, links)
    for url in urls:  # whose documents all have the rank of their page
        for document in live[url]:
            if abs(document.level - wanted[url]) > NEAR:
                run.observer.violate("ranks", f"{url} has {document.level}, not {wanted[url]}")


def _levels(urls: list[str], links: Links) -> dict[str, int]:
    """PageRank as its definition says it, link by link."""
    if not urls:
        return {}
    leads = defaultdict(set)
    for target, sources in links.items():
        for source in sources:
            leads[source].add(target)
    ranks, floor = dict.fromkeys(urls, 1 / len(urls)), 0.0
    for _ in range(ITERATIONS):
        idle = sum(rank for url, rank in ranks.items() if not leads[url])
        floor = (1 - DAMPING + DAMPING * idle) / len(urls)
        after = dict.fromkeys(urls, floor)
        for url, rank in ranks.items():
            for target in leads[url]:
                after[target] += DAMPING * rank / len(leads[url])
        ranks = after
    values = np.array([ranks[url] for url in urls])
    found = levels(Ranks(values, floor, ITERATIONS, 0.0, converged=True))
    return dict(zip(urls, found.tolist(), strict=True))


def _check_clusters(run: Simulation, live: Live, round_: int) -> None:
    """Pages are together only if they say the same at length; most that do are.

    Two that are indexed at the same moment may not know of each other: that is counted.
    """
    documents = [document for page in live.values() for document in page]
    for one, other in combinations(documents, 2):
        families = run.web.content(one.url).family, run.web.content(other.url).family
        is_alike = families[0] == families[1] != 0
        together = one.cluster == other.cluster != 0
        if together and not is_alike:
            run.observer.violate("similar", f"{one.url} and {other.url} are taken for one")
        if is_alike and round_ == 1:
            run.pairs["similar_pairs"] += 1
            run.pairs["similar_together"] += together
