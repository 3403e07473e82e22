"""Are words that signs join found as they are written, before pages that only have their parts?"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.bolts.index import made_otherwise
from gossamer.core.collection import AnalyzerSettings, CollectionSettings
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.joined_words import is_own, joined_term
from gossamer.core.index.languages import STEMMERS
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from tests.effort import often
from tests.indexing import index_home

# Each word, and pages that say its parts more often and louder than any page says the word.
WORDS = {
    "C++": "c",
    "C#": "c",
    ".NET": "net",
    "__init__": "init",
    "3.11": "3 11",
    "utf-8": "utf 8",
    "f-string": "f string",
    "AT&T": "at t",
    # Of these, the parts side by side are as good.
    "node.js": "js node",
    "std::vector": "vector std",
    "str.format()": "format str",
    "well-known": "known, well",
    "snake_case": "case snake",
    "CVE-2024-3094": "3094 cve 2024",
    "user@example.org": "org user example",
    "/usr/lib/python3.12/site-packages": "packages site python3 12 lib usr",
    "C:\\Windows\\System32": "system32 windows c",
    "https://silk.test/orb/web.html": "html web orb test silk https",
}
ANALYZER = Analyzer()
FILLER = "Spiders weave their webs of silk between two trees and wait there for a fly. " * 20


@pytest.fixture
def home(tmp_path):
    made = LocalHome(None, tmp_path, decode_body)
    yield made
    made.close()


def put(home: LocalHome, url: str, text: str, title: str = "", language: str = "") -> None:
    document = Document(url=url, text=text, title=title, language=language)
    home.documents.put(url_id(url), [document], 1.0)


def urls(home: LocalHome, query: str) -> list[str]:
    hits = homes.searcher(home).search(query, limit=100, fill=False).hits
    return [hit.url for hit in hits]


def explained(home: LocalHome, query: str, url: str = "http://a.test/") -> list[str]:
    """The terms by which a result has its score."""
    hits = homes.searcher(home).search(query, explain=True, limit=100).hits
    [hit] = [hit for hit in hits if hit.url == url]
    return [part.term for part in hit.explain.terms] if hit.explain else []


def collection(home: LocalHome) -> None:
    for number, (word, parts) in enumerate(WORDS.items()):
        put(home, f"http://a.test/{number}", f"{FILLER} It is about ({word}). {FILLER}")
        put(home, f"http://b.test/{number}", f"{parts}; it is. " * 50, title=parts)
        put(home, f"http://c.test/{number}", f"{parts}, so what?", title=f"More {parts}")
    assert index_home(home) == 3 * len(WORDS)


def test_every_word_ranks_its_page_before_those_that_have_only_its_parts(home):
    collection(home)
    for number, word in enumerate(WORDS):
        found = urls(home, word)

        assert found[0] == f"http://a.test/{number}", word
        assert {f"http://b.test/{number}", f"http://c.test/{number}"} < set(found), word


@pytest.mark.parametrize("language", ["", "auto", *STEMMERS])
def test_so_it_is_by_the_rules_of_every_language(home, language):
    settings = CollectionSettings(version=1, analyzer=AnalyzerSettings(language=language))
    assert home.settings.put(settings)
    for number, ((word, parts), own) in enumerate(zip(WORDS.items(), STEMMERS, strict=False)):
        put(home, f"http://a.test/{number}", f"It is about ({word}). {FILLER}", language=own)
        put(home, f"http://b.test/{number}", f"{parts}; it is. " * 50, parts, own)
    assert index_home(home) == 2 * len(WORDS)

    first = {word: urls(home, word)[0] for word in WORDS}

    assert first == {word: f"http://a.test/{number}" for number, word in enumerate(WORDS)}


@pytest.mark.parametrize("word", ["c++", "UTF-8", ".Net", "NODE.JS", "STD::Vector", "at&t's"])
def test_capitals_do_not_matter(home, word):
    collection(home)

    assert urls(home, word)[0].startswith("http://a.test/")


def test_beside_other_words_it_counts_as_one_more_word(home):
    collection(home)

    assert urls(home, "spiders C++")[0] == "http://a.test/0"
    assert "3.11" in explained(home, "spiders 3.11", "http://a.test/4")
    assert "node.js" in explained(home, "spiders node.js", "http://a.test/8")
    assert "f-string" not in explained(home, "spiders f-string", "http://a.test/6")


def test_operators_require_what_has_no_other_meaning_as_it_is_written(home):
    collection(home)

    assert urls(home, "C++ & spiders") == ["http://a.test/0"]
    assert urls(home, '"AT&T"') == ["http://a.test/7"]
    assert urls(home, '"the C#"') == ["http://a.test/1"]
    assert urls(home, "title:C++") == []
    assert "http://b.test/0" in urls(home, "!C++")
    assert "http://a.test/0" not in urls(home, "!C++")
    assert set(urls(home, "utf-8 & *")) == {f"http://{host}.test/5" for host in "abc"}


def test_in_a_title_it_is_found_there(home):
    put(home, "http://a.test/", "of c", title="Learn C++")
    put(home, "http://b.test/", "of C++", title="Learn c")
    index_home(home)

    assert urls(home, "title:C++") == ["http://a.test/"]
    assert urls(home, "C++") == ["http://a.test/", "http://b.test/"]


def test_the_explanation_says_what_it_adds_and_the_snippet_marks_it_whole(home):
    put(home, "http://a.test/", "Of c and C++, by those who write it.")
    put(home, "http://b.test/", "Of c, and c again.")
    index_home(home)

    first, second = homes.searcher(home).search("C++", explain=True).hits

    assert [piece.text for piece in first.highlights if piece.hit] == ["C++"]
    assert [piece.text for piece in second.highlights if piece.hit] == ["c", "c"]
    assert first.explain
    c, joined = first.explain.terms
    assert (c.term, c.as_written, joined.term, joined.df) == ("c", 0.0, "c++", 1)
    assert joined.as_written == pytest.approx(c.idf, abs=1e-6)
    assert joined.score == pytest.approx(joined.idf * joined.weight + joined.as_written, abs=1e-6)
    assert [(part.field, part.frequency) for part in joined.fields] == [("body", 1)]
    assert first.score == pytest.approx(c.score + joined.score, abs=1e-6)


def test_an_index_of_an_earlier_version_is_searched_by_parts_and_is_to_be_made_again(home):
    put(home, "http://a.test/", "Of C++.")
    index_home(home)
    assert made_otherwise(home) == 0
    writer = homes.index_writer(home)
    manifest = writer.store.manifest()
    old = msgspec.structs.replace(
        manifest,
        version=manifest.version + 1,
        analyzer=manifest.analyzer | {"version": 1},
        segments=[msgspec.structs.replace(each, schema="old") for each in manifest.segments],
    )
    assert writer.store.publish(old)

    assert urls(home, "C++ & *") == ["http://a.test/"]
    assert explained(home, "C++") == ["c"]
    assert made_otherwise(home) == 1


runs = st.text(st.sampled_from("aB1é"), min_size=1, max_size=3) | st.sampled_from(
    ("T's", "l'x", "d'aB")
)
signs = st.sampled_from(("-", ".", "_", "::", "&", "+", "++", "#", "__"))
joined = st.builds(
    lambda head, first, rest, tail: head + first + "".join([s + r for s, r in rest]) + tail,
    st.sampled_from(("", "", ".", "_", "__")),
    runs,
    st.lists(st.tuples(signs, runs), min_size=1, max_size=3),
    st.sampled_from(("", "", "_", "__")),
)


@often(100)
@given(st.lists(joined, min_size=1, max_size=4), st.sampled_from(("{}", "({}).", "“{}”, {}!")))
def test_every_joined_word_of_a_document_finds_it_first(tmp_path_factory, words, around):
    home = LocalHome(None, tmp_path_factory.mktemp("home"), decode_body)
    put(home, "http://a.test/", f"{FILLER} {' '.join(around.format(w, w) for w in words)} {FILLER}")
    put(home, "http://b.test/", "silk")
    index_home(home)

    for word in words:
        assert urls(home, word)[:1] == ["http://a.test/"], word
        term = joined_term(word, ANALYZER.fold)
        assert not is_own(term) or term in explained(home, word), word
    home.close()
