"""Formulas, weighted words and chosen results: every answer is that of brute force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.bolts.manifest import put_levels
from gossamer.core.ids import UrlId, document_id
from gossamer.core.page.document import Document
from gossamer.core.page.values import Date
from gossamer.core.search.curated import Curated
from gossamer.core.search.query import Word
from gossamer.ports.documents import Version
from tests.brute import UNIT
from tests.effort import often
from tests.formulas import evaluated, formulas, readable
from tests.indexing import writer_of
from tests.unit.search.test_declared import (
    SETTINGS,
    Engine,
    _small_parts,  # noqa: F401 a fixture
    built,
    histories,
    queries,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.collection import CollectionSettings

TODAY = 20_000
LEVELS = (0, 51, 255)  # PageRank, of 255
NUMBERS = ("text", "rank", "price", "rating", "released", "in_stock")
OWNED = ("price", "rating", "released", "in_stock", "brand", "tags")
expressions = st.just("") | formulas(NUMBERS, ("released", "date"), OWNED)
points = st.sampled_from((5.0, -5.0, 0.25, -0.5))
weighted = st.dictionaries(st.sampled_from(("silk", "Spiders", "C++", "the", "x2")), points)


def tuned(**changes: Any) -> CollectionSettings:
    return msgspec.structs.replace(SETTINGS, **changes)


def id_of(number: int) -> Any:
    return document_id(UrlId((b"%d" % number).ljust(16, b"\0")))


def level_of(url: str) -> int:
    return LEVELS[int(url[-1]) % len(LEVELS)]


def with_levels(engine: Engine) -> Engine:
    writer = writer_of(engine.index)
    levels = {}
    for info in engine.index.manifest().segments:
        known = writer.opened.segment(info).identities
        # A page's number is the first byte of its id.
        numbers = [int(known.id(each)[:1]) for each in range(info.documents)]
        levels[info.name] = np.array([level_of(str(number)) for number in numbers], np.uint8)
    put_levels(writer, levels)
    return engine


def value_of(engine: Engine, url: str, name: str) -> float | None:
    [page] = [page for page in engine.brute.pages.values() if page.url == url]
    found = engine.brute.values(page, name)
    if name in ("brand", "tags"):
        return 0.0 if found else None
    if name == "in_stock":
        return float(found[0] == "true") if found else None
    return found[0] if found else None


def has_word(engine: Engine, url: str, word: str) -> bool:
    """Whether a document has a word, by itself or as signs join it."""
    brute = engine.brute
    [page] = [page for page in brute.pages.values() if page.url == url]
    if word == "C++":
        return "c++" in brute._joined_of(page, "")
    term = brute.analyzer.term(word)
    return term in {brute.analyzer.term(each) for text in brute._texts(page, "") for each in text}


def is_asked(engine: Engine, query: str, word: str) -> bool:
    """Whether a query of plain words has a word that counts."""
    brute = engine.brute
    if word == "C++":
        return "c++" in [each.term for each in brute._joined_in(Word(query))]
    term = brute.analyzer.term(word)
    return bool(term) and term in brute.analyzer.terms(query)


def rank_part(level: int) -> float:
    share = level / 255
    return 0.4 * share / (share + 0.25)


def expected_scores(
    engine: Engine, query: str, formula: str, words: dict[str, float]
) -> dict[str, float]:
    """All results, best first, by what each has on its own."""
    scores = {}
    for url, text in engine.brute.search(query).scores.items():
        values = {name: value_of(engine, url, name) for name in (*NUMBERS[2:], "brand", "tags")}
        values |= {"text": text, "rank": level_of(url) / 255, "date": None}
        added = evaluated(formula, values, TODAY) if formula else 0.0
        units = round(text * UNIT) + round(rank_part(level_of(url)) * UNIT)
        units += round(max(-1e6, min(1e6, added)) * UNIT)
        asked = [word for word in words if is_asked(engine, query, word)]
        units += sum(round(words[w] * UNIT) for w in asked if has_word(engine, url, w))
        scores[url] = units / UNIT
    return dict(sorted(scores.items(), key=lambda pair: (-round(pair[1], 6), pair[0])))


@often(400)
@given(histories, queries, expressions, st.booleans())
def test_results_are_ordered_as_brute_force_computes_the_formula(history, query, text, merged):
    settings = tuned(formula=readable(text))
    engine = with_levels(built(history, merged=merged, settings=settings))

    found = engine.search(query, today=TODAY)

    expected = expected_scores(engine, query, text, {})
    assert {hit.url: hit.score for hit in found.hits} == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert sorted([hit.score for hit in found.hits], reverse=True) == [h.score for h in found.hits]
    assert (found.total, found.total_is_exact) == (len(expected), True)
    first = engine.searcher.search(query, limit=2, similar="all", today=TODAY)
    assert [hit.url for hit in first.hits] == [hit.url for hit in found.hits[:2]]
    engine.close()


plain_words = st.lists(
    st.sampled_from(("silk", "silks", "spider", "the", "web", "x2", "C++")), min_size=1, max_size=3
).map(" ".join)


@often(300)
@given(histories, plain_words, weighted, st.booleans())
def test_a_weighted_word_counts_where_the_query_and_the_document_have_it(
    history, query, words, merged
):
    engine = with_levels(built(history, merged=merged, settings=tuned(words=words)))

    found = engine.search(query)

    expected = expected_scores(engine, query, "", words)
    assert {hit.url: hit.score for hit in found.hits} == pytest.approx(expected, abs=1e-6)
    assert [hit.url for hit in found.hits] == list(expected)
    engine.close()


@often(300)
@given(histories, queries, expressions, weighted, st.sampled_from(("bm25", "tfidf")))
def test_the_parts_of_an_explanation_sum_to_the_score(history, query, text, words, profile):
    settings = tuned(formula=readable(text), words=words)
    engine = with_levels(built(history, merged=False, settings=settings))

    for hit in engine.search(query, explain=True, profile=profile, today=TODAY).hits:
        why = hit.explain
        assert why is not None
        terms, boosts = [p.score for p in why.terms], [p.score for p in why.boosts]
        assert sum(terms) + sum(boosts) + why.rank_score == pytest.approx(hit.score, abs=1e-5)
        assert why.score == pytest.approx(hit.score, abs=1e-6)
        assert [part.name for part in why.boosts if part.what == "formula"] == [
            each for each in [readable(text)] if each
        ]
    engine.close()


chosen = st.lists(st.integers(0, 5), unique=True, max_size=4)


@often(300)
@given(histories, queries, chosen, st.integers(0, 4), st.booleans(), st.integers(1, 3))
def test_pinned_results_come_first_and_hidden_ones_not_at_all(
    history, query, numbers, cut, merged, limit
):
    pinned, hidden = numbers[:cut], numbers[cut:]
    results = Curated(
        pinned=[id_of(number).hex() for number in pinned],
        hidden=[id_of(number).hex() for number in hidden],
    )
    engine = built(history, merged=merged)
    plain = [hit.url for hit in engine.search(query).hits]
    live = {page.url for page in engine.brute.pages.values()}
    first = [url for url in urls_of(pinned) if url in live]
    rest = [url for url in plain if url not in urls_of(numbers)]

    engine.use(tuned(results={f"  {query.upper()} ": results}))
    found = engine.search(query, facets=("kind",))
    pages = [
        engine.searcher.search(query, page=page, limit=limit, similar="all").hits
        for page in range(1, len(first + rest) // limit + 2)
    ]

    assert [hit.url for hit in found.hits] == first + rest
    assert [hit.pinned for hit in found.hits] == [True] * len(first) + [False] * len(rest)
    assert (found.total, found.total_is_exact) == (len(first + rest), True)
    assert sum(each.count for each in found.facets["kind"]) == len(first + rest)
    assert [hit.url for page in pages for hit in page] == first + rest
    assert not any(hit.pinned for hit in engine.search(f"({query})").hits)
    engine.close()


def urls_of(numbers: Sequence[int]) -> list[str]:
    return [f"http://a.test/{number}" for number in numbers]


# By hand, so that the oracle and the search cannot be wrong together.


@pytest.fixture
def engine() -> Iterator[Engine]:
    settings = tuned(
        formula="10 * saturation(rating, 4) + (released > 0 ? 1 : 0)",
        words={"freiburg": 5.0, "spam": -3.0},
        results={"returns": Curated(pinned=[id_of(2).hex()], hidden=[id_of(0).hex()])},
    )
    made = Engine(settings)
    values: list[dict[str, Any]] = [
        {},
        {"rating": 4},
        {"rating": 12, "released": Date("2024-05-31")},
    ]
    texts = ["freiburg returns", "freiburg spam returns", "other"]
    for number, (text, given_values) in enumerate(zip(texts, values, strict=True)):
        document = Document(url=f"http://a.test/{number}", text=text, values=given_values)
        made.add([Version(id_of(number), 1.0, document)], declared=True)
    yield made
    made.close()


def test_an_explanation_says_what_the_owner_added(engine):
    [first, second] = engine.search("freiburg", explain=True).hits

    assert (first.url[-1], second.url[-1]) == ("1", "0")
    assert [(part.what, part.name, part.score) for part in first.explain.boosts] == [
        ("formula", engine.settings.formula, 5.0),
        ("word", "freiburg", 5.0),
    ]
    assert first.explain.boosts[0].values == {"rating": 4.0, "released": 0.0}
    assert second.explain.boosts[0].score == 0.0


def test_a_word_of_the_list_punishes_if_its_number_is_negative(engine):
    [hit] = [hit for hit in engine.search("spam freiburg", explain=True).hits if hit.url[-1] == "1"]

    assert [part.score for part in hit.explain.boosts] == [5.0, 5.0, -3.0]


def test_a_pinned_result_need_not_match_and_says_that_it_is_pinned(engine):
    found = engine.search("Returns ", explain=True)

    assert [(hit.url[-1], hit.pinned) for hit in found.hits] == [("2", True), ("1", False)]
    assert [hit.explain.pinned for hit in found.hits] == [True, False]
    assert found.total == 2


def test_who_sorts_by_a_column_gets_that_order_without_what_is_hidden(engine):
    found = engine.search("returns", sort="rating")

    assert [(hit.url[-1], hit.pinned) for hit in found.hits] == [("1", False)]


def test_filters_beside_the_query_hold_for_pinned_results_too(engine):
    found = engine.search("returns", filters=["rating:<10"], facets=["kind"])

    assert [hit.url[-1] for hit in found.hits] == ["1"]
    assert (found.total, found.facets["kind"][0].count) == (1, 1)
    assert [hit.url[-1] for hit in engine.search("returns", filters=["rating:>10"]).hits] == ["2"]
