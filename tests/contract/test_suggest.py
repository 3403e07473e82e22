"""Does every home suggest what brute force over all documents finds, however the index lies?"""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.bolts.index import Batch, index, words_of
from gossamer.core.collection import CollectionSettings
from gossamer.core.index.declared import Column
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_home

if TYPE_CHECKING:
    from gossamer.ports.home import Home

DECLARED = CollectionSettings(
    version=1,
    columns={"brand": Column(type="keyword"), "price": Column(type="number")},
)
WORDS = (
    "silk",
    "Spider",
    "orb",
    "web",
    "loom",
    "cable",
    "Über",
    "C++",
    "thread",
    "Spindle",
    "3.11",
)
WEIGHTS = {"title": 1.0, "brand": 0.8, "heading": 0.2}
BATCHES, PAGES = 4, 25


def page(number: int, version: int = 0) -> Document:
    chance = random.Random(1000 * version + number)

    def words(count: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(count))

    return Document(
        url=f"http://a.test/{number}",
        title=words(chance.randint(1, 3)),
        headings=[(2, words(chance.randint(1, 2))) for _ in range(chance.randint(0, 3))],
        text="no words of interest",
        values={"brand": chance.choice(("Acme", "Spinners")), "price": 3},
    )


class Collection:
    """A home, and what its documents are."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.documents: dict[str, Document] = {}
        home.settings.put(DECLARED)

    def put(self, documents: list[Document], at: float = 1.0) -> None:
        for document in documents:
            self.documents[document.url] = document
            self.home.documents.put(url_id(document.url), [document], at)
        self.home.commit()
        index_home(self.home)

    def suggested(self, typed: str, searcher: Any = None) -> list[tuple[str, str]]:
        found = (searcher or homes.searcher(self.home)).suggest(typed, 10).suggestions
        return [(each.text.casefold(), each.kind) for each in found]

    def expected(self, typed: str) -> list[tuple[str, str]]:
        """By brute force: every text of every document, every word of every text."""
        found: dict[str, list[tuple[str, str]]] = {}
        for document in self.documents.values():
            for text, kind in texts_of(document):
                found.setdefault(text.casefold(), []).append((kind, document.url))
        matching = {text: of for text, of in found.items() if begins(text, typed.casefold())}
        order = sorted(matching, key=lambda text: rank(text, typed.casefold(), matching[text]))
        return [(text, min(matching[text], key=worth)[0]) for text in order[:10]]


def texts_of(document: Document) -> list[tuple[str, str]]:
    headings = [text for _, text in document.headings]
    values = [("brand", str(document.values["brand"]))]
    return [
        (document.title, "title"),
        *((text, "heading") for text in headings),
        *((text, kind) for kind, text in values),
    ]


def plain(text: str) -> str:
    return text.replace("ü", "u")


def begins(text: str, typed: str) -> bool:
    words = [found.start() for found in re.finditer(r"(?<![^\W_])[^\W_]", text)]
    return any(plain(text)[at:].startswith(plain(typed)) for at in {0, *words})


def worth(of: tuple[str, str]) -> float:
    return -WEIGHTS[of[0]]


def rank(text: str, typed: str, of: list[tuple[str, str]]) -> tuple[bool, float, str]:
    pages = {url for _, url in of}
    weight = max(WEIGHTS[kind] for kind, _ in of) * math.log2(1 + len(pages))
    return not plain(text).startswith(plain(typed)), -round(weight, 9), plain(text)


@pytest.fixture
def collection(any_home: Home) -> Collection:
    made = Collection(any_home)
    for first in range(0, BATCHES * PAGES, PAGES):
        made.put([page(number) for number in range(first, first + PAGES)])
    return made


TYPED = (
    "s",
    "sp",
    "spi",
    "silk",
    "silk sp",
    "uber",
    "Übe",
    "c+",
    "3.",
    "acm",
    "web orb",
    "zz",
    "SPINDLE W",
)


def agrees(collection: Collection, searcher: Any = None) -> None:
    for typed in TYPED:
        assert collection.suggested(typed, searcher) == collection.expected(typed), typed


def test_suggestions_are_those_of_brute_force_before_and_after_compaction(collection):
    assert len(collection.home.index.manifest().segments) == BATCHES
    agrees(collection)

    compact(homes.index_writer(collection.home), whole=True)

    assert len(collection.home.index.manifest().segments) == 1
    agrees(collection)


def test_what_a_page_said_before_is_suggested_no_more_before_and_after_compaction(collection):
    collection.put([page(number, version=1) for number in range(0, 40)], at=2.0)
    assert any(info.dead for info in collection.home.index.manifest().segments)
    agrees(collection)

    compact(homes.index_writer(collection.home), whole=True)

    agrees(collection)


def test_groups_of_segments_suggest_as_one_index_does(collection):
    home = collection.home
    asked = home.index, home.documents, homes.analyzer_of(home), home.settings.get()

    agrees(collection, Searcher(*asked, lambda: 0.0, groups=groups_of(*asked)))


def test_a_mistyped_letter_is_tolerated_if_nothing_begins_so(collection):
    right = collection.suggested("spindle")

    for typed in ("spnidle", "sindle", "spinndle", "spimdle"):
        assert collection.suggested(typed) == right, typed
    assert collection.suggested("xpindle") == []  # the first letter counts double
    assert collection.suggested("4.11") == []  # a number is never wrong


def test_the_address_of_a_suggestion_is_a_live_page_that_is_called_so(collection):
    collection.put([page(number, version=1) for number in range(0, 40)], at=2.0)

    found = homes.searcher(collection.home).suggest("s", 50).suggestions

    assert any(each.url for each in found)
    for each in found:
        if each.url:
            said = [text.casefold() for text, _ in texts_of(collection.documents[each.url])]
            assert each.text.casefold() in said


def test_names_and_ranks_count(collection):
    url = "http://a.test/3"
    collection.put([Document(url=f"http://a.test/x{n}", title=f"Zebra {n}") for n in range(5)])
    collection.home.documents.put_anchors({url_id(url): ["Zebra crossing"]})
    collection.home.commit()
    index_home(collection.home)

    found = homes.searcher(collection.home).suggest("zebra", 10).suggestions

    assert [each.text for each in found] == [*(f"Zebra {n}" for n in range(5)), "Zebra crossing"]
    assert (found[-1].kind, found[-1].url) == ("name", url)


def test_what_is_gone_is_not_suggested(any_home):
    made = Collection(any_home)
    made.put(
        [
            Document(url="http://a.test/1", title="Vanishing"),
            Document(url="http://a.test/2", title="Vane"),
        ]
    )
    analyzer, schema = homes.analyzer_of(any_home), any_home.settings.get().schema
    gone = {url_id("http://a.test/1"): 2.0}

    index(
        homes.index_writer(any_home), Batch([], words_of([], analyzer), gone=gone), analyzer, schema
    )

    assert made.suggested("van") == [("vane", "title")]


def test_what_pages_declare_of_themselves_is_suggested_without_a_setting(any_home):
    document = Document(
        url="http://a.test/1",
        title="Bobbin",
        values={"brand": "Acme Looms", "author": ["Ada Weaver", "Bo"], "availability": "in stock"},
    )
    any_home.documents.put(url_id(document.url), [document], 1.0)
    index_home(any_home)
    searcher = homes.searcher(any_home)

    for typed, kinds in (("acm", ["brand"]), ("weav", ["author"]), ("in st", [])):
        assert [each.kind for each in searcher.suggest(typed, 8).suggestions] == kinds
