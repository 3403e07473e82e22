"""Does RANK rank what is there, say who links to it, and name it as others do?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest

# The public function asks SciPy; this is the same in Python, and networkx tests both alike.
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as networkx_pagerank

from gossamer.adapters.local.home import LocalHome
from gossamer.batch.index import index_batch
from gossamer.batch.indexed_pages import IndexedPage, indexed_pages
from gossamer.batch.rank import MOST_LINKS, Ranking, rank
from gossamer.core.collection import IndexSchema
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import document_id, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import kept
from gossamer.core.links import link_buckets
from gossamer.core.links.anchor_names import MOST_BYTES, MOST_NAMES
from gossamer.core.page.document import Document
from gossamer.core.urls import host_of, url_id
from gossamer.homes import decode_body
from gossamer.messages import Link
from gossamer.ports.documents import Version
from gossamer.ports.edges import InLink, InLinks
from tests.indexing import index_all, live_versions, writer_of
from tests.life import bring


@dataclass
class Names:
    """Documents, of which only their names are of interest."""

    kept: dict[bytes, list[str]] = field(default_factory=dict)

    def put_anchors(self, called):
        self.kept |= {id: list(anchors) for id, anchors in called.items()}

    def __getitem__(self, url):
        return self.kept.get(url_id(url), [])


@dataclass
class Web:
    """A home with live pages and links between them."""

    home: LocalHome
    names: Any = field(default_factory=Names)
    changed: list[str] = field(default_factory=list)

    def live(self, *urls, parts=(0,)):
        index_all(self.writer(), [self.version(url, part) for url in urls for part in parts])

    def version(self, url, part=0) -> Version:
        """A page as it is indexed, with the names that it has by now."""
        id = document_id(url_id(url), part)
        return Version(id, 100.0, Document(url=url), kept(self.names[url]))

    def writer(self):
        return writer_of(self.home.index)

    def link(self, source, *links):
        made = [link if isinstance(link, Link) else Link(link, f"to {link}") for link in links]
        self.home.edges.put(url_id(source), made, 0, 1)

    def leads(self, url, target, state=State.REDIRECTED):
        self.home.urls.add([Discovery(url_id(url), url, host_of(url), 1)], b"", 100.0)
        bring(self.home.urls, url_id(url), state, UrlChange(target=target))

    def rank(self, *, indexed=True, **more) -> Ranking:
        """Rank; then, unless a process dies, index the names of the pages."""
        home = self.home
        home.documents = self.names
        renamed: list[IndexedPage] = []
        links, records = home.edges.packed(), home.urls.all()
        done = rank(home, self.writer(), links, records, changed=renamed.extend, **more)
        self.changed = [page.url for page in renamed]
        if indexed:
            self.index(*self.changed)
        return done

    def index(self, *urls):
        """Index pages again, as INDEX does it."""
        versions = [self.version(url) for url in urls]
        index_batch(versions, self.home, self.writer(), Analyzer(), IndexSchema())

    def levels(self):
        """The levels by URL."""
        writer = self.writer()
        found = indexed_pages(writer)
        levels = np.concatenate([writer.opened.levels(info) for info in found.infos])
        urls = found.urls(found.live.tolist())
        return dict(zip(urls, levels[found.live].tolist(), strict=True))

    def inlinks(self, url):
        """Who links there, without its level."""
        found = self.home.edges.inlinks([url_id(url)]).get(url_id(url))
        return found and InLinks(found.total, found.links)


@pytest.fixture
def web(tmp_path):
    home = LocalHome(None, tmp_path, decode_body)
    yield Web(home)
    home.close()


def pages(count, host="a.test"):
    return [f"http://{host}/{number}" for number in range(count)]


# ── ranks ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("internal", [1.0, 0.25])
def test_ranks_are_those_of_networkx_in_a_byte(web, internal):
    chance = Random(7)
    known = [*pages(20), *pages(10, "b.test")]
    web.live(*known)
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    for source in known[3:]:
        targets = sorted(set(chance.choices(known, k=4)) - {source})
        web.link(source, source, *targets, *targets[:1])
        for target in targets:
            same = host_of(source) == host_of(target)
            graph.add_edge(source, target, weight=internal if same else 1.0)

    done = web.rank(internal=internal)

    exact = networkx_pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    lost = sum(exact[page] for page in known if not graph.out_degree(page))
    floor = (0.15 + 0.85 * lost) / len(known)
    highest = np.log(max(exact.values()) / floor)
    wanted = {url: 255 * np.log(max(value / floor, 1.0)) / highest for url, value in exact.items()}
    assert (done.nodes, done.links, done.converged) == (30, graph.number_of_edges(), True)
    found = web.levels()
    assert all(abs(found[url] - wanted[url]) <= 0.51 for url in known)


def test_links_marked_nofollow_and_to_oneself_count_for_nothing(web):
    a, b, c = pages(3)
    web.live(a, b, c)
    web.link(a, a, Link(b, "b", True), c)

    done = web.rank()

    assert done.links == 1
    assert web.levels() == {a: 0, b: 0, c: 255}
    assert web.inlinks(b) is None
    assert web.names[b] == []


@pytest.mark.parametrize("state", [State.REDIRECTED, State.DUPLICATE])
def test_a_link_counts_for_the_page_that_its_target_leads_to(web, state):
    a, b = pages(2)
    steps = [f"http://a.test/step{number}" for number in range(5)]
    web.live(a, b)
    for before, after in zip(steps, [*steps[1:], b], strict=True):
        web.leads(before, after, state)
    web.link(a, Link(steps[0], "far away"))

    web.rank()

    assert web.inlinks(b) == InLinks(1, [InLink(a, "far away")])
    assert web.names[b] == ["far away"]


def test_a_target_that_leads_too_far_or_in_a_circle_is_none(web):
    a, b = pages(2)
    steps = [f"http://a.test/step{number}" for number in range(6)]
    web.live(a, b)
    for before, after in zip(steps, [*steps[1:], b], strict=True):
        web.leads(before, after)
    web.leads("http://a.test/x", "http://a.test/y")
    web.leads("http://a.test/y", "http://a.test/x")
    web.link(a, steps[0], "http://a.test/x")

    assert web.rank().links == 0


def test_a_page_that_is_live_is_itself_whatever_it_led_to_once(web):
    a, b, c = pages(3)
    web.live(a, b, c)
    web.leads(b, c)
    web.link(a, b)

    web.rank()

    assert web.inlinks(b) is not None
    assert web.inlinks(c) is None


def test_links_of_pages_that_are_not_live_are_left_out(web):
    a, b, copy = pages(3)
    web.live(a, b)
    web.leads(copy, a, State.DUPLICATE)
    web.link(copy, b)
    web.link("http://a.test/gone", b)

    assert web.rank().links == 0


def test_without_pages_there_is_nothing_to_rank(web):
    web.link("http://a.test/", "http://a.test/x")

    assert web.rank() == Ranking(0, 0, 0, True, 0)
    assert web.home.index.manifest().version == 0


def test_what_is_the_same_is_not_written_again(web):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, b)
    web.rank()
    version = web.home.index.manifest().version

    again = web.rank()

    assert again.anchors_changed == 0
    assert web.home.index.manifest().version == version


def test_a_page_that_is_indexed_again_keeps_its_rank(web):
    a, b, c, new = pages(4)
    web.live(a, b, c)
    web.link(a, b, c)
    web.link(b, c)
    web.rank()
    before = web.levels()

    web.index(c, b, new)

    assert web.levels() == before | {new: 0}


def test_all_documents_of_a_page_have_its_rank_and_it_is_one_page(web):
    a, b = pages(2)
    web.live(a)
    web.live(b, parts=(0, 1, 256))
    web.link(a, b)

    done = web.rank(indexed=False)

    assert (done.nodes, done.links) == (2, 1)
    writer = web.writer()
    levels = [writer.opened.levels(info).tolist() for info in web.home.index.manifest().segments]
    assert levels == [[0], [255, 255, 255]]


def test_an_index_of_which_all_is_removed_is_no_page_to_rank(web):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, b)
    live = live_versions(web.home.index)
    index_all(web.writer(), gone={page_of(id): at for id, at in live.items()})

    assert web.rank() == Ranking(0, 0, 0, True, 0)


# ── who links here ────────────────────────────────────────────────────────────────────────────────


def test_the_best_of_many_links_are_shown_and_all_are_counted(web):
    hub, best, *others = pages(MOST_LINKS + 20)
    web.live(hub, best, *others)
    for source in [best, *others]:
        web.link(source, Link(hub, f"of {source}"))
    web.link(hub, best)

    web.rank()

    found = web.inlinks(hub)
    assert (found.total, len(found.links)) == (MOST_LINKS + 19, MOST_LINKS)
    assert found.links[0] == InLink(best, f"of {best}")


def test_a_page_that_links_twice_is_one_with_the_words_that_it_has(web):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, Link(b, ""), Link(b, "  two\n words "), Link(b, ""))

    web.rank()

    assert web.inlinks(b) == InLinks(1, [InLink(a, "two words")])


def test_a_page_that_lost_its_links_lost_its_names_too(web):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, Link(b, "the bee"))
    web.rank()
    web.link(a)

    done = web.rank()

    assert web.inlinks(b) == InLinks()
    assert web.names[b] == []
    assert (done.anchors_changed, web.changed) == (1, [b])


def test_stretches_join_to_the_same_answer(web, monkeypatch):
    known = pages(40)
    web.live(*known)
    for number, source in enumerate(known):
        web.link(source, *(known[(number * step) % 40] for step in (3, 5, 7)))
    web.rank(indexed=False)
    whole = {url: (web.inlinks(url), web.names[url]) for url in known}
    other = Web(web.home)
    other.home.edges.put_inlinks({url_id(url): InLinks() for url in known})
    monkeypatch.setattr(link_buckets, "WIDTH", 3)

    other.rank()

    assert {url: (other.inlinks(url), other.names[url]) for url in known} == whole


def test_a_crash_before_the_links_are_kept_tells_the_names_again(web, monkeypatch):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, Link(b, "the bee"))
    with monkeypatch.context() as patch:
        patch.setattr(web.home.edges, "put_inlinks", crash)
        with pytest.raises(ZeroDivisionError):
            web.rank()

    web.rank()

    assert web.changed == [b]


def crash(_found):
    raise ZeroDivisionError


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


def test_names_that_changed_are_told_once(web):
    a, b, c = pages(3)
    web.live(a, b, c)
    web.link(a, Link(b, "the bee"), Link(c, "the sea"))

    first = web.rank()
    told = set(web.changed)
    second = web.rank()

    assert (first.anchors_changed, told) == (2, {b, c})
    assert (second.anchors_changed, web.changed) == (0, [])


def test_names_that_were_told_and_not_indexed_are_told_again(web):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, Link(b, "the bee"))

    web.rank(indexed=False)
    web.rank()

    assert web.changed == [b]


def test_a_word_that_one_page_uses_is_no_name(web):
    """One stray link made gettext the first result for `install`."""
    target, *others = pages(4)
    web.live(target, *others)
    for source in others:
        web.link(source, Link(target, "gettext"))
    web.link(others[0], Link(target, "gettext"), Link(target, "install"), Link(target, "the guide"))

    web.rank()

    assert web.names[target] == ["gettext"] * 3 + ["the guide"]


def test_what_every_page_of_a_host_says_is_navigation_and_one_voice(web):
    target, *others = pages(20)
    web.live(target, *others)
    for number, source in enumerate(others):
        web.link(source, Link(target, "All topics"), Link(target, f"silk {number % 5}"))

    web.rank()

    said = Counter(web.names[target])
    assert said["All topics"] == 1
    assert [said[f"silk {number}"] for number in range(5)] == [4, 4, 4, 4, 3]


@pytest.mark.parametrize("words", ["Next", "Home", "»"])
def test_what_says_nothing_does_not_count_in_navigation_either(web, words):
    target, *others = pages(20)
    web.live(target, *others)
    for source in others:
        web.link(source, Link(target, words))

    web.rank()

    assert web.names[target] == []


def test_what_few_pages_say_is_no_navigation_however_small_the_host(web):
    target, *others = pages(5)
    web.live(target, *others)
    for source in others:
        web.link(source, Link(target, "Silk"))

    web.rank()

    assert web.names[target] == ["Silk"] * 4


def test_another_host_says_what_it_says(web):
    (target,) = pages(1)
    others = pages(20, "b.test")
    web.live(target, *others)
    for source in others:
        web.link(source, Link(target, "Home"))

    web.rank()

    assert set(web.names[target]) == {"Home"}


@pytest.mark.parametrize("words", ["here", "Next", "HOME", "»", "", "  ", "Read  more"])
def test_words_that_say_nothing_are_no_name(web, words):
    a, b = pages(2)
    web.live(a, b)
    web.link(a, Link(b, words))

    web.rank()

    assert web.names[b] == []


def test_a_name_is_one_in_whatever_letters_and_in_whatever_order_it_is_read(web):
    a, b, c = pages(3)
    web.live(a, b, c)
    web.link(a, Link(c, "SILK"), Link(c, "silk"))
    web.link(b, Link(c, "Silk"))

    web.rank()

    assert web.names[c] == ["SILK", "SILK"]


def test_names_are_limited_in_number_and_size(web):
    a, b, c = pages(3)
    web.live(a, b, c)
    web.link(a, *(Link(b, f"name {number}") for number in range(100)))
    web.link(b, *(Link(c, f"{number} " + "ü" * 400) for number in range(100)))

    web.rank()

    assert len(web.names[b]) == MOST_NAMES
    assert 0 < len("".join(web.names[c]).encode()) <= MOST_BYTES
