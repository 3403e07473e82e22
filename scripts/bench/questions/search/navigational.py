"""Are pages found by the names that links give them?

Searches by text alone, with anchor texts, and with anchor texts and PageRank. The sites are the
demo, a generated handbook whose pages mostly lack their own names, and those of --sites. Claims are
made for the first two; real sites show whether the same helps elsewhere. The queries come from the
sites, and only those that mean exactly one page are used:

    names      every anchor text, but for single words that only one page uses
    own        names whose words are all in the page's title
    other      names with a word that the title lacks
    titles     every title
    held out   names used by only one half of the pages, searched while only the links of the other
               half are known; their pages are linked from the other half by other words
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.index import index_pending
from gossamer.batch.indexed_pages import indexed_pages
from gossamer.batch.rank import rank
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.links.anchor_names import MIN_SOURCES
from gossamer.core.search.metrics import quality
from gossamer.core.urls import url_id
from gossamer.entrypoints.demo.site import JOB, serve_demo
from gossamer.ports.edges import PackedLinks
from gossamer.ports.home import Home
from gossamer.settings import Settings
from scripts.bench.machine.processes import require
from scripts.bench.machine.progress import log
from scripts.bench.machine.running import Command
from scripts.bench.report import Claim, Report, Row, at_least
from scripts.bench.worlds import debian_sites
from scripts.bench.worlds.nginx import LOOPBACK, serve
from tests.sites.handbook import handbook

MIN_RATIO = 1.2
DEPTH = 100
MIN_QUERIES = 20  # fewer prove nothing
ID_BYTES = 16
DEFAULT = "anchors and rank"
# Weights of the rank, as multiples of the default.
SHARES = {
    "anchors": 0.0,
    DEFAULT: 1.0,
    "anchors, half the rank": 0.5,
    "anchors, twice the rank": 2.0,
}
TEXT = "text alone"

Queries = Mapping[str, str]  # query -> URL of the right page
OpenSite = Callable[[Path, argparse.Namespace], Home]
Anchors = Mapping[str, Mapping[bytes, set[bytes]]]  # text -> target -> sources


@dataclass(frozen=True, slots=True)
class Answered:
    """Mean reciprocal rank of the queries of one kind on one site, by profile."""

    site: str
    kind: str
    queries: int
    mrr: dict[str, float]

    def ratio(self, way: str) -> float:
        """MRR over that of text alone."""
        return self.mrr[way] / self.mrr[TEXT]

    def row(self) -> Row:
        """A line of the table: one kind of queries, all profiles."""
        ways = {way: f"{found:.4f} ({self.ratio(way):.3f} x)" for way, found in self.mrr.items()}
        return {"site": self.site, "asked": self.kind, "queries": str(self.queries)} | ways

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {"site": self.site, "kind": self.kind, "queries": self.queries, "mrr": self.mrr}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    debian_sites.add_sites(parser, default=())


def measure(settings: argparse.Namespace) -> Report:
    """Search every site before its links are ranked and after."""
    answered: list[Answered] = []
    chosen: dict[str, OpenSite] = dict(SITES)
    for real in debian_sites.find(settings.sites, settings.cache):
        chosen[real.name] = partial(_real, real)
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        for site, opened in chosen.items():
            with closing(opened(Path(folder) / site, settings)) as home:
                answered += _answered(site, home)
    claimed = [each for each in answered if each.site in SITES]
    claims = [_claim(each) for each in claimed if each.kind in ("names", "other")]
    return Report(
        question="navigational",
        rows=[each.row() for each in answered],
        claims=claims,
        runs=[each.record() for each in answered],
        summary={f"{each.site}, {each.kind}": round(each.ratio(DEFAULT), 4) for each in answered},
        notes=["mean reciprocal rank, and its ratio to that of text alone"],
    )


def _claim(found: Answered) -> Claim:
    name = f"{found.site}: MRR of {found.kind}, x text alone"
    return at_least(name, MIN_RATIO, found.ratio(DEFAULT), ".3f")


def _demo(folder: Path, settings: argparse.Namespace) -> Home:
    with serve_demo(settings.port) as base:
        return _crawled("demo", [f"{base}/", "--config", JOB], folder, settings)


def _real(site: debian_sites.Site, folder: Path, settings: argparse.Namespace) -> Home:
    with serve({LOOPBACK: site.root}, port=settings.port) as server:
        return _crawled(site.name, [f"{server.origin()}/", "--delay", "0"], folder, settings)


def _crawled(name: str, flags: Command, folder: Path, settings: argparse.Namespace) -> Home:
    crawl = [settings.gossamer, "crawl", *flags, "--allow-private", "--data", folder]
    require(crawl, limit=settings.limit)
    log(f"{name}: crawled")
    return _indexed(homes.open_home(Settings(data=str(folder))))


def _handbook(folder: Path, _: argparse.Namespace) -> Home:
    home = LocalHome(None, folder, homes.decode_body)
    for url, document in handbook().documents.items():
        home.documents.put(url_id(url), [document], 1.0)
        home.edges.put(url_id(url), handbook().links[url], 0, 1)
    return _indexed(home)


SITES: dict[str, OpenSite] = {"demo": _demo, "handbook": _handbook}


def _indexed(home: Home) -> Home:
    index_pending(home, homes.index_writer(home))
    return home


def _answered(site: str, home: Home) -> Iterator[Answered]:
    """All kinds of queries. Text alone comes first, before any link is ranked."""
    indexed = indexed_pages(homes.index_writer(home))
    pages = indexed.look_up(indexed.live.tolist())
    urls: dict[bytes, str] = {page.id: page.url for page in pages}
    anchors = _anchors(home, urls)
    names = _names(anchors, urls)
    own = _own(names, home)
    other = {words: url for words, url in names.items() if words not in own}
    kinds = {"names": names, "own": own, "other": other, "titles": _titles(home, urls)}
    held_out = {half: found for half in _halves(urls) if (found := _held_out(anchors, urls, half))}
    text = {kind: _mrr(home, queries) for kind, queries in kinds.items()}
    held_out_text = [_mrr(home, queries) for queries in held_out.values()]
    _rank(home, home.edges.packed())
    for kind, queries in kinds.items():
        yield Answered(site, kind, len(queries), {TEXT: text[kind], **_by_links(home, queries)})
    halves = []
    for half, queries in held_out.items():
        _rank(home, (links for links in home.edges.packed() if links[0] not in half))
        halves.append(_by_links(home, queries))
    count = sum(map(len, held_out.values()))
    if count >= MIN_QUERIES:
        means = {way: fmean(found[way] for found in halves) for way in halves[0]}
        yield Answered(site, "held out", count, {TEXT: fmean(held_out_text), **means})


def _anchors(home: Home, urls: Mapping[bytes, str]) -> Anchors:
    anchors = defaultdict[str, dict[bytes, set[bytes]]](dict)
    for source, some in home.edges.packed():
        for place, anchor in enumerate(some.anchors):
            target = some.targets[ID_BYTES * place : ID_BYTES * (place + 1)]
            words = " ".join(anchor.split()).casefold()
            is_followed = place not in some.nofollow and source != target
            if words and is_followed and source in urls and target in urls:
                anchors[words].setdefault(target, set()).add(source)
    return anchors


def _names(anchors: Anchors, urls: Mapping[bytes, str]) -> Queries:
    """Anchor texts that lead to one page only; a word that one page alone uses is no name."""
    return {
        words: urls[page]
        for words, pages in anchors.items()
        if len(pages) == 1
        for page, sources in pages.items()
        if len(sources) >= MIN_SOURCES or " " in words
    }


def _own(names: Queries, home: Home) -> Queries:
    """Names whose terms are all in the title of their page."""
    analyzer = homes.analyzer_of(home)
    found = home.documents.read([document_id(url_id(url)) for url in set(names.values())])
    titles = {v.document.url: set(analyzer.terms(v.document.title)) for v in found}
    terms = {words: set(analyzer.terms(words)) for words in names}
    return {words: url for words, url in names.items() if terms[words] <= titles[url]}


def _held_out(anchors: Anchors, urls: Mapping[bytes, str], half: frozenset[bytes]) -> Queries:
    """Names that only this half of the pages uses, of pages that the other half links to."""
    uses = [(words, page, by) for words, pages in anchors.items() for page, by in pages.items()]
    known = {words for words, _, by in uses if not by <= half}
    linked = {urls[page] for _, page, by in uses if not by <= half}
    names = _names({words: pages for words, pages in anchors.items() if words not in known}, urls)
    return {words: url for words, url in names.items() if url in linked}


def _halves(urls: Mapping[bytes, str]) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Every other page in the order of URLs, so that the port does not matter."""
    in_order = sorted(urls, key=urls.__getitem__)
    return frozenset(in_order[::2]), frozenset(in_order[1::2])


def _titles(home: Home, urls: Mapping[bytes, str]) -> Queries:
    pages = defaultdict[str, list[str]](list)
    for version in home.documents.read([document_id(UrlId(id)) for id in urls]):
        pages[version.document.title].append(urls[page_of(version.id)])
    return {title: named[0] for title, named in pages.items() if title and len(named) == 1}


def _rank(home: Home, links: Iterable[tuple[bytes, PackedLinks]]) -> None:
    rank(home, homes.index_writer(home), links, home.urls.all())
    home.commit()
    _indexed(home)


def _by_links(home: Home, queries: Queries) -> dict[str, float]:
    return {way: _mrr(home, queries, share) for way, share in SHARES.items()}


def _mrr(home: Home, queries: Queries, share: float = 1.0) -> float:
    searcher = homes.searcher(home)
    usual = searcher.profiles["bm25"]
    blend = msgspec.structs.replace(usual.blend, rank=share * usual.blend.rank)
    searcher.profiles["bm25"] = replace(usual, blend=blend)
    found = [quality(searcher.ranking(q, DEPTH), {url: 1}) for q, url in queries.items()]
    return fmean([each.mrr for each in found if each] or [0.0])
