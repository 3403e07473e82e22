"""Parts become one segment that says what a segment of all their documents says."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments.merger import (
    Source,
    merged_terms,
    newest_pages,
    order_of,
    term_cuts,
)
from tests.effort import often
from tests.unit.core.index.segments.making import (
    TERMS,
    Doc,
    Files,
    as_kept,
    collections,
    use_small_parts,
)
from tests.unit.core.index.segments.test_merger import merged


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        yield


def alive(docs: list[Doc]) -> list[Doc]:
    return [replace(doc, gone=False) for doc in docs]


def parts_of(files: Files, several: list[list[Doc]]) -> list[Source]:
    opened = [files.write_part(f"p{number}", docs) for number, docs in enumerate(several)]
    return [
        Source(each, np.ones(len(each.identities), np.bool_), each.identities.levels)
        for each in opened
    ]


lots = collections.map(alive)
cuts = st.lists(st.integers(0, 9), max_size=3).map(sorted)
names = st.lists(st.sampled_from((*TERMS, "bb")), unique=True).map(sorted)


@often(150)
@given(lots, cuts, names)
def test_documents_that_follow_each_other_are_one_segment(docs, cuts, ranges):
    files = Files()
    edges = [0, *cuts, len(docs)]
    several = [docs[low:high] for low, high in pairwise(edges)]

    found = merged(files, parts_of(files, several), *ranges)

    assert found == [as_kept(doc) for doc in docs]


@often(100)
@given(lots, st.integers(1, 3))
def test_documents_that_stand_between_each_other_are_one_segment(docs, count):
    files = Files()

    found = merged(files, parts_of(files, [docs[number::count] for number in range(count)]))

    assert found == [as_kept(doc) for doc in docs]


def test_tables_are_small_whatever_the_parts_are():
    files = Files()
    docs = [Doc(b"%016d" % n, terms=((f"t{n:03}", 9, (n,)), ("u", 1, ()))) for n in range(90)]
    sources = parts_of(files, [docs[:50], docs[50:]])

    tables = list(merged_terms(sources, order_of(sources, 0.0), files.fetch))

    assert [t for table in tables for t in table.terms] == [*(f"t{n:03}" for n in range(90)), "u"]
    assert len(tables) > 10


def test_a_part_is_cut_into_ranges_of_about_as_much_work():
    files = Files()
    docs = [Doc(b"%016d" % n, terms=((f"t{n:03}", 9, (n,)),)) for n in range(90)]
    last = Doc(b"%016d" % 90, terms=(("t090", 9, tuple(range(271))),))

    assert term_cuts(files.write_part("part", docs), 3) == ["t029", "t059"]
    assert term_cuts(files.write_part("places", [*docs, last]), 2) == ["t090"]
    assert term_cuts(files.write_part("none", []), 3) == []


def test_a_part_that_is_damaged_says_so():
    files = Files()
    docs = [Doc(b"%016d" % n, terms=((f"t{n:03}", 9, (n,)),)) for n in range(9)]
    whole = files.write_part("part", docs)
    place = whole.footer.regions["part.positions"].offset
    files["part"] = files["part"][:place] + b"\xff" + files["part"][place + 1 :]

    assert [region for region, _ in files.open("part").verify()] == ["part.positions"]


@often(150)
@given(st.lists(lots, min_size=1, max_size=4), names, st.data())
def test_dead_documents_of_parts_are_left_out(several, ranges, data):
    files = Files()
    ids = {doc.id for docs in several for doc in docs}
    owner = {id: data.draw(st.integers(-1, len(several) - 1)) for id in sorted(ids)}
    sources = [
        replace(source, live=np.array([owner[doc.id] == number for doc in docs], np.bool_))
        for number, (docs, source) in enumerate(zip(several, parts_of(files, several), strict=True))
    ]

    found = merged(files, sources, *ranges)

    alive_ones = [doc for n, docs in enumerate(several) for doc in docs if owner[doc.id] == n]
    assert found == [as_kept(doc) for doc in sorted(alive_ones, key=lambda doc: doc.id)]


def test_of_a_page_in_several_parts_the_newest_version_lives_of_equal_ones_the_last():
    files = Files()
    page, other = UrlId(b"p" * 16), UrlId(b"q" * 16)
    several = [
        [Doc(document_id(page, part), version=2.0) for part in (0, 5)],
        [Doc(document_id(page, 1), version=1.0), Doc(document_id(other, 0), version=3.0)],
        [Doc(document_id(other, 0), version=3.0)],
    ]

    lives = [source.live.tolist() for source in newest_pages(parts_of(files, several))]

    assert lives == [[True, True], [False, False], [True]]


def test_long_documents_are_merged_term_by_term():
    terms = tuple((term, 1, tuple(range(100))) for term in TERMS[:3])
    docs = [
        Doc(document_id(UrlId(bytes([n]) * 16)), lengths=(300, 0, 0), terms=terms) for n in (1, 2)
    ]
    files = Files()
    sources = parts_of(files, [docs[:1], docs[1:]])

    tables = list(merged_terms(sources, order_of(sources, 0.0), files.fetch))

    assert [table.terms for table in tables] == [[term] for term in TERMS[:3]]
    assert [len(table.positions) for table in tables] == [200] * 3
