"""Is a page found by the name that everybody but itself gives it?

A generated handbook of sixty pages. A third of them have their name in the title, the others open
with something else, as real pages do ("Welcome!", an image, a form). Pages that lead to a page
call it by its name, in the middle of their own text, which is why a search without anchors finds
the signposts instead of the place; some say only "click here".
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

import pytest

from gossamer import retrieval
from gossamer.adapters.local.home import LocalHome, open_home
from gossamer.core.document import Document
from gossamer.core.evaluation import quality
from gossamer.core.urls import url_id
from gossamer.entrypoints.indexing import index_pending
from gossamer.runtime import decode_body

PAGES, LINKS, NAMED_BY_THEMSELVES = 60, 6, 3
FIRST = (
    *("annual", "travel", "parental", "expense", "remote"),
    *("safety", "supplier", "quality", "customer", "budget"),
)
SECOND = ("leave", "policy", "report", "claims", "training", "review")
FILLER = (
    *("please", "see", "the", "details", "below", "and", "contact", "your", "team", "if"),
    *("something", "is", "missing", "forms", "are", "signed", "by", "both", "sides", "then"),
    *("sent", "to", "an", "office", "in", "time", "every", "quarter", "we", "keep", "them"),
)
VAGUE = ("click here", "more", "this page")


@dataclass
class Site:
    documents: dict[str, Document] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # what is asked, by the page that is meant
    anchors: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


@cache
def handbook() -> Site:
    source = random.Random(6)
    site = Site()
    names = [f"{a} {b}" for a in FIRST for b in SECOND]
    urls = [f"http://handbook.test/{number}" for number in range(PAGES)]
    site.names = dict(zip(urls, names, strict=True))
    for number, url in enumerate(urls):
        words = source.choices(FILLER, k=source.randint(40, 120))
        others = [urls[(number + 1) % PAGES], *source.sample(urls, LINKS)]
        for target in dict.fromkeys(other for other in others if other != url):
            anchor = source.choice(VAGUE) if source.random() < 0.2 else site.names[target]
            site.anchors[target].append(anchor)
            words.insert(source.randrange(len(words)), anchor)
        names_itself = number % NAMED_BY_THEMSELVES == 0
        title = site.names[url] if names_itself else source.choice(("Welcome", "Overview", ""))
        site.documents[url] = Document(url=url, title=title, text=" ".join(words))
    return site


@pytest.fixture
def home(tmp_path):
    made = open_home(None, tmp_path, decode_body)
    for url, document in handbook().documents.items():
        made.documents.put(url_id(url), document, 1.0)
    yield made
    made.close()


def indexed(home: LocalHome) -> int:
    return index_pending(home, retrieval.analyzer_of(home.index), retrieval.WEIGHTS)


def mean_reciprocal_rank(home: LocalHome) -> float:
    searcher = retrieval.searcher(home)
    ranks = []
    for url, name in handbook().names.items():
        found = quality(searcher.ranking(name, PAGES), {url: 1})
        assert found is not None
        ranks.append(found.mrr)
    return sum(ranks) / len(ranks)


def test_anchors_raise_the_reciprocal_rank_of_pages_that_are_looked_for_by_name(home):
    assert indexed(home) == PAGES
    without = mean_reciprocal_rank(home)

    for url, anchors in handbook().anchors.items():
        home.documents.put_anchors({url_id(url): anchors})
    assert indexed(home) == PAGES
    with_anchors = mean_reciprocal_rank(home)

    print(f"MRR {without:.3f} without anchors, {with_anchors:.3f} with")
    assert without > 0.2  # a search by words alone is not made a fool of
    assert with_anchors >= 1.2 * without
    assert with_anchors > 0.9


def test_when_all_anchors_have_vanished_the_answers_are_those_of_before(home):
    indexed(home)
    before = {name: answers(home, name) for name in handbook().names.values()}
    for exist in (True, False):
        for url, anchors in handbook().anchors.items():
            home.documents.put_anchors({url_id(url): anchors if exist else []})
        indexed(home)

    assert {name: answers(home, name) for name in before} == before


def answers(home: LocalHome, query: str) -> dict[str, float]:
    found = retrieval.searcher(home).search(query, limit=PAGES).hits
    return {hit.url: hit.score for hit in found}
