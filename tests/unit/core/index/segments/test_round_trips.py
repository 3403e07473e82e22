"""What is written to a segment is read from it."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.errors import CorruptRecord
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments import columns, dictionary
from gossamer.core.index.segments.columns import keyword_place, pack_column, read_column
from gossamer.core.index.segments.dictionary import Block, Frequent, Rare, SparseIndex, pack_blocks
from gossamer.core.index.segments.identities import as_ids, document_id_of, identities
from gossamer.core.index.segments.manifest import (
    Manifest,
    Retired,
    SegmentInfo,
    SideFile,
    begun_at,
    new_name,
)
from gossamer.core.index.segments.numbers import (
    Unpacker,
    compress,
    decompress,
    gaps,
    pack,
    runs,
    starts_of,
    undo_gaps,
)
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.table import merge
from gossamer.core.index.segments.tombstones import pack_bits, unpack_bits
from tests.effort import often
from tests.unit.core.index.segments.making import (
    TERMS,
    Doc,
    Files,
    as_kept,
    collections,
    document_ids,
    pages,
    read_back,
    table_of,
    use_small_parts,
)


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        yield


@often(300)
@given(collections)
def test_a_segment_says_of_every_document_what_it_was_told(docs):
    opened = Files().write("one", docs)

    assert read_back(opened) == [as_kept(doc) for doc in docs]
    assert opened.footer.documents == len(docs)
    assert opened.footer.gone == sum(doc.gone for doc in docs)
    assert opened.footer.postings == sum(len(doc.terms) for doc in docs)
    assert list(opened.verify()) == []


# Numbers.

NUMBERS = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 300), max_size=40)


@often(300)
@given(NUMBERS, NUMBERS)
@example([], [0])
@example([255, 256], [2**32 - 1, 2**32])
def test_numbers_are_unpacked_as_they_were_packed_one_array_behind_the_other(one, two):
    packed = b"".join([pack(np.array(values, np.int64)) for values in (one, two)])
    unpacker = Unpacker(memoryview(packed), "it")

    assert unpacker.numbers(len(one)).tolist() == one
    assert unpacker.numbers(len(two)).tolist() == two
    unpacker.end()


def test_what_is_too_short_or_too_long_is_refused_by_name():
    packed = memoryview(pack(np.array([1, 2, 300])))

    with pytest.raises(CorruptRecord, match="the thing is damaged: it is too short"):
        Unpacker(packed, "the thing").numbers(4)
    with pytest.raises(CorruptRecord, match="the thing is damaged: it is too long"):
        Unpacker(packed, "the thing").end()
    for width in (0, 9):
        with pytest.raises(CorruptRecord, match=f"the thing is damaged: numbers of {width} bytes"):
            Unpacker(memoryview(bytes([width]) * 99), "the thing").numbers(1)


@often(300)
@given(st.lists(st.sets(st.integers(0, 2**40), max_size=5).map(sorted), max_size=6))
def test_gaps_can_be_undone_whichever_runs_are_empty(several):
    values = np.array([value for run in several for value in run], np.int64)
    starts = starts_of(np.array([len(run) for run in several], np.int64))

    steps = gaps(values, starts)

    assert (steps >= 0).all()
    assert undo_gaps(steps, starts).tolist() == values.tolist()


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5)), max_size=8))
def test_runs_are_ranges_one_behind_the_other(several):
    begins = np.array([begin for begin, _ in several], np.int64)
    sizes = np.array([size for _, size in several], np.int64)

    expected = [n for begin, size in several for n in range(begin, begin + size)]
    assert runs(begins, sizes).tolist() == expected


@given(st.binary(max_size=300))
def test_a_frame_has_what_was_compressed(data):
    assert bytes(decompress(compress(data), "it")) == data


# The dictionary.


def blocks_of(table):
    """Blocks by number with the regions they are in, as a reader has them."""
    packed = list(pack_blocks(table))
    postings = b"".join([block.postings for block in packed])
    places = b"".join([block.positions for block in packed])
    starts = [
        starts_of(np.array([len(block[part]) for block in packed], np.int64)) for part in (1, 2, 3)
    ]
    sparse = SparseIndex([block.first_term for block in packed], *starts)
    return packed, sparse, postings, places


@often(200)
@given(collections)
def test_every_term_is_in_its_block_and_no_other_term_is(docs):
    table = table_of(docs)
    packed, sparse, _, _ = blocks_of(table)

    for term in (*TERMS, "", "aa", "zzz", "=c"):
        number = sparse.block_of(term)
        found = None
        if number is not None:
            found = Block(packed[number].terms, sparse.origin(number), "it").find(term)
        df = sum(term in [name for name, *_ in doc.terms] for doc in docs)
        assert (found.df if found else 0) == df
        assert isinstance(found, Frequent if df >= dictionary.FREQUENT else Rare) or not df


@often(200)
@given(collections, st.sampled_from(TERMS), st.sampled_from((*TERMS, "\U0010ffff")))
def test_all_terms_of_a_range_are_in_the_blocks_between(docs, low, high):
    table = table_of(docs)
    packed, sparse, postings, _ = blocks_of(table)
    expected = {
        number for number, doc in enumerate(docs) for name, *_ in doc.terms if low <= name < high
    }

    found: set[int] = set()
    for number in sparse.blocks_between(low, high):
        block = Block(packed[number].terms, sparse.origin(number), "it")
        found |= set(block.rare_between(low, high).tolist())
        for frequent in block.frequent_between(low, high):
            for place in frequent.layers:
                at, size = place.postings
                layer = dictionary.unpack_layer(postings[at : at + size], place.size, "it")
                found |= set(layer.documents.tolist())

    assert found == (expected if low < high else set())


@given(collections)
def test_the_sparse_index_is_read_as_it_was_written(docs):
    _, sparse, _, _ = blocks_of(table_of(docs))

    again = SparseIndex.unpacked(sparse.packed(), "it")

    assert again.first_terms == sparse.first_terms
    for name in ("terms", "postings", "positions"):
        assert getattr(again, name).tolist() == getattr(sparse, name).tolist()


def test_the_layers_of_a_frequent_term_fall_and_of_equals_the_lower_documents_come_first(
    monkeypatch,
):
    monkeypatch.undo()
    monkeypatch.setattr(dictionary, "FREQUENT", 256)
    monkeypatch.setattr(dictionary, "LAYERS", (128, 512, 2048, 8192))
    source = random.Random(12)
    docs = [
        Doc(b"%016d" % n, terms=(("silk", source.randint(1, 40), (n % 7, 9 + n)),))
        for n in range(12_000)
    ]
    opened = Files().write("one", docs)
    [data] = opened.fetch([opened.block_range(0)])
    found = opened.block(0, data).find("silk")

    assert isinstance(found, Frequent)
    assert [place.size for place in found.layers] == [128, 512, 2048, 8192, 1120]
    seen: list[tuple[int, int]] = []
    for place in found.layers:
        [data] = opened.fetch([opened.layer_range(place)])
        layer = opened.layer(place, data)
        assert place.bound == layer.impacts.max()
        assert (np.diff(layer.documents) > 0).all()
        pairs = zip((-layer.impacts.astype(int)).tolist(), layer.documents.tolist(), strict=True)
        seen += sorted(pairs)
    assert seen == sorted(seen)
    assert read_back(opened) == [as_kept(doc) for doc in docs]


def test_tables_that_share_terms_are_merged_by_term_and_document():
    docs = [Doc(b"%016d" % n, terms=(("a", n + 1, (n,)), (f"b{n}", 9, ()))) for n in range(6)]
    whole = table_of(docs)
    odd, even = (
        table_of([doc if n % 2 == rest else Doc(doc.id) for n, doc in enumerate(docs)])
        for rest in (1, 0)
    )

    merged = merge([odd, even])

    assert merged.terms == whole.terms
    for name in ("starts", "documents", "impacts", "ends", "positions"):
        assert getattr(merged, name).tolist() == getattr(whole, name).tolist()
    assert merge([]).terms == []


# Columns.


def column_of(type, values):
    info, regions = pack_column("it", type, values)
    packed = {region: data for region, data in regions if isinstance(data, bytes)}
    return read_column(info, packed.__getitem__, len(values), "the column it")


def test_what_is_missing_matches_no_range():
    for type in ("int", "float", "day"):
        column = column_of(type, [3, None, -5, 0])
        assert column.between(-10, 10).tolist() == [True, False, True, True]
        assert column.between(-(2**63), 0).tolist() == [False, False, True, True]


@often(100)
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=3).map(tuple), max_size=8), st.data())
def test_keywords_are_matched_and_counted_as_they_were_given(lists, data):
    column = column_of("keywords", lists)
    chosen = data.draw(st.sets(st.sampled_from(range(len(lists))))) if lists else set()

    fits = column.matching(lambda keyword: keyword in "bd")
    counts = column.counts(np.array(sorted(chosen), np.int64)).tolist()

    assert fits.tolist() == [bool({"b", "d"} & set(values)) for values in lists]
    assert counts[0] == sum(not lists[n] for n in chosen)
    for keyword in "abcd":
        place = keyword_place(column, keyword)
        expected = sum(lists[n].count(keyword) for n in chosen)
        assert (counts[place] if place else 0) == expected


@pytest.mark.parametrize("many", [3, 255, 256, 70_000])
def test_as_many_keywords_as_there_are_documents_have_room(many):
    column = column_of("keyword", [f"k{n:05}" for n in range(many)] + [None, ""])

    assert column.counts(np.arange(many + 2)).tolist() == [2] + [1] * many
    assert column.matching(lambda keyword: keyword == "k00002").tolist().index(True) == 2
    assert keyword_place(column, "k00002") == 3
    assert keyword_place(column, "other") == 0


@pytest.mark.parametrize("values", [[("",)], [("", ""), ()], [("", "a")], [()]])
def test_an_empty_keyword_is_none_at_all(values):
    column = column_of("keywords", values)

    has = [any(each) for each in values]
    assert column.matching(lambda keyword: True).tolist() == has
    assert column.counts(np.arange(len(values)))[0] == has.count(False)


def test_keywords_that_differ_by_a_line_break_are_one():
    column = column_of("keyword", ["a\nb", "a b", "c"])

    assert column.keywords == ["a b", "c"]
    assert column.codes.tolist() == [1, 1, 2]


@pytest.mark.parametrize("few_hits", [0, 1_000_000])
def test_a_text_is_found_however_many_lines_have_it(monkeypatch, few_hits):
    monkeypatch.setattr(columns, "FEW_HITS", few_hits)
    texts = [f"{number} aa{'a' * (number % 3)}" for number in range(3000)]
    column = column_of("text", texts)

    for wanted in ("7 a", "aaa", "0", "2999 aaaa", "2999 aab", ""):
        found = column.containing(wanted, str.casefold).tolist()
        assert found == [wanted in text for text in texts]


def test_a_text_is_found_by_a_part_of_it_in_any_block():
    column = column_of("text", ["http://A.test/x", None, "b\nA", "http://c.test/", "a"])

    assert column.containing("a", str.casefold).tolist() == [True, False, True, False, True]
    assert column.containing("x\n", str.casefold).tolist() == [False] * 5
    texts = [column.text(number) for number in range(5)]
    assert texts == ["http://A.test/x", "", "b A", "http://c.test/", "a"]


# Identities.


@often(200)
@given(st.lists(document_ids, unique=True).map(sorted), document_ids)
def test_a_document_is_found_by_its_id_and_has_it(ids, other):
    count = len(ids)
    known = identities(ids, [1.0] * count, [b""] * count, [False] * count, [0] * count)

    assert [known.id(number) for number in range(count)] == ids
    assert known.find(as_ids(ids)).tolist() == list(range(count))
    expected = ids.index(other) if other in ids else -1
    assert known.find(as_ids([other])).tolist() == [expected]


@often(200)
@given(pages, st.integers(0, 2**32 - 1))
@example(b"\0" * 16, 0)
@example(b"\0" * 16, 1)
@example(b"a" * 15 + b"\0", 1 << 24)
def test_an_id_that_ends_in_zeros_comes_back_whole(page, part):
    id = document_id(UrlId(page), part)

    assert document_id_of(as_ids([id])[0]) == id


def test_ids_are_in_the_order_of_their_bytes_with_the_parts_of_a_page_together():
    page, next_page = b"a" * 15 + b"\0", b"a" * 15 + b"\1"
    ids = [document_id(UrlId(p), part) for p in (page, next_page) for part in (0, 1, 256, 2**31)]

    assert sorted(ids) == ids
    assert np.argsort(as_ids(ids), kind="stable").tolist() == list(range(8))


# Side files and the manifest.


@given(st.lists(st.booleans(), max_size=70))
def test_tombstones_are_read_as_they_were_written(bits):
    packed = pack_bits(np.array(bits, np.bool_))

    assert unpack_bits(packed, len(bits), "it").tolist() == bits
    with pytest.raises(CorruptRecord, match="the file it is damaged: it is for another segment"):
        unpack_bits(packed, len(bits) + 8, "it")


sides = st.none() | st.builds(SideFile, st.sampled_from(("s1", "s2")), st.integers(0, 99))
infos = st.builds(
    SegmentInfo,
    name=st.sampled_from(("one", "two")),
    size=st.integers(0, 2**40),
    documents=st.integers(0, 2**31),
    live=st.integers(0, 2**31),
    at=st.floats(0, 2e9),
    dead=sides,
    levels=sides,
)
manifests = st.builds(
    Manifest,
    version=st.integers(0, 2**40),
    segments=st.lists(infos, max_size=3),
    retired=st.lists(st.builds(Retired, st.just("old"), st.floats(0, 2e9)), max_size=2),
    analyzer=st.dictionaries(st.sampled_from("ab"), st.sampled_from(("en", 1, True)), max_size=2),
)


@given(manifests)
def test_a_manifest_is_read_as_it_was_written_and_names_all_its_files(manifest):
    again = msgspec.json.decode(msgspec.json.encode(manifest), type=Manifest)

    assert again == manifest
    expected = {info.name for info in manifest.segments} | {r.name for r in manifest.retired}
    expected |= {s.name for i in manifest.segments for s in (i.dead, i.levels) if s}
    assert manifest.names() == expected


@given(st.floats(0, 4e9))
def test_a_name_says_when_a_file_was_begun(now):
    assert begun_at(new_name(now, "token")) == pytest.approx(now, abs=0.002)
    assert begun_at("somebody else's file") == 0.0


def test_names_sort_by_the_time_of_their_creation():
    times = [0.0, 9.5, 100.0, 1e9, 2e9]

    assert sorted(new_name(at, "a") for at in reversed(times)) == [
        new_name(at, "a") for at in times
    ]


def test_a_long_text_has_a_block_of_its_own_and_neighbours_share_one():
    docs = [Doc(b"%016d" % n, stored=Stored("u", text="x" * n)) for n in (1, 2, 3, 500, 4)]
    opened = Files().write("one", [Doc(b"%016d" % n, stored=d.stored) for n, d in enumerate(docs)])

    ranges = [opened.stored_range(number) for number in range(5)]

    assert ranges[0] == ranges[1] == ranges[2] != ranges[3] != ranges[4]
