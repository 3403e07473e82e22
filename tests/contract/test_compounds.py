"""Are German compounds found by their parts, and parts by compounds, in every home?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.compact import merge
from gossamer.core.collection import AnalyzerSettings, CollectionSettings
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from gossamer.search.budget import NOT_SPELLED, Budget
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_all, index_home, writer_of

if TYPE_CHECKING:
    from gossamer.core.search.result import SearchResponse
    from gossamer.ports.home import Home

# No form of one stands in another, and none begins or ends with the letters that link parts.
PARTS = ["haus", "kranken", "bett", "garten", "tisch", "milch", "kraft", "werk", "lampe"]
LINKS = ("", "s", "n")


def use(home: Home, language: str = "de", **changes: float) -> Home:
    before = home.settings.get()
    settings = CollectionSettings(analyzer=AnalyzerSettings(language=language))
    home.settings.put(msgspec.structs.replace(settings, version=before.version + 1, **changes))
    return home


def pages(home: Home, texts: dict[str, str], language: str = "de") -> Searcher:
    for name, text in texts.items():
        url = f"http://a.test/{name}"
        home.documents.put(url_id(url), [Document(url=url, text=text, language=language)], 1.0)
    index_home(home)
    return homes.searcher(home)


def names(answer: SearchResponse) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in answer.hits]


HOSPITAL = {
    "house": "ein altes Haus",
    "hospital": "ein Krankenhaus am See",
    "sick": "die Kranken am See",
    "bed": "ein Bett im Krankenhaus",
    "beds": "das Krankenhausbett am Fenster",
    "tree": "ein Baum",
}


def test_a_word_finds_its_compounds_behind_those_that_have_it(any_home: Home):
    found = pages(use(any_home), HOSPITAL).search("Haus")

    assert names(found)[0] == "house"
    assert {*names(found)} == {"house", "hospital", "bed", "beds"}


def test_a_compound_finds_pages_with_all_its_parts_behind_those_that_have_it(any_home: Home):
    assert names(pages(use(any_home), HOSPITAL).search("Krankenhausbetten")) == ["beds", "bed"]


def test_the_explanation_names_the_compound_and_what_it_counts(any_home: Home):
    found = pages(use(any_home), HOSPITAL).search("Haus", explain=True)
    reasons = {
        name: hit.explain.terms[0]
        for name, hit in zip(names(found), found.hits, strict=True)
        if hit.explain
    }

    assert (reasons["house"].synonym_of, reasons["house"].factor) == ("", 1.0)
    assert reasons["hospital"].term == "krankenhaus"
    assert (reasons["hospital"].synonym_of, reasons["hospital"].factor) == ("Haus", 0.5)


def test_the_explanation_of_parts_adds_up(any_home: Home):
    [hit] = [
        hit
        for hit in pages(use(any_home), HOSPITAL).search("Krankenhausbett", explain=True).hits
        if hit.url.endswith("/bed")
    ]

    assert hit.explain is not None
    assert hit.explain.terms[0].term == "krankenhaus + bett"
    assert hit.score == pytest.approx(sum(term.score for term in hit.explain.terms), abs=1e-6)


def test_a_corrected_word_finds_what_it_finds_when_it_is_typed_right(any_home: Home):
    searcher = pages(use(any_home), HOSPITAL)

    found = searcher.search("Krankenhasubett")

    assert found.correction is not None
    assert found.correction.applied
    assert names(found) == names(searcher.search("Krankenhausbett")) == ["beds", "bed"]


def test_words_in_quotes_and_excluded_ones_are_taken_as_typed(any_home: Home):
    searcher = pages(use(any_home), HOSPITAL)

    assert names(searcher.search('"Haus"')) == ["house"]
    assert "hospital" in names(searcher.search("See & !Haus"))


def test_other_languages_have_no_compounds(any_home: Home):
    texts = {"house": "an old house", "ware": "a ware", "warehouse": "the warehouse"}

    assert names(pages(use(any_home, "en"), texts, "en").search("house")) == ["house"]


def test_they_are_looked_for_where_documents_say_that_they_are_german(any_home: Home):
    english = pages(use(any_home, "auto"), {"e": "an old Haus and the Krankenhaus"}, "en")
    assert names(english.search("Haus")) == ["e"]

    both = pages(any_home, HOSPITAL)
    assert "hospital" in names(both.search("Haus"))


def test_a_weight_of_zero_turns_them_off(any_home: Home):
    searcher = pages(use(any_home, compound_weight=0.0), HOSPITAL)

    assert names(searcher.search("Haus")) == ["house"]


def test_without_reads_left_the_query_is_answered_as_typed_and_says_so(any_home: Home):
    searcher = pages(use(any_home), HOSPITAL)
    found = searcher.search("Haus", Budget(seconds=-1.0))

    assert found.partial
    assert NOT_SPELLED in found.notes[-1]


Made = list[tuple[Version, list[tuple[str, ...]]]]


def made_page(url: str, words: list[tuple[str, ...]], link: str = "") -> Made:
    text = " ".join([link.join(parts) for parts in words])
    document = Document(url=url, text=text, language="de")
    return [(Version(document_id(url_id(url)), 1.0, document), words)]


def made_pages(seed: int) -> Made:
    """Documents of compounds, each with the parts that its words are made of."""
    chance = random.Random(seed)
    found = made_page(f"http://alone.test/{seed}", [(each,) for each in PARTS])
    for number in range(25):
        words = [
            tuple(chance.choices(PARTS, k=chance.choice((1, 1, 2))))
            for _ in range(chance.randrange(1, 5))
        ]
        found += made_page(f"http://{seed}.test/{number}", words, chance.choice(LINKS))
    return found


def check(searcher: Searcher, made: Made) -> int:
    """Compare what each part finds with what has it by construction."""
    gained = 0
    for part in PARTS:
        exact = {v.document.url for v, words in made if (part,) in words}
        wanted = {v.document.url for v, words in made if any(part in each for each in words)}
        got = searcher.search(part, limit=100, similar="all", exact_total=True)
        urls = [hit.url for hit in got.hits]
        assert ({*urls}, {*urls[: len(exact)]}) == (wanted, exact), part
        gained += len(wanted) - len(exact)
    return gained


def test_parts_find_what_was_made_of_them_before_and_after_compaction_and_in_groups(
    any_home: Home,
):
    use(any_home)
    made, writer, german = [], writer_of(any_home.index), Analyzer(language="de")
    for seed in range(2):
        batch = made_pages(seed)
        made += batch
        index_all(writer, [version for version, _ in batch], analyzer=german)
    for version, _ in made:
        any_home.documents.put(url_id(version.document.url), [version.document], 1.0)

    assert check(homes.searcher(any_home), made) > 20
    parts = (any_home.index, any_home.documents, german, any_home.settings.get())
    check(Searcher(*parts, lambda: 0.0, groups=groups_of(*parts, 30)), made)
    assert merge(writer, any_home.index.manifest().segments)
    check(homes.searcher(any_home), made)
