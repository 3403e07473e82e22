"""Are documents of many languages found as by a search that looks at every word of every page?"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.compact import merge
from gossamer.core.collection import AnalyzerSettings, CollectionSettings, Weights
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import And, Not, Or, Phrase, Word
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.brute import UNIT, Brute, Page
from tests.groups import groups_of
from tests.indexing import index_all, index_home, writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.search.query import Node
    from gossamer.core.search.result import SearchResponse
    from gossamer.ports.home import Home

AUTO = Analyzer(language="auto")
# Words with forms that only one language knows to be one, and stop words of one or the other.
WORDS = str.split(
    "running runs run Katzen Katze die the war man national nationale nationales chats chat hat"
    " verbessert verbessern Häuser Haus houses house maisons maison"
)


class Oracle:
    """A search by brute force: documents by their own language, words by all of these."""

    def __init__(self) -> None:
        self.by_language: dict[str, Brute] = {}

    def index(self, batch: list[Version]) -> None:
        for version in batch:
            analyzer = AUTO.of_language(version.document.language)
            brute = self.by_language.setdefault(analyzer.language, Brute(analyzer, Weights()))
            brute.index([version])

    @property
    def readers(self) -> list[Analyzer]:
        """The language with most documents first, of equals the first by its letters."""
        known = sorted(self.by_language.items(), key=lambda each: (-len(each[1].pages), each[0]))
        return [brute.analyzer for _, brute in known]

    @property
    def pages(self) -> set[bytes]:
        return {id for brute in self.by_language.values() for id in brute.pages}

    def search(self, text: str) -> dict[str, float]:
        query = read_query(text)
        matching = self.match(query.node)
        assert matching is not None
        words = list(self.words(query.node))
        terms = Counter(self.readers[0].term(word) for word, _ in words)
        impacts = [(self.impacts(term, words), times, 0) for term, times in terms.items()]
        if query.mode == "ranked":
            # A name of one word tells no more than the word.
            least = len(impacts[0][0]) if len(words) == 1 else 0
            impacts.append((self.named([word for word, _ in words]), 1, least))
        scores = dict.fromkeys(self.pages, 0)
        for found, times, least in impacts:
            weight = times * self.idf(max(len(found), least)) if found else 0.0
            for id, impact in found.items():
                scores[id] += round(impact * (weight / 255 * UNIT))
        if query.mode == "ranked":
            matching = {id for id, score in scores.items() if score}
        urls = {id: page.url for b in self.by_language.values() for id, page in b.pages.items()}
        best = sorted(matching, key=lambda id: (-scores[id], id))
        return {urls[id]: scores[id] / UNIT for id in best}

    def idf(self, df: int) -> float:
        return math.log(1.0 + (len(self.pages) - df + 0.5) / (df + 0.5))

    def match(self, node: Node) -> set[bytes] | None:
        match node:
            case Word(text) | Phrase(text):
                return self.standing(text)
            case Not(inner):
                found = self.match(inner)
                return None if found is None else self.pages - found
            case And(parts) | Or(parts):
                every = [each for part in parts if (each := self.match(part)) is not None]
                join = set.intersection if isinstance(node, And) else set.union
                return join(*every) if every else None
        raise TypeError(node)

    def standing(self, text: str) -> set[bytes] | None:
        """Pages with these words side by side, by the rules of any language."""
        if not any(map(self.readers[0].term, text.split())):
            return None
        found: set[bytes] = set()
        for reader in self.readers:
            terms = [reader.term(word) for word in text.split()]
            while terms and not terms[-1]:
                terms.pop()
            while terms and not terms[0]:
                terms.pop(0)
            for brute in self.by_language.values():
                if terms:
                    found |= {id for id, page in brute.pages.items() if has(brute, page, terms)}
                else:
                    longest = max(map(reader.fold, text.split()), key=len)
                    found |= brute._as_written(longest, "") or set()
        return found

    def words(self, node: Node) -> list[tuple[str, bool]]:
        """Words that add to scores: neither excluded nor stop words of the first language.

        And whether each stands alone: within a phrase, the stop words of a language are gaps.
        """
        match node:
            case Word(text) | Phrase(text):
                words = text.split()
                return [(word, len(words) == 1) for word in words if self.readers[0].term(word)]
            case And(parts) | Or(parts):
                return [word for part in parts for word in self.words(part)]
            case _:
                return []

    def impacts(self, term: str, words: list[tuple[str, bool]]) -> dict[bytes, int]:
        """Words with one term in the first language are one; the heaviest of their forms counts."""
        found: dict[bytes, int] = {}
        for word, is_alone in words:
            if self.readers[0].term(word) == term:
                for id, impact in self.impacts_of(word, is_alone):
                    found[id] = max(impact, found.get(id, 0))
        return found

    def impacts_of(self, word: str, is_alone: bool) -> Iterator[tuple[bytes, int]]:
        for reader in self.readers:
            term = reader.term(word)
            for brute in self.by_language.values():
                if term:
                    yield from brute._impacts(term).items()
                elif is_alone:
                    yield from [(id, 1) for id in brute._as_written(word, "") or ()]

    def named(self, words: list[str]) -> dict[bytes, int]:
        found: dict[bytes, int] = {}
        for reader in self.readers:
            name = tuple(term for word in words if (term := reader.term(word)))
            for brute in self.by_language.values() if name else ():
                for id, impact in brute._impacts(name).items():
                    found[id] = max(impact, found.get(id, 0))
        return found


def has(brute: Brute, page: Page, terms: list[str]) -> bool:
    return any(brute._stands(terms, words) for words in brute._texts(page, ""))


def versions(seed: int, count: int = 40) -> list[Version]:
    chance = random.Random(seed)
    found = []
    for number in range(count):
        url = f"http://{seed}.test/{number}"
        document = Document(
            url=url,
            title=" ".join(chance.choices(WORDS, k=chance.randrange(3))),
            text=" ".join(chance.choices(WORDS, k=chance.randrange(1, 7))),
            language=chance.choice(["en", "en", "de", "fr", "", "vi", "ja"]),
        )
        found.append(Version(document_id(url_id(url)), 1.0, document))
    return found


def queries(seed: int, count: int, first: Analyzer) -> list[str]:
    """Each has a word that is none of the first language's stop words."""
    chance = random.Random(seed)
    said = [word for word in WORDS if first.term(word)]

    def some(sign: str) -> str:
        words = [chance.choice(said), *chance.choices(WORDS, k=chance.randrange(3))]
        return sign.join(dict.fromkeys(words))

    kinds = (
        lambda: some(" "),
        lambda: some(" & "),
        lambda: some(" | "),
        lambda: f"{some(' ')} -{chance.choice(said)}",
        lambda: f'"{chance.choice(said)} {chance.choice(said)}" | {some(" & ")}',
        lambda: f"({some(' | ')}) & {chance.choice(said)}",
    )
    return [chance.choice(kinds)() for _ in range(count)]


