"""Do INDEX and COMPACT keep their promises over every home?"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gossamer.batch.compact import Policy, compact, merge
from gossamer.bolts.manifest import ABANDONED, GRACE, REMEMBERED, put_levels, sweep
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.search.planner import plan_query
from gossamer.core.search.query import parse_query
from gossamer.ports.documents import Version
from gossamer.search.boolean import matches
from gossamer.search.snapshot import Snapshots
from tests.conftest import EMBEDDED
from tests.indexing import index_all, live_ids, live_versions, remove, writer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import SegmentInfo
    from tests.conftest import Backend

NOW = 100_000_000.0


def page_id(name: str) -> UrlId:
    return UrlId(name.encode().ljust(16, b"\0"))


A, B, C, D = (page_id(name) for name in "abcd")


def version(page: UrlId, at: float, text: str = "", part: int = 0, **more: Any) -> Version:
    name = page.rstrip(b"\0").decode()
    url = f"http://a.test/{name}{f'#{part}' if part else ''}"
    document = Document(url=url, text=text or f"silk {name} v{at:.0f}", **more)
    return Version(document_id(page, part), at, document)


@dataclass
class Index:
    """An index under test. Every writer is that of another process."""

    store: Any
    now: float = NOW

    def writer(self, store: Any = None) -> IndexWriter:
        return writer_of(store or self.store, lambda: self.now)

    def add(self, *versions: Version, **more: Any) -> None:
        index_all(self.writer(), versions, **more)

    def remove(self, *pages: UrlId, at: float = 1.0) -> None:
        remove(self.writer(), *pages, at=at)

    def merge(self, *infos: SegmentInfo) -> bool:
        return merge(self.writer(), infos or self.segments)

    @property
    def segments(self) -> list[SegmentInfo]:
        found: list[SegmentInfo] = self.store.manifest().segments
        return found

    @property
    def live(self) -> dict[Any, float]:
        assert live_ids(self.store) == sorted(live_versions(self.store))
        return live_versions(self.store)

    def found(self, word: str) -> set[Any]:
        """Which documents have a word, as a searcher finds them."""
        plan = plan_query(parse_query(f"{word} & *"), Analyzer())
        return {
            part.id(number)
            for part in Snapshots(self.store).latest().parts
            for number in np.flatnonzero(matches(part.view, plan.match) & part.live).tolist()
        }

    def levels(self) -> dict[Any, int]:
        return {
            part.id(number): int(part.levels[number])
            for part in Snapshots(self.store).latest().parts
            for number in np.flatnonzero(part.live).tolist()
        }

    def rank(self, levels: dict[UrlId, int]) -> None:
        writer = self.writer()
        by_segment = {}
        for info in self.segments:
            known = writer.opened.segment(info).identities
            pages = [page_of(known.id(number)) for number in range(info.documents)]
            by_segment[info.name] = np.array([levels.get(p, 0) for p in pages], np.uint8)
        put_levels(writer, by_segment)


@pytest.fixture
def index(any_home: Any) -> Index:
    return Index(any_home.index)


# Which version of a page can be found?


def test_what_was_indexed_is_live_in_another_process(backend: Backend):
    Index(backend.home.index).add(version(A, 1.0), version(B, 2.0))
    backend.home.commit()

    index = Index(backend.reopen().index)

    assert index.live == {A: 1.0, B: 2.0}
    assert index.found("silk") == {A, B}
    assert index.found("b") == {B}


def test_a_newer_version_takes_the_place_of_an_older_one(index: Index):
    index.add(version(A, 1.0), version(B, 1.0))
    index.add(version(A, 2.0))

    assert index.live == {A: 2.0, B: 1.0}
    assert index.found("v1") == {B}
    assert index.found("v2") == {A}


def test_an_older_version_that_comes_late_changes_nothing(index: Index):
    index.add(version(A, 2.0))
    index.add(version(A, 1.0), version(B, 1.0))

    assert index.live == {A: 2.0, B: 1.0}
    assert index.found("v1") == {B}


def test_an_equal_version_that_is_indexed_again_wins(index: Index):
    """Others call the page by other names by now."""
    index.add(version(A, 1.0, "old name"))
    index.add(version(A, 1.0, "new name"))

    assert index.live == {A: 1.0}
    assert (index.found("new"), index.found("old")) == ({A}, set())


def test_a_page_that_changes_often_has_one_live_version(index: Index):
    for at in range(1, 13):
        index.add(version(A, float(at)))
        assert index.live == {A: float(at)}


def test_a_batch_that_comes_twice_is_there_once(index: Index):
    for _ in range(2):
        index.add(version(A, 1.0), version(B, 1.0))

    assert index.live == {A: 1.0, B: 1.0}


def test_nothing_to_index_changes_nothing(index: Index):
    before = index.store.manifest()

    index.add()

    assert index.store.manifest() == before


@pytest.mark.parametrize("order", list(itertools.permutations((1, 2, 3))))
def test_in_whichever_order_versions_come_the_newest_stays(index: Index, order: tuple[int, ...]):
    for at in order:
        index.add(version(A, float(at)))

    assert index.live == {A: 3.0}
    assert index.merge()
    assert index.live == {A: 3.0}


# Removal.


def test_a_removed_page_is_found_no_more(index: Index):
    index.add(version(A, 1.0), version(B, 1.0))
    index.remove(A, page_id("unknown"))

    assert index.live == {B: 1.0}
    assert index.found("silk") == {B}


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(("second", "is_back"), [(1.0, False), (0.5, False), (2.0, True)])
def test_what_was_removed_comes_back_by_a_newer_version_only(
    index: Index, second: float, is_back: bool, merged: bool
):
    index.now = 10.0  # so early that no removal is forgotten
    index.add(version(A, 1.0), version(B, 1.0))
    index.remove(A, at=1.0)
    if merged:
        index.merge()

    index.add(version(A, second))

    assert index.live == ({A: second, B: 1.0} if is_back else {B: 1.0})


def test_a_removal_of_an_older_version_does_not_remove_a_newer_one(index: Index):
    index.add(version(A, 2.0))
    index.remove(A, at=1.0)

    assert index.live == {A: 2.0}


@pytest.mark.parametrize("merged", [False, True])
def test_a_page_that_came_back_may_be_removed_again(index: Index, merged: bool):
    index.now = 10.0
    for at in (1.0, 2.0, 3.0):
        index.add(version(A, at))
        assert index.live == {A: at}
        index.remove(A, at=at)
        assert index.live == {}
        if merged:
            index.merge()
        index.add(version(A, at))
        assert index.live == {}


def test_a_page_that_came_back_is_looked_up_by_its_id_after_a_merge(index: Index):
    index.now = 10.0
    index.add(version(A, 1.0))
    index.remove(A, at=1.0)
    index.add(version(A, 2.0))
    index.merge()

    [info] = index.segments
    assert (info.documents, info.live) == (1, 1)
    assert index.live == {A: 2.0}


def test_an_old_removal_is_forgotten_by_a_merge(index: Index):
    index.add(version(A, 1.0), version(B, NOW))
    index.remove(A, at=1.0)
    index.remove(C, at=NOW - REMEMBERED + 1)

    index.merge()

    [info] = index.segments
    assert (info.documents, info.live) == (2, 1)  # B, and that C is gone


def test_an_index_of_which_all_is_removed_is_empty_and_can_be_filled_again(index: Index):
    index.add(version(A, 1.0), version(B, 1.0))
    index.remove(A, B, at=1.0)
    for _ in range(2):
        compact(index.writer(), whole=True)

    assert index.live == {}
    assert index.found("silk") == set()
    assert index.store.manifest().segments == []
    assert set(index.store.names()) == index.store.manifest().names()
    index.add(version(C, 1.0))
    assert index.live == {C: 1.0}


# Pages with several documents.


def test_a_page_has_several_documents(index: Index):
    index.add(*(version(A, 1.0, part=part) for part in (0, 1, 256)), version(B, 1.0))

    assert set(index.live) == {A, document_id(A, 1), document_id(A, 256), B}


@pytest.mark.parametrize("parts", [(0,), (1,), (0, 5), (7, 8, 9)])
def test_all_documents_of_a_page_are_superseded_together(index: Index, parts: tuple[int, ...]):
    index.add(*(version(A, 1.0, part=part) for part in (0, 1, 256)), version(B, 1.0))
    index.add(*(version(A, 2.0, part=part) for part in parts))

    assert index.live == {document_id(A, part): 2.0 for part in parts} | {B: 1.0}
    assert index.found("v1") == {B}


def test_documents_of_a_page_that_come_late_change_nothing(index: Index):
    index.add(version(A, 2.0))
    index.add(version(A, 1.0, part=1), version(A, 1.0, part=2))

    assert index.live == {A: 2.0}


def test_all_documents_of_a_page_are_removed_together(index: Index):
    index.add(*(version(A, 1.0, part=part) for part in (0, 1, 256)), version(B, 1.0))
    index.remove(A)

    assert index.live == {B: 1.0}
    index.add(version(A, 1.0, part=1))
    assert index.live == {B: 1.0}
    index.add(version(A, 2.0, part=1))
    assert index.live == {B: 1.0, document_id(A, 1): 2.0}


def test_pages_whose_ids_are_alike_but_for_the_last_byte_are_not_mixed_up(index: Index):
    near = [UrlId(b"a" * 15 + end) for end in (b"\0", b"\1", b"\xff")]
    index.add(*(version_of(page, 1.0, part) for page in near for part in (0, 1, 2**32 - 1)))
    index.add(version_of(near[0], 2.0, 3))
    index.remove(near[2])

    assert index.live == {
        document_id(near[0], 3): 2.0,
        **{document_id(near[1], part): 1.0 for part in (0, 1, 2**32 - 1)},
    }


def version_of(page: UrlId, at: float, part: int) -> Version:
    document = Document(url=f"http://a.test/{page.hex()}/{part}", text="silk")
    return Version(document_id(page, part), at, document)


# Merging.


WORDS = ["spider", "silk", "thread", "web", "orb", "gossamer", "dew", "fly"]


def test_a_merge_keeps_exactly_the_live_documents_and_every_posting_once(
    index: Index, backend: Backend
):
    index.now = 10.0
    source = random.Random(12)
    each = 120 if backend.kind in EMBEDDED else 30
    texts: dict[UrlId, str] = {}
    for batch in range(4):
        pages = [page_id(f"p{source.randrange(2 * each)}") for _ in range(each)]
        new = {page: " ".join(source.choices(WORDS, range(1, 9), k=30)) for page in pages}
        index.add(*(version(page, 1.0 + batch, text) for page, text in new.items()))
        texts |= new
        gone = pages[: each // 10]
        index.remove(*gone, at=1.0 + batch)
        for page in gone:
            texts.pop(page, None)

    for merged in (False, True):
        if merged:
            assert index.merge()
            [info] = index.segments
            assert info.live == len(texts)
        assert sorted(index.live) == sorted(texts)
        for word in [*WORDS, "nowhere"]:
            assert index.found(word) == {p for p, text in texts.items() if word in text.split()}


def test_a_merge_of_some_segments_leaves_the_others(index: Index):
    for page in (A, B, C, D):
        index.add(version(page, 1.0))
    one, two, three, four = index.segments

    assert index.merge(two, four)

    assert [info.live for info in index.segments] == [1, 2, 1]
    assert (index.segments[0], index.segments[2]) == (one, three)
    assert index.live == dict.fromkeys((A, B, C, D), 1.0)


class Overtaken:
    """A store where something else happens before a merged segment is published."""

    def __init__(self, store: Any, meanwhile: Callable[[], object]) -> None:
        self._store = store
        self._meanwhile: Callable[[], object] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def put(self, name: str, pieces: Any) -> int:
        size: int = self._store.put(name, pieces)
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile:
            meanwhile()
        return size


def test_what_dies_while_a_merge_runs_is_dead_in_it(index: Index):
    index.add(*(version(page, 1.0) for page in (A, B, C)))
    index.add(version(D, 1.0))

    def meanwhile() -> None:
        index.add(version(A, 2.0))
        index.remove(D)

    slow = index.writer(Overtaken(index.store, meanwhile))
    assert merge(slow, index.segments)

    assert index.live == {A: 2.0, B: 1.0, C: 1.0}
    assert index.found("v1") == {B, C}
    assert index.segments[0].live == 2
    assert index.segments[0].dead is not None


def test_what_is_ranked_while_a_merge_runs_has_its_rank_in_it(index: Index):
    index.add(version(A, 1.0), version(C, 1.0), levels={A: 1, C: 3})
    index.add(version(B, 1.0), levels={B: 2})

    slow = index.writer(Overtaken(index.store, lambda: index.rank({A: 100, B: 200, C: 255})))
    assert merge(slow, index.segments)

    assert index.levels() == {A: 100, B: 200, C: 255}
    assert len(index.segments) == 1


def test_ranks_are_kept_by_later_merges(index: Index):
    index.add(version(A, 1.0), levels={A: 9})
    index.add(version(B, 1.0))
    index.rank({A: 100, B: 200})
    assert index.levels() == {A: 100, B: 200}

    index.merge()

    assert index.segments[0].levels is None  # they are in the segment itself
    assert index.levels() == {A: 100, B: 200}


def test_a_merge_whose_sources_were_merged_by_another_is_given_up_and_leaves_no_file(index: Index):
    for page in (A, B, C):
        index.add(version(page, 1.0))
    slow = index.writer(Overtaken(index.store, lambda: index.merge(*index.segments[:2])))

    assert not merge(slow, index.segments)

    assert index.live == dict.fromkeys((A, B, C), 1.0)
    assert set(index.store.names()) == index.store.manifest().names()


def test_a_segment_that_is_published_while_a_merge_runs_stays(index: Index):
    index.add(version(A, 1.0))
    index.add(version(B, 1.0))
    slow = index.writer(Overtaken(index.store, lambda: index.add(version(C, 1.0))))

    assert merge(slow, index.segments)

    assert [info.live for info in index.segments] == [2, 1]
    assert index.live == dict.fromkeys((A, B, C), 1.0)


def test_long_lists_have_heads_where_a_home_keeps_them(index: Index, backend: Backend):
    for batch in range(2):
        pages = (page_id(f"p{batch}-{n}") for n in range(150))
        index.add(*(version(page, 1.0, "silk") for page in pages))
    merge(writer_of(index.store, lambda: index.now, heads_from=1), index.segments)
    [info] = index.segments

    heads = index.store.heads(["silk", "nowhere"], [info.name])

    assert set(heads) <= {("silk", info.name)}
    for head in heads.values():
        assert sum(layer[0] for layer in head.layers) == 300
    assert bool(heads) is (backend.kind not in EMBEDDED)


# Sweeping.


def test_what_was_replaced_is_kept_for_a_while_and_deleted_then(index: Index):
    index.add(version(A, 1.0))
    index.add(version(B, 1.0))
    old = {info.name for info in index.segments}
    index.merge()

    assert sweep(index.writer()) == 0
    assert old <= set(index.store.names())
    index.now += GRACE
    assert sweep(index.writer()) == 2

    assert not old & set(index.store.names())
    assert index.store.manifest().retired == []
    assert index.live == {A: 1.0, B: 1.0}


def test_old_tombstones_and_ranks_are_deleted_too(index: Index):
    index.add(*(version(page, 1.0) for page in (A, B, C)))
    for page in (A, B):
        index.remove(page)
        index.rank({C: 7})
    index.now += GRACE

    sweep(index.writer())

    manifest = index.store.manifest()
    assert set(index.store.names()) == manifest.names()
    assert manifest.retired == []
    assert (index.live, index.levels()) == ({C: 1.0}, {C: 7})


def test_what_was_never_published_is_deleted_when_no_process_can_work_on_it_any_more(index: Index):
    index.add(version(A, 1.0))
    lost = index.writer().name()
    index.store.put(lost, [b"a merge that died"])

    index.now += ABANDONED - 1
    fresh = index.writer().name()
    index.store.put(fresh, [b"a merge that runs"])
    sweep(index.writer(), orphans=True)
    assert lost in index.store.names()
    index.now += 2
    sweep(index.writer(), orphans=True)

    assert lost not in index.store.names()
    assert fresh in index.store.names()
    assert index.live == {A: 1.0}


def test_a_live_file_is_never_deleted_however_old_it_is(index: Index):
    index.add(version(A, 1.0), version(B, 1.0))
    index.remove(B)
    index.rank({A: 7})
    index.now += 1000 * ABANDONED

    sweep(index.writer(), orphans=True, grace=0.0)

    assert (index.live, index.levels()) == ({A: 1.0}, {A: 7})
    assert index.found("silk") == {A}


def test_a_segment_of_removals_alone_is_forgotten_after_a_while(index: Index):
    index.add(version(A, NOW))
    index.remove(A, at=NOW)
    index.now += REMEMBERED + 1

    index.add(version(B, 1.0))

    assert [info.live for info in index.segments] == [1]


# Compaction by size.


def test_compaction_merges_what_the_policy_chooses_until_nothing_is_left_to_do(index: Index):
    for n in range(9):
        index.add(version(page_id(f"p{n}"), 1.0))

    assert compact(index.writer(), policy=Policy(fanout=4))
    assert not compact(index.writer(), policy=Policy(fanout=4))

    assert len(index.segments) < 4
    assert len(index.live) == 9


def test_compaction_of_everything_leaves_one_segment_and_then_nothing_to_do(index: Index):
    for page in (A, B, C):
        index.add(version(page, 1.0))

    assert compact(index.writer(), whole=True)
    assert not compact(index.writer(), whole=True)

    assert len(index.segments) == 1


def test_an_empty_index_has_nothing_to_compact(index: Index):
    assert not compact(index.writer(), whole=True)
    assert not compact(index.writer())
    assert sweep(index.writer(), orphans=True) == 0
