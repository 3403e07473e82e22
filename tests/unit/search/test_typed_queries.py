"""Does whoever types a query get results, and only what matches where that is asked?"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import QueryError
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.search.fill_up import MIN_RESULTS
from gossamer.core.search.lexemes import MAX_TERMS
from gossamer.ports.documents import Version
from gossamer.search.groups.group import Group
from gossamer.search.groups.groups import Groups
from gossamer.search.searcher import Searcher
from tests.groups import Function
from tests.indexing import index_all, writer_of

PAGES = 40
WORDS = [
    f"{a}{b}" for a in ("bor", "cal", "del", "fin", "gor") for b in ("ato", "ima", "upe", "ove")
]


class NoDocuments:
    reads = 0.0

    def read(self, ids: list[Any], **_: bool) -> list[Version]:
        return []


def version(number: int, text: str, language: str = "en") -> Version:
    id = document_id(UrlId((b"%04d" % number).ljust(16, b"\0")))
    url = f"http://{'a' if number % 2 else 'b'}.test/{number}"
    return Version(id, 1.0, Document(url=url, text=text, language=language))


def searchers(texts: list[str], **settings: Any) -> list[Searcher]:
    """Answer from one process, and from groups of two segments or more."""
    index = LocalSegmentStore(Store(None), None)
    half = len(texts) // 2
    batch = [version(number, text) for number, text in enumerate(texts)]
    for part in (batch[:half], batch[half:]):
        index_all(writer_of(index), part)
    documents: Any = NoDocuments()
    asked = index, documents, Analyzer(), CollectionSettings(**settings)
    groups = Groups(Function(Group(*asked)), most=half)
    return [
        Searcher(*asked, lambda: 0.0),
        Searcher(*asked, lambda: 0.0, groups=groups),
    ]


@pytest.fixture(scope="module")
def spiders() -> list[Searcher]:
    """Have twelve pages about spider silk, three about orb webs, and others."""
    texts = [f"spider silk is strong {WORDS[n % 9]}" for n in range(12)]
    texts += [f"an orb web of silk {WORDS[n]}" for n in range(3)]
    texts += [f"a web and a spider and an orb {WORDS[n % 9]}" for n in range(PAGES - 25)]
    texts += ["important rules for all"] * 10
    return searchers(texts)


@pytest.mark.parametrize("query", ["ls | wc -l", "!important", "rm -rf", "gcc -O2", "(a", '"b'])
def test_command_lines_and_code_have_results(query):
    texts = ["ls and wc count l lines", "rm removes rf", "gcc has O2", "important", "a b"]

    for searcher in searchers(texts):
        assert searcher.search(query).hits, query


def test_an_exclusion_that_leaves_nothing_is_read_as_text():
    for searcher in searchers(["important things", "important others"]):
        found = searcher.search("!important")
        assert (found.total, found.filled, found.mode) == (2, 2, "boolean")
        assert searcher.search("!important", strict=True).total == 0


def test_few_exact_results_are_filled_up_to_ten(spiders):
    for searcher in spiders:
        exact = searcher.search("silk & web", strict=True)
        found = searcher.search("silk & web")

        assert (exact.total, exact.filled) == (3, 0)
        assert [hit.id for hit in found.hits[:3]] == [hit.id for hit in exact.hits]
        assert [hit.filled for hit in found.hits] == [False] * 3 + [True] * 7
        assert [hit.rank for hit in found.hits] == [*range(1, 11)]
        assert (found.total, found.filled, found.left) == (MIN_RESULTS, 7, 0)
        assert "3 pages match" in found.notes[0]


def test_pages_of_a_filled_answer_follow_one_another(spiders):
    for searcher in spiders:
        whole = searcher.search("silk & web")
        pages = [searcher.search("silk & web", page=n, limit=4) for n in (1, 2, 3, 4)]

        assert [hit.id for page in pages for hit in page.hits] == [hit.id for hit in whole.hits]
        assert {(page.total, page.filled) for page in pages} == {(10, 7)}
        assert searcher.search("silk & web", limit=50).hits == whole.hits


def test_what_is_excluded_or_on_another_site_fills_up_nothing(spiders):
    for searcher in spiders:
        for hit in searcher.search("orb & silk -spider").hits:
            assert "spider" not in hit.snippet
        found = searcher.search("orb & silk & site:a.test")
        assert found.filled
        assert {hit.url[:13] for hit in found.hits} == {"http://a.test"}
        found = searcher.search("orb & silk", filters=["site:b.test"])
        assert found.filled
        assert {hit.url[:13] for hit in found.hits} == {"http://b.test"}


def test_enough_exact_results_need_no_others(spiders):
    for searcher in spiders:
        found = searcher.search("spider & silk", facets=["site"])
        assert (found.total, found.filled) == (12, 0)
        assert sum(each.count for each in found.facets["site"]) == 12


def test_facets_count_what_matches(spiders):
    for searcher in spiders:
        found = searcher.search("silk & web", facets=["site"])
        assert sum(each.count for each in found.facets["site"]) == 3 == found.total - found.filled


@pytest.mark.parametrize("how", [{"strict": True}, {"fill": False}, {"sort": "date"}])
def test_nothing_is_filled_up_where_only_matches_are_wanted(spiders, how):
    for searcher in spiders:
        assert searcher.search("silk & web", **how).total == 3


def test_a_collection_may_be_strict():
    for searcher in searchers(["silk web", "silk"] * 3, strict_queries=True):
        assert searcher.search('"silk web"').total == 3
        with pytest.raises(QueryError):
            searcher.search("silk (")


def test_a_phrase_that_is_most_of_a_query_is_required_if_ten_results_remain(spiders):
    for searcher in spiders:
        found = searcher.search('strong "spider silk"')
        assert (found.mode, found.total, found.total_is_exact) == ("ranked", 12, True)
        few = searcher.search('strong "orb web"')
        assert (few.mode, few.total > MIN_RESULTS) == ("ranked", True)
        assert {hit.url for hit in few.hits} >= {
            f"http://{h}.test/{n}" for h, n in (("b", 12), ("a", 13), ("b", 14))
        }


def test_a_quoted_phrase_adds_weight_and_the_parts_still_sum_up():
    texts = ["silk of a spider", "spider silk", "silk and spider"] + ["moth"] * 3
    for searcher in searchers(texts):
        plain = searcher.search("zebra moths of silk spider")
        quoted = searcher.search('zebra moths of "spider silk"')
        scores = {hit.url: hit.score for hit in plain.hits}
        assert {hit.url: hit.score > scores[hit.url] for hit in quoted.hits} == {
            url: url.endswith("/1") for url in scores
        }


def test_of_a_long_query_the_words_that_tell_most_are_searched():
    words = [f"word{n}x" for n in range(MAX_TERMS + 20)]
    common = words[:20]
    texts = [" ".join(common)] * 6 + [words[40], words[-1]]
    for searcher in searchers(texts):
        found = searcher.search(" ".join(words))
        assert {hit.url for hit in found.hits if hit.url.endswith(("/6", "/7"))}
        assert any(f"more than {MAX_TERMS} words" in note for note in found.notes)
        assert found.correction is None
    every = [f"word{n}x" for n in range(MAX_TERMS + 20)]
    texts = [" ".join(every[:20])] * 6 + [" ".join(every[20:])] * 2
    for searcher in searchers(texts):
        assert searcher.search(" ".join(every)).total == 2


def inserted(words: list[str], rng: random.Random) -> str:
    typed = list(words)
    first = rng.randrange(len(words))
    last = rng.randrange(first, len(words))
    typed[first] = "(" + typed[first]
    typed[last] += ")"
    typed.insert(rng.randrange(len(words) + 1), "-")
    return " ".join(typed)


def test_signs_in_text_leave_the_results_as_they_are():
    rng = random.Random(26)
    texts = [" ".join(rng.choices(WORDS, k=12)) for _ in range(PAGES)]
    for searcher in searchers(texts):
        for _ in range(40):
            words = rng.sample(WORDS, rng.randint(2, 8))
            plain, signed = searcher.search(" ".join(words)), searcher.search(inserted(words, rng))
            assert signed.mode == "ranked"
            assert [hit.id for hit in signed.hits] == [hit.id for hit in plain.hits]


def test_quotes_around_two_words_leave_a_query_ranked_and_find_something():
    rng = random.Random(27)
    texts = [" ".join(rng.choices(WORDS, k=12)) for _ in range(PAGES)]
    for searcher in searchers(texts):
        for _ in range(20):
            words = rng.sample(WORDS, rng.randint(3, 8))
            at = rng.randrange(len(words) - 1)
            words[at : at + 2] = [f'"{words[at]} {words[at + 1]}"']
            found = searcher.search(" ".join(words))
            assert (found.mode, len(found.hits)) == ("ranked", 10)


def test_a_phrase_is_required_where_similar_pages_are_shown_too(spiders):
    for searcher in spiders:
        assert searcher.search('strong "spider silk"', similar="all").total == 12
