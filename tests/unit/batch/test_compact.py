"""Which segments are merged, and when?"""

from __future__ import annotations

import io
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch import compact as module
from gossamer.batch.compact import (
    FANOUT,
    MAX_MERGED,
    MAX_SEGMENTS,
    SMALLEST,
    Policy,
    compact,
    merge,
    written_here,
)
from gossamer.bolts.heads import heads_of
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.index.segments import dictionary
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.core.page.document import Document
from gossamer.entrypoints.lambdas.compact import POLICY as IN_THE_CLOUD
from gossamer.ports.documents import Version
from gossamer.ports.segments import IN_BLOCK
from tests.indexing import index_all, live_ids, writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def manifest(*sizes: int | tuple[int, int], at: float = 0.0) -> Manifest:
    """Segments of so many live documents, or of so many of so many."""
    counts = [size if isinstance(size, tuple) else (size, size) for size in sizes]
    return Manifest(
        segments=[
            SegmentInfo(name=f"s{n}", size=live, documents=documents, live=live, at=at)
            for n, (live, documents) in enumerate(counts)
        ]
    )


def chosen(*sizes: int | tuple[int, int], policy: Policy | None = None) -> list[int]:
    """Which of some segments are merged."""
    found = (policy or Policy()).choose(manifest(*sizes))
    return sorted(int(info.name[1:]) for info in found)


def test_a_few_segments_are_left_alone():
    assert chosen() == []
    assert chosen(*[10] * (FANOUT - 1)) == []
    assert chosen(1_000_000, 50_000, 9, 9) == []


def test_enough_segments_of_one_size_are_merged_and_the_others_stay():
    assert chosen(50_000, *[10] * FANOUT) == list(range(1, FANOUT + 1))
    assert chosen(*[20_000] * FANOUT, 10) == list(range(FANOUT))


def test_small_ones_are_merged_first():
    assert chosen(*[20_000] * FANOUT, *[10] * FANOUT) == list(range(FANOUT, 2 * FANOUT))


def test_a_segment_that_is_mostly_dead_is_merged_alone():
    assert chosen(5, (6 * SMALLEST, 10 * SMALLEST), 5) == [1]
    assert chosen(5, (8 * SMALLEST, 10 * SMALLEST), 5) == []
    assert chosen((1, SMALLEST - 1)) == []  # not worth it


def test_segments_that_are_too_many_are_merged_whatever_their_sizes():
    sizes = [SMALLEST * FANOUT**tier for tier in range(5) for _ in range(FANOUT - 2)]
    assert len(sizes) > MAX_SEGMENTS

    found = chosen(*sizes)

    assert found == list(range(FANOUT))  # the smallest


