"""Do synonyms find in every home what a search finds that looks at every word of every page?"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.compact import merge
from gossamer.core.collection import CollectionSettings, Weights
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.search.query import And, Not, Or, Word
from gossamer.core.search.synonyms.rules import stored_lines
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.brute import Brute
from tests.groups import groups_of
from tests.indexing import index_all, writer_of

if TYPE_CHECKING:
    from gossamer.core.search.query import Node
    from gossamer.core.search.result import SearchResponse
    from gossamer.ports.home import Home

WORDS = ["loom", "silk", "yarn", "moth", "tusk", "fern", "opal", "jade"]
RULES = """
# one way, both ways, phrases on both sides
loom, silk, opal jade
yarn => moth
tusk fern, moth
fern => jade
tusk fern opal => silk yarn
"""
WEIGHT = 0.7


class Oracle(Brute):
    """A search by brute force that knows synonyms."""

    rules: dict[tuple[str, ...], list[str]]
    others: dict[str, list[str]]

    def expand(self, node: Node, is_plain: bool) -> None:
        """Note for each term of a query what counts as it."""
        match node:
            case Word():
                self._expand_row([node.text])
            case And(parts) | Or(parts):
                if isinstance(node, And) or is_plain:
                    self._expand_row([p.text if isinstance(p, Word) else "" for p in parts])
                for part in parts:
                    if not isinstance(part, Word) or not (isinstance(node, And) or is_plain):
                        self.expand(part, is_plain)
            case _:
                return

    def _expand_row(self, words: list[str]) -> None:
        at = 0
        while at < len(words):
            length = next((n for n in (3, 2, 1) if tuple(words[at : at + n]) in self.rules), 0)
            for word in words[at : at + length]:
                found = self.rules[tuple(words[at : at + length])]
                self.others.setdefault(word, []).extend(found)
            at += length or 1

    def _match(self, node: Node, where: str = "") -> set[bytes] | None:
        if isinstance(node, Not):
            known, self.others = self.others, {}
            found = super()._match(node, where)
            self.others = known
            return found
        found = super()._match(node, where)
        if isinstance(node, Word) and found is not None:
            for other in self.others.get(node.text, ()):
                found |= self._phrase(other, where) or set()
        return found

    def _impacts(self, name: Any) -> dict[bytes, int]:
        found = super()._impacts(name)
        for other in self.others.get(name, ()) if isinstance(name, str) else ():
            lists = [super(Oracle, self)._impacts(word) for word in other.split()]
            for id in self._phrase(other, "") or set():
                weight = max(1, math.floor(WEIGHT * min(each[id] for each in lists)))
                found[id] = max(weight, found.get(id, 0))
        return found


def oracle() -> Oracle:
    made = Oracle(Analyzer(), Weights())
    made.others = {}
    made.rules = {}
    for line in stored_lines(RULES):
        left, _, right = line.partition(" => ")
        sides = left.split(", ")
        for side in sides:
            others = right.split(", ") if right else [each for each in sides if each != side]
            made.rules.setdefault(tuple(side.split()), []).extend(others)
    return made


def versions(seed: int, count: int = 40) -> list[Version]:
    chance = random.Random(seed)
    found = []
    for number in range(count):
        url = f"http://{seed}.test/{number}"
        title = " ".join(chance.choices(WORDS, k=chance.randrange(3)))
        text = " ".join(chance.choices(WORDS, k=chance.randrange(1, 7)))
        document = Document(url=url, title=title, text=text)
        found.append(Version(document_id(url_id(url)), 1.0, document))
    return found


def queries(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)

    def some(sign: str) -> str:
        return sign.join(chance.choices(WORDS, k=chance.randrange(1, 5)))

    kinds = (
        lambda: some(" "),
        lambda: some(" & "),
        lambda: some(" | "),
        lambda: f"{some(' ')} -{chance.choice(WORDS)}",
        lambda: f'"{some(" ")}" {some(" ")}',
        lambda: f"({some(' | ')}) & ({some(' ')}) & *",
    )
    return [chance.choice(kinds)() for _ in range(count)]


def store(home: Home, rules: str = RULES, weight: float = WEIGHT) -> None:
    name = home.settings.put_list(rules)
    before = home.settings.get()
    home.settings.put(
        msgspec.structs.replace(
            before, version=before.version + 1, synonyms=name, synonym_weight=weight
        )
    )


def check(searcher: Searcher, truth: Oracle, asked: list[str]) -> int:
    """Compare all answers; returns how many results came by synonyms alone."""
    gained = 0
    for query in asked:
        truth.others = {}
        plain = len(truth.search(query).scores)
        node, is_plain = read(query)
        truth.expand(node, is_plain)
        want = truth.search(query)
        found = searcher.search(query, limit=100, similar="all", exact_total=True, strict=True)
        got = {hit.url: hit.score for hit in found.hits}
        assert list(got) == want.urls[:100], query
        assert got == pytest.approx(dict(list(want.scores.items())[:100]), abs=2e-6), query
        assert found.total == len(want.scores)
        gained += len(want.scores) - plain
    return gained


def read(query: str) -> tuple[Node, bool]:
    from gossamer.core.search.plain_text import read_query

    found = read_query(query, is_strict=True)
    return found.node, found.mode == "ranked"


def test_synonyms_find_what_brute_force_finds_before_and_after_compaction_and_in_groups(
    any_home: Home,
):
    truth, writer, asked = oracle(), writer_of(any_home.index), queries(7, 40)
    for seed in range(3):
        batch = versions(seed)
        truth.index(batch)
        index_all(writer, batch)
        for version in batch:
            any_home.documents.put(url_id(version.document.url), [version.document], 1.0)
    store(any_home)

    assert check(homes.searcher(any_home), truth, asked) > 100
    settings, lines = any_home.settings.get(), stored_lines(RULES)
    parts = (any_home.index, any_home.documents, Analyzer(), settings)
    groups = groups_of(*parts, 50, lines)
    check(Searcher(*parts, lambda: 0.0, groups=groups, synonyms=lines), truth, asked)
    assert merge(writer, any_home.index.manifest().segments)
    assert len(any_home.index.manifest().segments) == 1
    check(homes.searcher(any_home), truth, asked)


def one_each(home: Home, *texts: str, rules: str = RULES, weight: float = WEIGHT) -> Searcher:
    batch = []
    for number, text in enumerate(texts):
        document = Document(url=f"http://a.test/{number}", text=text)
        batch.append(Version(document_id(url_id(document.url)), 1.0, document))
        home.documents.put(url_id(document.url), [document], 1.0)
    index_all(writer_of(home.index), batch)
    store(home, rules, weight)
    return homes.searcher(home)


def found(response: SearchResponse) -> list[str]:
    return [hit.url[-1] for hit in response.hits]


CARS = "car, automobile, motor car\nnew york, nyc"


def test_a_document_with_the_word_as_typed_is_before_one_with_its_synonym(any_home: Home):
    # The synonym is rarer: alone it would tell more.
    texts = ("a rare automobile", "a rare car", "some car", "the car", "old car", "new car")
    searcher = one_each(any_home, *texts, rules=CARS)

    answer = searcher.search("car")

    assert found(answer)[-1] == "0"
    assert len(answer.hits) == 6


def test_the_explanation_says_by_which_synonym_a_document_was_found(any_home: Home):
    searcher = one_each(any_home, "an old automobile", "a motor car", rules=CARS)

    [hit] = searcher.search("car & old", explain=True, fill=False).hits
    assert hit.explain is not None
    by = {term.term: term for term in hit.explain.terms}

    assert by["automobile"].synonym_of == "car"
    assert by["automobile"].factor == WEIGHT
    assert [(each.field, each.frequency) for each in by["automobile"].fields] == [("body", 1)]
    assert hit.score == pytest.approx(hit.explain.score, abs=2e-6)
    assert [piece.text for piece in hit.highlights if piece.hit] == ["old", "automobile"]


def test_a_phrase_that_stands_for_a_word_is_explained_and_marked_where_it_stands(any_home: Home):
    searcher = one_each(any_home, "a motor and a motor car here", rules="tusk => motor car")

    [hit] = searcher.search("tusk", explain=True).hits

    assert hit.explain is not None
    assert [(t.term, t.synonym_of) for t in hit.explain.terms] == [("motor car", "tusk")]
    assert hit.explain.terms[0].fields[0].frequency == 1
    marked = [piece.text for piece in hit.highlights if piece.hit]
    assert marked == ["motor", "car"]
    assert hit.snippet == "a motor and a motor car here"
    assert hit.highlights[0].text == "a motor and a "


def test_the_words_of_a_phrase_alone_are_neither_found_nor_marked(any_home: Home):
    texts = ("a motor, no more", "a motor in a car", "a motor of silk")
    searcher = one_each(any_home, *texts, rules="silk => motor car")

    [hit] = searcher.search("silk").hits

    assert hit.url.endswith("/2")
    assert [piece.text for piece in hit.highlights if piece.hit] == ["silk"]


def test_several_words_of_a_query_may_have_one_synonym_and_it_counts_as_all(any_home: Home):
    searcher = one_each(any_home, "nyc taxi", "new taxi", "new york taxi", rules=CARS)

    assert found(searcher.search("new york taxi")) == ["2", "0", "1"]
    assert found(searcher.search("new & york & taxi", fill=False)) == ["2", "0"]
    assert found(searcher.search("new | york", fill=False)) == ["2", "1"]


def test_quoted_and_excluded_words_are_taken_as_typed(any_home: Home):
    searcher = one_each(any_home, "automobile silk", "car silk", rules=CARS)

    assert found(searcher.search('"car" & silk', fill=False)) == ["1"]
    assert found(searcher.search("silk !car", fill=False)) == ["0"]


def test_synonyms_are_named_in_the_notes(any_home: Home):
    searcher = one_each(any_home, "an automobile", rules=CARS)

    notes = searcher.search("Car").notes

    assert notes == ["synonyms of Car are searched too: automobile, motor car"]
    assert searcher.search("silk").notes == []


def test_a_weight_of_nothing_turns_them_off(any_home: Home):
    searcher = one_each(any_home, "an automobile", rules=CARS, weight=0.0)

    assert searcher.search("car").total == 0


def test_synonyms_hold_in_the_field_that_is_asked(any_home: Home):
    searcher = one_each(any_home, "an automobile", rules=CARS)

    assert searcher.search("title:car", fill=False).total == 0


def test_a_list_is_read_as_it_was_put_and_dropped_when_it_is_named_no_more(backend: Any):
    chance = random.Random(1)
    text = "".join(f"w{chance.random()}, w{chance.random()}\n" for _ in range(40_000))
    name = backend.home.settings.put_list(text)
    backend.home.settings.put(CollectionSettings(version=1, synonyms=name))
    backend.home.commit()

    again = backend.reopen().settings
    assert again.read_list(again.get().synonyms) == text
    again.drop_list(name)
    assert again.read_list(name) == ""
    assert again.put_list("") == ""
    assert again.read_list("") == ""