def settings() -> CollectionSettings:
    return CollectionSettings(analyzer=AnalyzerSettings(language="auto"))


def check(searcher: Searcher, truth: Oracle, asked: list[str]) -> None:
    for query in asked:
        want = truth.search(query)
        found = searcher.search(query, limit=100, similar="all", exact_total=True, fill=False)
        got = {hit.url: hit.score for hit in found.hits}
        assert found.total == len(want), query
        assert list(got) == list(want)[:100], query
        assert got == pytest.approx(dict(list(want.items())[:100]), abs=2e-6), query


def test_documents_of_all_languages_are_found_as_by_brute_force_also_merged_and_in_groups(
    any_home: Home,
):
    truth, writer = Oracle(), writer_of(any_home.index)
    any_home.settings.put(msgspec.structs.replace(settings(), version=1))
    for seed in range(3):
        batch = versions(seed)
        truth.index(batch)
        index_all(writer, batch, analyzer=AUTO)
        for version in batch:
            any_home.documents.put(url_id(version.document.url), [version.document], 1.0)
    asked = queries(7, 40, truth.readers[0])

    check(homes.searcher(any_home), truth, asked)
    parts = (any_home.index, any_home.documents, AUTO, settings())
    check(Searcher(*parts, lambda: 0.0, groups=groups_of(*parts, 50)), truth, asked)
    assert merge(writer, any_home.index.manifest().segments)
    assert len(any_home.index.manifest().segments) == 1
    check(homes.searcher(any_home), truth, asked)