def test_a_merge_has_a_limit_of_size():
    assert chosen(*[MAX_MERGED // 3] * FANOUT) == [0, 1, 2]
    assert chosen(*[MAX_MERGED] * FANOUT) == [0, 1]  # but at least two


def test_a_segment_that_has_grown_enough_is_left_alone():
    enough = Policy(largest=1_000_000)

    assert chosen(*[1_000_001] * (MAX_SEGMENTS + 1), policy=enough) == []
    assert chosen(*[1_000_001] * 4, *[900_000] * FANOUT, policy=enough) == [4, 5]
    assert chosen((500_000, 1_000_001), policy=enough) == [0]  # unless much of it is dead


def test_no_merge_in_the_cloud_is_larger_than_a_function_can_join():
    """Ninety million documents, in segments as they come; MERGE has 300 seconds to join."""
    sizes: list[int] = []

    for _ in range(900):
        sizes.append(100_000)
        while gone := chosen(*sizes, policy=IN_THE_CLOUD):
            merged = sum(sizes[n] for n in gone)
            assert merged <= 2 * IN_THE_CLOUD.largest
            sizes = [*(size for n, size in enumerate(sizes) if n not in gone), merged]

    assert sum(sizes) == 90_000_000
    assert len(sizes) > MAX_SEGMENTS


def test_however_many_segments_come_few_are_left_and_each_document_is_rewritten_seldom():
    """A simulation of the policy: a thousand batches of five hundred documents."""
    source = random.Random(1)
    infos: list[SegmentInfo] = []
    written = total = 0
    for n in range(1000):
        size = source.randint(300, 500)
        total += size
        infos.append(SegmentInfo(name=str(n), size=0, documents=size, live=size))
        while found := Policy().choose(Manifest(segments=infos)):
            size = sum(info.live for info in found)
            written += size
            infos = [info for info in infos if info not in found]
            infos.append(SegmentInfo(name=f"m{n}", size=0, documents=size, live=size))
        assert len(infos) <= MAX_SEGMENTS

    assert sum(info.live for info in infos) == total
    assert written < 4 * total


@pytest.fixture
def index() -> Iterator[LocalSegmentStore]:
    store = Store(None)
    yield LocalSegmentStore(store, None)
    store.close()


def version(n: int) -> Version:
    id = document_id(UrlId(b"%016d" % n))
    return Version(id, 1.0, Document(url=f"http://a.test/{n}", text=f"silk {n}"))


def test_a_large_merge_keeps_its_terms_in_files(index):
    for n in range(3):
        index_all(writer_of(index), [version(n)])
    files: list[io.BytesIO] = []

    def open_file() -> io.BytesIO:
        files.append(io.BytesIO())
        return files[-1]

    assert compact(
        writer_of(index), whole=True, write_terms=partial(written_here, open_file=open_file)
    )

    assert len(files) == 3
    assert len(live_ids(index)) == 3


def test_indexing_says_how_many_postings_there_are(index):
    assert index_all(writer_of(index)) == 0
    assert index_all(writer_of(index), [version(1), version(2)]) > 2


def test_heads_are_the_beginnings_of_all_long_lists_that_are_ranked_by(index, monkeypatch):
    monkeypatch.setattr(dictionary, "FREQUENT", 4)
    monkeypatch.setattr(dictionary, "LAYERS", (2, 2))
    index_all(writer_of(index), [version(n) for n in range(9)])
    writer = writer_of(index)
    [info] = index.manifest().segments
    segment = writer.opened.segment(info)

    heads = {head.term: head for head in heads_of(segment)}

    long = [term for term, head in heads.items() if head.layers[0][2:] != IN_BLOCK]
    assert long == ["silk"]
    assert not any(term.startswith("=") for term in heads)  # words as they are written
    head = heads["silk"]
    assert head.segment == info.name
    assert [count for count, *_ in head.layers] == [2, 2, 5]
    layer = dictionary.unpack_layer(head.first, head.layers[0][0], "it")
    assert len(layer.documents) == 2
    assert int(layer.impacts.max()) == head.layers[0][1]


def test_only_large_segments_get_heads(index, monkeypatch):
    told: list[int] = []
    monkeypatch.setattr(index, "is_far", True)
    monkeypatch.setattr(index, "put_heads", lambda heads: told.append(len(list(heads))))
    for n in range(6):
        index_all(writer_of(index), [version(n)])
    first, second, third, fourth, _, _ = index.manifest().segments
    merge(writer_of(index), [first, second])
    assert told == []

    merge(writer_of(index, heads_from=2), [third, fourth])

    assert len(told) == 1
    assert [info.has_heads for info in index.manifest().segments] == [False, True, False, False]


def test_a_segment_that_mostly_says_what_is_gone_is_not_merged_for_ever(index, monkeypatch):
    monkeypatch.setattr(module, "SMALLEST", 4)
    gone = {page_of(version(n).id): 5.0 for n in range(8)}
    index_all(writer_of(index), [version(9)], gone)

    assert not compact(writer_of(index))

    [info] = index.manifest().segments
    assert (info.documents, info.live, info.gone) == (9, 1, 8)


def test_a_segment_of_which_much_is_dead_is_merged_alone(index, monkeypatch):
    monkeypatch.setattr(module, "SMALLEST", 4)
    index_all(writer_of(index), [version(n) for n in range(8)])
    index_all(writer_of(index), gone={page_of(version(n).id): 5.0 for n in range(4)})

    assert compact(writer_of(index))

    assert sorted(info.live for info in index.manifest().segments) == [0, 4]


LARGE = Policy(large_from=16_000, most_large=4)


def test_of_large_segments_there_are_at_most_so_many():
    assert chosen(500_000, 100_000, 40_000, 20_000, policy=LARGE) == []
    assert chosen(500_000, 100_000, 40_000, 20_000, 16_000, policy=LARGE) == [3, 4]


def test_a_merge_takes_the_next_larger_segment_if_it_is_no_larger_than_those_before():
    assert chosen(500_000, 60_000, 60_000, 40_000, 20_000, policy=LARGE) == [1, 2, 3, 4]
    assert chosen(500_000, 60_001, 60_001, 40_000, 20_000, policy=LARGE) == [3, 4]


def test_small_segments_are_merged_in_tiers_that_end_where_large_ones_begin():
    below = [15_999] * FANOUT
    assert chosen(*below, policy=LARGE) == list(range(FANOUT))
    assert chosen(*below[1:], policy=LARGE) == []
    assert chosen(*[1_999] * 7, 2_000, policy=LARGE) == []


def test_a_million_documents_lie_in_few_large_segments_and_were_merged_seldom():
    sizes: list[int] = []
    written = 0
    for _ in range(42):  # of 24,000 documents each
        sizes.append(24_000)
        written += 24_000
        while found := chosen(*sizes, policy=LARGE):
            merged = sum(sizes[n] for n in found)
            sizes = [size for n, size in enumerate(sizes) if n not in found] + [merged]
            written += merged
        assert len(sizes) <= 4

    assert written / sum(sizes) <= 4.0  # times that a document came into a large segment
