"""Are anchors kept so that none drowns the others, and weighed on their own?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.collection import FieldWeight, Weights
from gossamer.core.index.anchors import MAX_BYTES, digest, kept
from gossamer.core.index.schema import ANCHORS, BREAK, FIRST_POSITION
from gossamer.core.page.document import Document
from tests.unit.core.index.words import Splitter, batches, by_term, documents, invert, texts

if TYPE_CHECKING:
    from gossamer.core.index.segments.table import Postings

ANALYZER, WEIGHTS = Splitter(), Weights()


def documents_of(*bodies: str) -> list[Document]:
    return [Document(url="http://a.test/", text=body) for body in bodies]


def impact(table: Postings, term: str, document: int) -> int:
    rows = table.rows(table.terms.index(term), table.terms.index(term) + 1)
    return int(rows.impacts[rows.documents.tolist().index(document)])


def by_document(part: Postings) -> dict[int, int]:
    return dict(zip(part.documents.tolist(), part.impacts.tolist(), strict=True))


def same(one: Postings, other: Postings) -> bool:
    return one.terms == other.terms and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("starts", "documents", "impacts", "ends", "positions")
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], ()),
        (["", " \n"], ()),
        (["one", "two"], ("one", "two")),
        (["one", "two", "two"], ("two", "two", "one")),
        ([" A  home\n", "a HOME", "x"], ("A home", "A home", "x")),
        (["a"] * 1000, ("a",) * 10),
    ],
)
def test_equal_texts_are_kept_a_few_times_the_frequent_first(given, expected):
    assert kept(given) == expected


def test_no_more_is_kept_than_there_is_room_for():
    found = kept([f"{n:06} {'é' * 100}" for n in range(10_000)] + ["home", "home"])

    assert found[:2] == ("home", "home")
    assert MAX_BYTES - 300 < sum(len(text.encode()) for text in found) <= MAX_BYTES


def test_a_digest_tells_other_anchors_and_is_empty_for_none():
    assert digest(()) == b""
    assert digest(("a",)) == digest(["a"]) != digest(("a", "a"))


@given(batches)
def test_documents_without_anchors_weigh_exactly_what_they_did(batch):
    before = invert(batch, ANALYZER, WEIGHTS)

    assert same(before, invert(batch, ANALYZER, WEIGHTS, [()] * len(batch)))


@given(batches, documents, st.lists(texts, min_size=1, max_size=3))
def test_anchors_of_one_document_change_no_other(batch, named, anchors):
    every = [*batch, named]
    plain = invert(every, ANALYZER, WEIGHTS)

    table = invert(every, ANALYZER, WEIGHTS, [*[()] * len(batch), anchors])

    after = dict(by_term(table))
    for term, part in by_term(plain):
        rows = by_document(part)
        rows.pop(len(batch), None)
        assert rows.items() <= by_document(after[term]).items()


def test_each_anchor_stands_apart_from_the_next():
    table = invert(documents_of("fish"), ANALYZER, WEIGHTS, [("cat dog", "cat")])

    row = table.rows(table.terms.index("cat"), table.terms.index("cat") + 1)
    first = FIRST_POSITION[ANCHORS]
    assert row.positions.tolist() == [first, first + 2 + BREAK]


def test_a_name_in_anchors_weighs_less_than_in_the_title_and_more_than_in_headings():
    batch = [
        Document(url="u", title="cat"),
        Document(url="u", headings=[(1, "cat")]),
        Document(url="u"),
    ]

    table = invert(batch, ANALYZER, WEIGHTS, [(), (), ("cat",)])

    assert impact(table, "cat", 0) > impact(table, "cat", 2) > impact(table, "cat", 1)


def test_the_length_of_a_page_does_not_dilute_its_anchors():
    table = invert(documents_of("fish", "fish " * 5000), ANALYZER, WEIGHTS, [("cat",), ("cat",)])

    assert impact(table, "cat", 0) == impact(table, "cat", 1)


def test_a_thousand_equal_anchors_weigh_little_more_than_eight_and_leave_others_their_voice():
    crowds = [kept([*["cat"] * count, "dog"]) for count in (1, 8, 1000)]
    table = invert(documents_of("", "", ""), ANALYZER, WEIGHTS, crowds)

    one, eight, thousand = (impact(table, "cat", n) for n in range(3))
    assert one < eight < thousand < 1.15 * eight
    assert impact(table, "dog", 2) > 0.75 * impact(table, "dog", 0)


def test_the_weight_of_anchors_is_a_knob():
    light = Weights(anchors=FieldWeight(0.1, 0.5, 20.0))
    tables = [invert(documents_of(""), ANALYZER, w, [("cat",)]) for w in (light, WEIGHTS)]

    assert impact(tables[0], "cat", 0) < impact(tables[1], "cat", 0)
