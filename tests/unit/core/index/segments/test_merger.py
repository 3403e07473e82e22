"""A merge of segments is the segment of their live documents."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.segments import merger
from gossamer.core.index.segments.merger import (
    Source,
    merged_documents,
    merged_terms,
    order_of,
    term_edges,
)
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.table import Postings
from gossamer.core.index.segments.writer import TermWriter, segment
from tests.effort import often
from tests.unit.core.index.segments.making import (
    ANALYZER,
    TERMS,
    Doc,
    Files,
    as_kept,
    collections,
    read_back,
    use_small_parts,
)

NEVER = -1.0
ALL_GONE = 1e9


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        yield


def sources_of(files: Files, several: list[list[Doc]], dead: set[bytes]) -> list[Source]:
    """Segments of these documents; a document that a later segment has again is dead."""
    sources = []
    for number, docs in enumerate(several):
        opened = files.write(f"s{number}", docs)
        later = {doc.id for others in several[number + 1 :] for doc in others}
        live = np.array([not d.gone and d.id not in dead | later for d in docs], np.bool_)
        sources.append(Source(opened, live, opened.identities.levels))
    return sources


def merged(files: Files, sources: list[Source], *cuts: str, forget: float = ALL_GONE) -> list[Doc]:
    """The merged segment, whose terms are merged in ranges that end at some cuts."""
    order = order_of(sources, forget)
    terms = TermWriter()
    edges = ["", *cuts, ""]
    for low, high in itertools.pairwise(edges):
        for table in merged_terms(sources, order, files.fetch, low, high):
            terms.add(table)
    documents = merged_documents(sources, order, files.fetch)
    files["merged"] = b"".join(segment(documents, [terms.written], ANALYZER))
    opened = files.open("merged")
    assert list(opened.verify()) == []
    return read_back(opened)


several = st.lists(collections, min_size=1, max_size=4)


@often(150)
@given(several, st.data())
def test_a_merge_says_what_one_segment_of_all_live_documents_says(several, data):
    ids = sorted({doc.id for docs in several for doc in docs})
    dead = data.draw(st.sets(st.sampled_from(ids), max_size=3)) if ids else set()
    files = Files()
    sources = sources_of(files, several, dead)

    found = merged(files, sources)

    kept = {doc.id: as_kept(doc) for docs in several for doc in docs}
    union = [doc for id, doc in sorted(kept.items()) if id not in dead and not doc.gone]
    assert found == union
    assert found == read_back(files.write("union", union))


@often(200)
@given(several, st.lists(st.sampled_from((*TERMS, "bb", "\U0010ffff")), unique=True).map(sorted))
def test_merges_of_ranges_of_terms_are_together_the_whole_merge(several, cuts):
    files = Files()
    sources = sources_of(files, several, set())

    in_ranges = merged(files, sources, *cuts)
    ranges = files["merged"]

    assert in_ranges == merged(files, sources)
    assert len(files["merged"]) <= len(ranges) + 500  # a cut begins a block, no more


@often(100)
@given(several, st.integers(1, 400))
def test_however_little_is_read_at_once_the_merge_is_the_same(several, at_once):
    files = Files()
    sources = sources_of(files, several, set())
    whole = merged(files, sources)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merger, "AT_ONCE", at_once)
        assert merged(files, sources) == whole


def test_tables_come_in_the_order_of_their_terms():
    files = Files()
    one = [Doc(b"%016d" % n, terms=((f"t{n:03}", 9, ()),)) for n in range(0, 90, 2)]
    two = [Doc(b"%016d" % n, terms=((f"t{n:03}", 9, ()), ("u", 1, ()))) for n in range(1, 90, 2)]
    sources = sources_of(files, [one, two], set())

    tables = list(merged_terms(sources, order_of(sources, NEVER), files.fetch))

    names = [term for table in tables for term in table.terms]
    assert names == [*(f"t{n:03}" for n in range(90)), "u"]
    assert len(tables) > 3  # so little was in memory at a time
    assert all(isinstance(table, Postings) and len(table) for table in tables)


def test_documents_are_numbered_by_id_whichever_segment_they_come_from():
    files = Files()
    one = [Doc(b"%016d" % n, stored=Stored(f"u{n}")) for n in (1, 4, 5)]
    two = [Doc(b"%016d" % n, stored=Stored(f"u{n}")) for n in (0, 3, 9)]

    found = merged(files, sources_of(files, [one, two], set()))

    assert [doc.stored.url for doc in found] == ["u0", "u1", "u3", "u4", "u5", "u9"]


def test_a_block_in_which_another_segment_has_a_newer_document_is_not_copied():
    """Its first and last document stand where they would if it had stayed whole."""
    names = [b"%016d" % number for number in range(3)]
    old = [Doc(name, stored=Stored(f"old {number}")) for number, name in enumerate(names)]
    new = [Doc(names[1], 2.0, stored=Stored("new 1"))]
    files = Files()

    kept = merged(files, sources_of(files, [old, new], set()))

    assert [doc.stored.url for doc in kept] == ["old 0", "new 1", "old 2"]


def test_the_present_ranks_are_taken_and_not_those_of_when_it_was_indexed():
    files = Files()
    [source] = sources_of(files, [[Doc(b"%016d" % n, level=n) for n in range(3)]], set())

    found = merged(files, [replace(source, levels=np.array([7, 8, 9], np.uint8))])

    assert [doc.level for doc in found] == [7, 8, 9]


class TestRemovals:
    GONE = Doc(b"%016d" % 1, version=5.0, gone=True)
    LIVE = Doc(b"%016d" % 2)

    def test_are_kept_as_long_as_an_older_version_may_arrive(self):
        files = Files()
        sources = sources_of(files, [[self.GONE, self.LIVE]], set())

        kept = merged(files, sources, forget=5.0)
        forgotten = merged(files, sources, forget=5.1)

        assert [(doc.id, doc.gone) for doc in kept] == [
            (self.GONE.id, True),
            (self.LIVE.id, False),
        ]
        assert [doc.id for doc in forgotten] == [self.LIVE.id]

    def test_of_a_page_that_came_back_are_forgotten(self):
        """Else a segment has the id twice, and finds the removal where the document is."""
        files = Files()
        back = replace(self.GONE, gone=False, version=6.0)

        for several in ([[self.GONE], [back]], [[back], [self.GONE]]):
            sources = [
                Source(opened, ~opened.identities.gone, opened.identities.levels)
                for opened in (files.write(f"s{n}", docs) for n, docs in enumerate(several))
            ]
            assert merged(files, sources, forget=0.0) == [as_kept(back)]

    def test_that_were_told_twice_are_kept_once_by_the_newest(self):
        files = Files()
        again = replace(self.GONE, version=7.0)

        for several in ([[self.GONE], [again]], [[again], [self.GONE]]):
            found = merged(files, sources_of(files, several, set()), forget=0.0)
            assert [(doc.id, doc.version) for doc in found] == [(again.id, 7.0)]


@pytest.mark.parametrize("docs", [[], [Doc(b"%016d" % 1, terms=(("a", 1, ()),))]])
def test_a_merge_of_which_nothing_is_left_is_an_empty_segment(docs):
    files = Files()

    assert merged(files, sources_of(files, [docs], {doc.id for doc in docs})) == []


def test_a_column_that_one_segment_lacks_is_missing_there():
    files = Files()
    opened = files.write("one", [Doc(b"%016d" % 1, columns=(1, 2.0, 3, "h", ("t",), "u"))])
    other = files.write("two", [Doc(b"%016d" % 2, columns=(4, 5.0, 6, "i", ("v",), "w"))])
    other.footer.columns.clear()
    sources = [Source(s, ~s.identities.gone, s.identities.levels) for s in (opened, other)]

    first, second = merged(files, sources)

    assert first.columns == (1, 2.0, 3, "h", ("t",), "u")
    assert second.columns == (None, None, None, None, (), "")


CUT_DOCS = [
    Doc(bytes([number]) * 16, terms=(("moth", 9, (1, 2)), (f"term{number:02}", 5, (3,))))
    for number in range(20)
]


@pytest.mark.parametrize("width", [1, 2, 3, 50])
def test_terms_are_cut_where_the_largest_segment_is(width):
    files = Files()
    segments = [files.write("large", CUT_DOCS), files.write("small", CUT_DOCS[:2])]

    edges = term_edges(segments, width)

    inner = edges[1:-1]
    assert edges[0] == edges[-1] == ""
    assert inner == sorted(set(inner))
    assert len(inner) <= width - 1
    assert set(inner) <= set(segments[0].sparse.first_terms)
    assert bool(inner) is (width > 1)


def test_a_segment_without_terms_is_not_cut():
    assert term_edges([Files().write("empty", [Doc(b"a" * 16)])], 3) == ["", ""]
