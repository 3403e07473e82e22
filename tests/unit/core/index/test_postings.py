"""Does a table of postings hold exactly what the documents say?"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.collection import Weights
from gossamer.core.index.anchors import MAX_NAME
from gossamer.core.index.impacts import field_scales, impacts_of
from gossamer.core.index.postings import AS_WRITTEN, Postings, empty, merge, read
from gossamer.core.index.schema import BREAK, FIRST_POSITION, NAMING, TITLE, texts_of
from gossamer.core.page.document import Document
from tests.unit.core.index.words import Splitter, batches, by_term, invert

ANALYZER, WEIGHTS = Splitter(), Weights()
A = "http://a.test/"


def naive(batch, first):
    """Term → ordinal → positions, by the definition."""
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for ordinal, document in enumerate(batch, first):
        for field, texts in texts_of(document):
            at = FIRST_POSITION[field]
            for text in texts:
                words = ANALYZER.words(text)
                name = " ".join(term for word in words if (term := ANALYZER.term(word)))
                if field in NAMING and 0 < len(name) <= MAX_NAME:
                    found[f"@{name}"][ordinal] = []
                for place, word in enumerate(words, at):
                    if term := ANALYZER.term(word):
                        found[term][ordinal].append(place)
                    written = found[AS_WRITTEN + word][ordinal]
                    if field == TITLE:
                        written.append(place)
                at += len(words) + BREAK
    return {t: {o: sorted(p) for o, p in rows.items()} for t, rows in found.items()}


def contents(table: Postings):
    """The same shape, read out of a table."""
    found = {}
    for term, part in by_term(table):
        begins = [0, *part.ends[:-1].tolist()]
        rows = zip(part.ordinals.tolist(), begins, part.ends.tolist(), strict=True)
        found[term] = {o: part.positions[b:e].tolist() for o, b, e in rows}
    return found


@given(batches, st.integers(0, 5000))
def test_inverting_finds_every_word_of_every_document_and_nothing_else(batch, first):
    table = invert(batch, first, ANALYZER, WEIGHTS)

    assert contents(table) == naive(batch, first)
    assert table.terms == sorted(table.terms)


@given(st.lists(batches, max_size=4), st.data())
def test_merging_segments_equals_inverting_their_live_documents(several, data):
    together: dict[str, dict[int, list[int]]] = {}
    tables, first = [], 0
    for batch in several:
        tables.append(invert(batch, first, ANALYZER, WEIGHTS))
        for term, rows in naive(batch, first).items():
            together.setdefault(term, {}).update(rows)
        first += len(batch)
    alive = data.draw(st.sets(st.integers(0, max(0, first - 1))))
    mask = np.isin(np.arange(first + 1), list(alive))

    merged = merge(tables, mask)

    expected = {t: {o: p for o, p in rows.items() if o in alive} for t, rows in together.items()}
    assert contents(merged) == {t: rows for t, rows in expected.items() if rows}


@given(batches)
def test_a_word_that_occurs_weighs_something(batch):
    assert (invert(batch, 0, ANALYZER, WEIGHTS).impacts >= 1).all()


def test_more_occurrences_weigh_more_and_longer_documents_dilute_them():
    weights = Weights()
    x = np.array([0.5, 1.0, 2.0, 100.0])

    assert impacts_of(weights, x).tolist() == sorted(impacts_of(weights, x).tolist())
    assert impacts_of(weights, x)[-1] > 240
    short, long = field_scales(weights, np.array([[10, 5, 5, 5, 5], [1000, 5, 5, 5, 5]]))
    assert short[0] > long[0]


@given(batches)
def test_the_words_of_a_text_can_be_read_back(batch):
    words = read(batch, ANALYZER)

    for number, document in enumerate(batch):
        found = [words.written[word] for word in words.body(number).tolist()]
        assert found == ANALYZER.words(document.text)


def weight_of(name: str, title: str = "", anchors: tuple[str, ...] = ()) -> int:
    table = invert([Document(url=A, title=title)], 0, ANALYZER, WEIGHTS, [anchors])
    return int(table.impacts[table.terms.index(name)]) if name in table.terms else 0


def test_a_whole_name_weighs_by_who_says_it_and_not_by_what_else_the_page_is_called():
    once = weight_of("@blue whale", anchors=("blue whale",))

    assert once == weight_of("@blue whale", anchors=("blue whale", "largest of all", "it"))
    assert once < weight_of("@blue whale", anchors=("blue whale", "blue whale"))
    assert once < weight_of("@blue whale", title="the blue whales")
    assert weight_of("@blue whale", title="blue whale song", anchors=("a blue whale swims",)) == 0


@pytest.mark.parametrize(("words", "is_name"), [(20, True), (40, False)])
def test_a_sentence_is_no_name(words, is_name):
    said = " ".join(["whale"] * words)

    assert bool(weight_of(f"@{said}", anchors=(said,))) is is_name


def test_nothing_at_all_makes_an_empty_table():
    assert len(empty()) == len(invert([], 0, ANALYZER, WEIGHTS)) == 0
    assert merge([], np.zeros(1, bool)).terms == []
