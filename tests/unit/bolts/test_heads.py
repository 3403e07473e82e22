"""Which lists get heads, and what is in them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import merge
from gossamer.bolts import heads
from gossamer.bolts.heads import heads_of
from gossamer.core.cost.prices import usd
from gossamer.core.errors import CorruptRecord
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments.dictionary import Layer, split_by_impact, unpack_layer
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.core.index.segments.name_filter import NameFilter, pack_names
from gossamer.core.page.document import Document
from gossamer.entrypoints.lambdas.compact import POLICY
from gossamer.ports.documents import Version
from gossamer.ports.segments import HEADS_FROM, IN_BLOCK
from tests.indexing import index_all, writer_of
from tests.unit.search.test_rounds import FarStore

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = 90


def version(n: int) -> Version:
    words = " ".join(["silk"] * (1 + n % 5) + ["web"] * (n % 2) + [f"rare{n}"])
    title = "Silk" if n == 3 else f"page {n}"
    document = Document(url=f"http://a.test/{n}", title=title, text=words, language="en")
    return Version(document_id(UrlId(b"%016d" % n)), 1.0, document)


@pytest.fixture
def store() -> Iterator[FarStore]:
    opened = Store(None)
    far = FarStore(LocalSegmentStore(opened, None))
    for first in (0, PAGES // 2):
        index_all(writer_of(far), [version(n) for n in range(first, first + PAGES // 2)])
    yield far
    opened.close()


def test_a_segment_with_most_of_the_index_gets_heads_however_small_it_is(store: Any):
    merge(writer_of(store), store.manifest().segments)

    [info] = store.manifest().segments
    assert info.has_heads
    assert info.names.name in store.names()
    assert {("silk", info.name), ("web", info.name)} <= set(store.kept)


def test_a_segment_with_little_of_the_index_gets_none(store: Any):
    index_all(writer_of(store), [version(n) for n in range(PAGES, 3 * PAGES)])
    small = store.manifest().segments[:2]

    merge(writer_of(store), small)

    assert store.kept == {}
    assert [info.has_heads for info in store.manifest().segments] == [False, False]


def test_only_the_terms_of_most_documents_get_heads(store: Any):
    writer = writer_of(store)
    merge(writer, store.manifest().segments)
    [info] = store.manifest().segments
    segment = writer.opened.segment(info)

    few = list(heads_of(segment, 3))
    every = {head.term: sum(layer[0] for layer in head.layers) for head in heads_of(segment)}

    assert len(few) == 3
    least = min(every[head.term] for head in few)
    assert sum(df > least for df in every.values()) < 3
    assert not any(term.startswith("=") for term in every)  # only prefixes ask for these


def test_a_short_list_is_in_two_rows_the_heaviest_postings_first(store: Any):
    writer = writer_of(store)
    merge(writer, store.manifest().segments)
    [info] = store.manifest().segments
    segment: Any = writer.opened.segment(info)
    block = segment.sparse.block_of("silk")
    [data] = segment.fetch([segment.block_range(block)])
    whole = segment.block(block, data).find("silk").layer

    head = next(head for head in heads_of(segment) if head.term == "silk")

    assert [place[0] for place in head.layers] == [heads.FIRST_POSTINGS, PAGES - 64]
    assert {place[2:] for place in head.layers} == {IN_BLOCK}
    rows = zip((head.first, head.rest), head.layers, strict=True)
    first, rest = (unpack_layer(data, place[0], "it") for data, place in rows)
    assert first.impacts.min() >= rest.impacts.max() == head.layers[1][1]
    together = np.concatenate([first.documents, rest.documents])
    assert sorted(together.tolist()) == whole.documents.tolist()


def test_of_equal_impacts_the_lower_documents_come_first():
    whole = Layer(np.arange(5), np.array([9, 7, 7, 7, 9], np.uint8))

    first, rest = split_by_impact(whole, 3)

    assert (first.documents.tolist(), rest.documents.tolist()) == ([0, 1, 4], [2, 3])
    assert split_by_impact(whole, 5) == [whole]


def test_a_filter_knows_every_name_and_nearly_no_other(store: Any):
    merge(writer_of(store), store.manifest().segments)
    [info] = store.manifest().segments
    [data] = store.read([Range(info.names.name, 0, info.names.size)])

    names = NameFilter.unpack(info.names.name, data, info.names.size)

    assert names.may_have("@silk")
    assert all(names.may_have(f"@page {n}") for n in range(4, PAGES))
    assert not any(names.may_have(f"@silk {n}") for n in range(1000))
    assert not NameFilter.unpack("it", pack_names([]), 4).may_have("@silk")
    with pytest.raises(CorruptRecord, match=info.names.name):
        NameFilter.unpack(info.names.name, bytes(data)[:-1], info.names.size)


def test_a_merge_that_another_won_leaves_nothing_behind(store: Any):
    infos = store.manifest().segments
    late = writer_of(store)
    publish = store.publish

    def overtaken(manifest: Any) -> bool:
        store.publish = publish
        merge(writer_of(store), infos)
        return False

    store.publish = overtaken
    before = set(store.names())

    assert not merge(late, infos)

    [info] = store.manifest().segments
    assert set(store.names()) - before == {info.name, info.names.name}


BATCH, BATCHES_OF_A_RUN = 100, 30  # what COMPACT meets every five minutes beside a crawl


@pytest.mark.parametrize("documents", [20_000, 200_000, 1_000_000])
def test_heads_cost_a_dime_per_million_pages(documents: int):
    """Two units for a row and its place in the index, and as many when it is deleted."""
    segments: list[SegmentInfo] = []
    rows: dict[str, float] = {}
    units = 0.0
    for number in range(documents // BATCH):
        segments.append(_segment(f"{number}", BATCH))
        if number % BATCHES_OF_A_RUN:
            continue
        while chosen := POLICY.choose(Manifest(segments=segments)):
            merged = _segment(f"{number}+{len(chosen)}", sum(info.live for info in chosen))
            live = sum(info.live for info in segments)
            segments = [*(info for info in segments if info not in chosen), merged]
            rows[merged.name] = _rows(merged, live)
            units += 2 * (rows[merged.name] + sum(rows.get(info.name, 0.0) for info in chosen))

    assert 0 < usd({"wru": units}) * 1e6 / documents <= 0.10


def _segment(name: str, documents: int) -> SegmentInfo:
    return SegmentInfo(name=name, size=8_000 * documents, documents=documents, live=documents)


def _rows(info: SegmentInfo, live: int) -> float:
    if info.documents >= HEADS_FROM:
        return heads.MAX_HEADS
    is_main = live and info.documents >= heads.MAIN_SHARE * live
    most = min(heads.MAX_HEADS, info.documents // heads.DOCUMENTS_PER_HEAD)
    return 2 * most if is_main else 0.0