def searcher_of(home: Home, *documents: Document) -> Searcher:
    home.settings.put(msgspec.structs.replace(settings(), version=1))
    batch = []
    for document in documents:
        home.documents.put(url_id(document.url), [document], 1.0)
        batch.append(Version(document_id(url_id(document.url)), 1.0, document))
    index_all(writer_of(home.index), batch, analyzer=AUTO)
    return homes.searcher(home)


def page(name: str, language: str, text: str, title: str = "") -> Document:
    return Document(url=f"http://a.test/{name}", title=title, text=text, language=language)


def found(response: SearchResponse) -> list[str]:
    return sorted(hit.url.rpartition("/")[2] for hit in response.hits)


DOCUMENTS = (
    page("en", "en", "The weavers run many looms.", "Weaving machines"),
    page("de", "de", "Die Häuser der Weberinnen stehen am Fluss.", "Alte Häuser"),
    page("fr", "fr", "L'eau coule des fontaines nationales.", "Les fontaines"),
    page("el", "el", "Δρόμοι των κόσμων.", "Κόσμος"),
    page("none", "", "Looms were running."),
)


def test_a_word_is_found_in_its_other_forms_by_the_language_of_each_document(any_home: Home):
    searcher = searcher_of(any_home, *DOCUMENTS)

    assert found(searcher.search("weaver")) == ["en"]
    assert found(searcher.search("Haus")) == ["de"]
    assert found(searcher.search("nationale")) == ["fr"]
    assert found(searcher.search("eau")) == ["fr"]
    assert found(searcher.search("l'eau")) == ["fr"]
    assert found(searcher.search("ΚΌΣΜΟΣ")) == ["el"]
    assert found(searcher.search("loom")) == ["en", "none"]  # unknown: as English


def test_phrases_titles_beginnings_and_exclusions_hold_in_every_language(any_home: Home):
    searcher = searcher_of(any_home, *DOCUMENTS)

    assert found(searcher.search('"Haus der Weberin"')) == ["de"]
    assert found(searcher.search('"fontaine nationale"')) == ["fr"]
    assert found(searcher.search("title:Haus")) == ["de"]
    assert found(searcher.search("title:fontaine")) == ["fr"]
    assert found(searcher.search("ea*")) == ["fr"]
    assert found(searcher.search("l'ea*")) == ["fr"]
    assert found(searcher.search("* & -Haus")) == ["el", "en", "fr", "none"]
    assert found(searcher.search("lang:de & Haus")) == ["de"]


def test_a_stop_word_of_another_language_does_not_hide_its_documents(any_home: Home):
    texts = ["They die young.", "Looms.", "Silk."]
    pages = [page(str(n), "en", text) for n, text in enumerate(texts)]
    searcher = searcher_of(any_home, page("de", "de", "Die Katze schläft."), *pages)

    assert found(searcher.search("die & Katzen", fill=False)) == ["de"]
    assert found(searcher.search('"die Katzen"', fill=False)) == ["de"]
    assert found(searcher.search("die")) == ["0", "de"]


def test_results_are_marked_and_explained_by_the_language_of_their_documents(any_home: Home):
    searcher = searcher_of(any_home, *DOCUMENTS)

    [hit] = searcher.search("Haus Fluss", explain=True).hits

    assert [piece.text for piece in hit.highlights if piece.hit] == ["Häuser", "Fluss"]
    assert hit.explain is not None
    assert hit.score == pytest.approx(hit.explain.score, abs=2e-6)
    fields = {term.term: [f.field for f in term.fields] for term in hit.explain.terms}
    assert fields == {"haus": ["body", "title"], "fluss": ["body"]}
    assert {term.synonym_of for term in hit.explain.terms} == {""}


def test_a_page_is_named_by_the_whole_query_in_its_own_language(any_home: Home):
    others = [page(f"x{n}", "de", "alte Häuser am Fluss", "Häuser") for n in range(3)]
    searcher = searcher_of(any_home, *DOCUMENTS, *others)

    [first, *_] = searcher.search("altes Haus", explain=True).hits

    assert first.url == "http://a.test/de"
    assert first.named
    assert first.explain is not None
    [name] = [term for term in first.explain.terms if term.term.startswith('"')]
    assert [(each.field, each.frequency) for each in name.fields] == [("title", 1)]


