"""Does a table of postings hold exactly what the documents say?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.collection import Weights
from gossamer.core.index.anchors import MAX_NAME
from gossamer.core.index.impacts import field_scales, impacts_of
from gossamer.core.index.joined_words import is_own, joined_words
from gossamer.core.index.postings import AS_WRITTEN, read
from gossamer.core.index.schema import BREAK, FIRST_POSITION, NAMING, TITLE, texts_of
from gossamer.core.index.segments.table import Postings, empty, merge
from gossamer.core.page.document import Document
from tests.unit.core.index.words import Splitter, batches, by_term, invert

ANALYZER, WEIGHTS = Splitter(), Weights()
A = "http://a.test/"


def naive(batch):
    """Term → document → positions, by the definition."""
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, document in enumerate(batch):
        for field, texts in texts_of(document):
            at = FIRST_POSITION[field]
            for text in texts:
                words = ANALYZER.words(text)
                name = " ".join(term for word in words if (term := ANALYZER.term(word)))
                if field in NAMING and 0 < len(name) <= MAX_NAME:
                    found[f"@{name}"][number] = []
                for term, place in terms_at(text, words, at):
                    found[term][number].append(place)
                for place, word in enumerate(words, at):
                    written = found[AS_WRITTEN + word][number]
                    if field == TITLE:
                        written.append(place)
                at += len(words) + BREAK
    return {t: {o: sorted(p) for o, p in rows.items()} for t, rows in found.items()}


def terms_at(text, words, at):
    """Terms and their positions; where joined words stand only says in which field they are."""
    terms = enumerate(map(ANALYZER.term, words), at)
    written = [each.written for each in joined_words(text)]
    joined = enumerate(filter(is_own, written), at)
    return [(term, place) for place, term in (*terms, *joined) if term]


def contents(table: Postings):
    """The same shape, read out of a table."""
    found = {}
    for term, part in by_term(table):
        begins = [0, *part.ends[:-1].tolist()]
        rows = zip(part.documents.tolist(), begins, part.ends.tolist(), strict=True)
        found[term] = {o: part.positions[b:e].tolist() for o, b, e in rows}
    return found


@given(batches)
def test_inverting_finds_every_word_of_every_document_and_nothing_else(batch):
    table = invert(batch, ANALYZER, WEIGHTS)

    assert contents(table) == naive(batch)
    assert table.terms == sorted(table.terms)


@given(st.lists(batches, max_size=4))
def test_merging_tables_equals_inverting_their_documents_together(several):
    tables, first = [], 0
    for batch in several:
        table = invert(batch, ANALYZER, WEIGHTS)
        tables.append(replace(table, documents=table.documents + first))
        first += len(batch)
    together = [document for batch in several for document in batch]

    merged = merge(tables)

    assert contents(merged) == naive(together)
    assert merged.impacts.tolist() == invert(together, ANALYZER, WEIGHTS).impacts.tolist()


@given(batches)
def test_a_word_that_occurs_weighs_something_but_for_how_it_is_written(batch):
    for term, postings in by_term(invert(batch, ANALYZER, WEIGHTS)):
        assert (postings.impacts >= 1).all() != term.startswith(AS_WRITTEN)


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

    bodies, starts = words.bodies()
    for document, (begin, end) in zip(batch, pairwise(starts.tolist()), strict=True):
        found = [words.written[word] for word in bodies[begin:end].tolist()]
        assert found == ANALYZER.words(document.text)


def weight_of(name: str, title: str = "", anchors: tuple[str, ...] = ()) -> int:
    table = invert([Document(url=A, title=title)], ANALYZER, WEIGHTS, [anchors])
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
    assert len(empty()) == len(invert([], ANALYZER, WEIGHTS)) == 0
    assert merge([]).terms == []
