"""Do texts without spaces answer as brute force does, in every home, before and after merges?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch.compact import merge
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.indexing import index_all, writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ALPHABETS = {
    "Chinese": "东京都天气很好我们去中国",
    "Japanese": "東京のカタカナとひらがなー漢字",
    "Korean": "한국어검색은좋다",
    "Thai": "ภาษไทยกลม",
}
PAGES, QUERIES = 24, 40


def texts_of(alphabet: str, seed: int) -> list[str]:
    """Texts of few characters, so that parts of one are in others; some signs and Latin words."""
    rng = random.Random(seed)
    signs = ["。", "、", " ", "\n", " silk "]
    return [
        "".join(
            rng.choice(alphabet) if rng.random() < 0.93 else rng.choice(signs) for _ in range(60)
        )
        for _ in range(PAGES)
    ]


def version(number: int, text: str) -> Version:
    document = Document(url=f"http://a.test/{number}", title=text[:9], text=text)
    return Version(document_id(UrlId(b"%016d" % number)), 1.0, document)


def cut_out(texts: list[str], alphabet: str, seed: int) -> Iterator[tuple[int, str]]:
    """Parts of texts of one to six characters, and whose they are."""
    rng = random.Random(seed)
    while True:
        number = rng.randrange(len(texts))
        begin = rng.randrange(len(texts[number]))
        part = texts[number][begin : begin + rng.randint(1, 6)]
        if part and set(part) <= set(alphabet):
            yield number, part


def having(texts: list[str], part: str, alphabet: str) -> set[str]:
    """Which pages have it, whatever signs stand between: titles are the beginnings of texts."""
    bare = ["".join(c if c in alphabet else "" if c in "。、 \n" else c for c in t) for t in texts]
    return {f"http://a.test/{number}" for number, text in enumerate(bare) if part in text}


def indexed(home: Any, texts: list[str]) -> Searcher:
    writer = writer_of(home.index)
    for first in range(0, PAGES, 8):
        some = [version(number, texts[number]) for number in range(first, first + 8)]
        index_all(writer, some)
    return Searcher(home.index, home.documents, Analyzer(), CollectionSettings(), lambda: 0.0)


@pytest.mark.parametrize("name", ALPHABETS)
def test_every_part_of_a_text_finds_what_brute_force_finds(any_home: Any, name: str):
    alphabet = ALPHABETS[name]
    texts = texts_of(alphabet, 1)
    searcher = indexed(any_home, texts)
    parts = cut_out(texts, alphabet, 2)
    asked = [next(parts) for _ in range(QUERIES)]
    expected = [having(texts, part, alphabet) for _, part in asked]

    for _ in range(2):  # before and after the segments are merged
        for (number, part), pages in zip(asked, expected, strict=True):
            phrase = searcher.search(f'"{part}"', limit=100, similar="all", fill=False)
            begun = searcher.search(f"{part}* & *", limit=100, similar="all", fill=False)
            plain = searcher.search(part, limit=100, similar="all")
            assert {hit.url for hit in phrase.hits} == pages, part
            assert {hit.url for hit in begun.hits} == pages, part
            first = {hit.url for hit in plain.hits[: len(pages)]}
            assert first == pages, part  # who has all of it comes before who has some
            assert f"http://a.test/{number}" in first
        merge(writer_of(any_home.index), any_home.index.manifest().segments)
        searcher = Searcher(
            any_home.index, any_home.documents, Analyzer(), CollectionSettings(), lambda: 0.0
        )
    assert len(any_home.index.manifest().segments) == 1


def test_fields_operators_and_mixed_words_work_as_for_other_texts(any_home: Any):
    texts = ["Python入門書", "入門 Python", "東京の入門", "東門", "한국어 검색엔진은 좋다"]
    index_all(writer_of(any_home.index), [version(n, text) for n, text in enumerate(texts)])
    home = any_home
    searcher = Searcher(home.index, home.documents, Analyzer(), CollectionSettings(), lambda: 0.0)

    def found(query: str) -> list[int]:
        hits = searcher.search(query, limit=100, similar="all", fill=False).hits
        return sorted(int(hit.url.rpartition("/")[2]) for hit in hits)

    assert found('"Python入門"') == [0]
    assert found("title:入門") == [0, 1, 2]
    assert found("入門 & !東京") == [0, 1]
    assert found("門") == [0, 1, 2, 3]
    assert found("入門書 | 東門") == [0, 3]
    assert found("入門Pyth*") == [0, 1]
    assert found("검색") == found("검색*") == found("title:검색엔진") == [4]
    assert found("\uff30ython & 入門") == [0, 1]


def test_highlights_and_snippets_are_made_of_characters(any_home: Any):
    filler = "これは長い文章であり空白はない" * 40
    index_all(writer_of(any_home.index), [version(0, f"{filler}探し物は東京都にある{filler}")])
    home = any_home
    searcher = Searcher(home.index, home.documents, Analyzer(), CollectionSettings(), lambda: 0.0)

    hit = searcher.search("東京都").hits[0]

    assert [piece.text for piece in hit.highlights if piece.hit] == ["東京都"]
    assert 150 < len(hit.snippet) <= 220
    assert 60 < hit.snippet.index("東京都") < 160  # with as much before it as behind it