def test_a_misspelt_word_is_corrected_in_the_words_of_any_language(any_home: Home):
    pages = [page(str(n), "de", "Die Weberinnen am Fluss.") for n in range(3)]
    searcher = searcher_of(any_home, *DOCUMENTS, *pages)

    answer = searcher.search("Weberinen Fluss")

    assert answer.correction is not None
    assert answer.correction.corrected == "weberinnen Fluss"


ACCENTED = [
    page("river", "fr", "Une rivière coule vers la mer.", "Généralités"),
    page("light", "fr", "La lumière et le cœur."),
    page("file", "ru", "Каждый файл имеет имя."),
    page("folder", "ru", "Папки."),
    page("street", "de", "Die ÜBERGRÖSSE der Straße."),
    page("light-el", "el", "ΟΔΟΣ ΑΘΗΝΩΝ"),
]


@pytest.mark.parametrize(
    ("typed", "corrected", "named"),
    [
        ("riviere", "rivière", "river"),
        ("RIVIERE", "rivière", "river"),
        ('"riviere coule"', '"rivière coule"', "river"),
        ("generalites", "généralités", "river"),
        ("lumeire", "lumière", "light"),
        ("coeru", "cœur", "light"),
        ("фаил", "файл", "file"),
        ("Кадждый", "каждый", "file"),
        ("strase", "straße", "street"),
        ("οδοσσ", "οδος", "light-el"),
    ],
)
def test_a_correction_has_the_accents_that_pages_have_and_finds_them(
    any_home: Home, typed: str, corrected: str, named: str
):
    """The index has words without accents, and some stemmers know endings by theirs."""
    [language] = [each.language for each in ACCENTED if each.url.endswith(f"/{named}")]
    for document in ACCENTED:  # a segment each
        if document.language == language:
            searcher = searcher_of(any_home, document)
    parts = any_home.index, any_home.documents, AUTO, settings()
    in_groups = Searcher(*parts, lambda: 0.0, groups=groups_of(*parts, 1))

    for each in (searcher, in_groups):
        answer = each.search(typed)

        assert answer.correction is not None
        assert (answer.correction.corrected, answer.correction.applied) == (corrected, True)
        assert found(answer) == found(each.search(corrected, correct=False)) == [named]


@pytest.mark.parametrize("typed", ["lumeire~", "lumiere~1", "LUMIERE~", "lumiere~ & coeur"])
def test_words_that_are_spelt_alike_are_found_whatever_their_accents(any_home: Home, typed: str):
    searcher = searcher_of(any_home, *[each for each in ACCENTED if each.language == "fr"])

    answer = searcher.search(typed)

    assert found(answer) == ["light"]
    assert "lumière" in [piece.text for piece in answer.hits[0].highlights if piece.hit]


def test_a_collection_is_read_by_the_languages_of_its_documents_after_reindexing(any_home: Home):
    for document in DOCUMENTS:
        any_home.documents.put(url_id(document.url), [document], 1.0)
    index_home(any_home)
    assert any_home.index.manifest().languages == {}
    assert found(homes.searcher(any_home).search("Haus")) == []

    any_home.settings.put(msgspec.structs.replace(settings(), version=1))
    from gossamer.batch.index import index_again

    index_again(any_home, homes.index_writer(any_home))

    assert any_home.index.manifest().languages == {"de": 1, "el": 1, "en": 2, "fr": 1}
    assert found(homes.searcher(any_home).search("Haus")) == ["de"]


def test_what_has_no_language_is_read_by_the_one_that_the_setting_names(any_home: Home):
    analyzer = Analyzer(language="auto:de")
    document = page("none", "", "Alte Häuser")
    any_home.documents.put(url_id(document.url), [document], 1.0)
    batch = [Version(document_id(url_id(document.url)), 1.0, document)]
    index_all(writer_of(any_home.index), batch, analyzer=analyzer)

    assert any_home.index.manifest().languages == {"de": 1}
    assert found(homes.searcher(any_home).search("Haus")) == ["none"]
