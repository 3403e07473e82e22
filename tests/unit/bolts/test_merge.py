"""A merge in parts gives what one process makes, whatever dies and whatever comes twice."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import Policy, compact, merge
from gossamer.batch.merge_plan import GIVEN_UP, SENT_AGAIN, plan_merge, send_tasks
from gossamer.bolts.manifest import ABANDONED, GRACE, REMEMBERED, sweep
from gossamer.bolts.merge import join, make_part, merge_task
from gossamer.core.errors import NotStored
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments.layout import Range
from gossamer.core.page.document import Document
from gossamer.messages import Emission, MergeTask
from gossamer.ports.documents import Version
from tests.indexing import index_all, live_versions, remove, writer_of
from tests.unit.core.index.segments.making import Files, read_back, use_small_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.bolts.manifest import IndexWriter

NOW = 1_000_000_000.0
SHARED = Policy(fanout=2, alone_bytes=1, part_bytes=900)


class Died(Exception):
    """A process that is not there any more."""


class Queue:
    """A stream that hands every message out twice."""

    def __init__(self) -> None:
        self.waiting: deque[MergeTask] = deque()

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        del now
        for emission in emissions:
            assert isinstance(emission.message, MergeTask)
            self.waiting += [emission.message] * 2


class Mortal:
    """A store, or a queue, whose user dies before or after a change."""

    def __init__(self, inner: Any, fate: Fate) -> None:
        self._inner, self._fate = inner, fate

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in ("put", "publish", "delete", "send", "put_heads"):
            return method

        def call(*args: Any) -> Any:
            self._fate.step()
            result = method(*args)
            self._fate.step()
            return result

        return call


class Fate:
    """Lets a process die at its n-th step, once."""

    def __init__(self, at: int | None) -> None:
        self.at, self.steps = at, 0

    def step(self) -> None:
        self.steps += 1
        if self.steps == self.at:
            raise Died


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSegmentStore]:
    use_small_parts(monkeypatch)
    store = Store(None)
    yield LocalSegmentStore(store, None)
    store.close()


def version(n: int, at: float = 1.0) -> Version:
    id = document_id(UrlId(b"%016d" % n))
    text = f"silk moth{n % 3} word{n}"
    return Version(id, at, Document(url=f"http://a.test/{n}", title=f"T{n}", text=text))


def page(n: int) -> UrlId:
    return UrlId(b"%016d" % n)


class World:
    """An index of some segments, a queue, and a clock."""

    def __init__(self, store: LocalSegmentStore, fate: Fate | None = None) -> None:
        self.store, self.now = store, NOW
        self.fate = fate or Fate(None)
        self.queue = Queue()

    def writer(self) -> IndexWriter:
        mortal: Any = Mortal(self.store, self.fate)
        return writer_of(mortal, lambda: self.now, heads_from=1)

    def fill(self) -> None:
        for first in range(0, 24, 8):
            index_all(writer_of(self.store, lambda: self.now), map_versions(first))
        remove(writer_of(self.store, lambda: self.now), page(3), page(9), at=NOW)

    def compact(self) -> None:
        """What COMPACT does."""
        queues: Any = Mortal(self.queue, self.fate)
        compact(self.writer(), policy=SHARED)
        send_tasks(self.writer(), queues)
        sweep(self.writer(), orphans=True)

    def work(self) -> None:
        """What MERGE does, until the queue is empty; a message whose process died comes back."""
        while self.queue.waiting:
            task = self.queue.waiting[0]
            try:
                emitted = merge_task(task, self.writer())
                Mortal(self.queue, self.fate).send(emitted, self.now)
            except Died:
                continue
            self.queue.waiting.popleft()

    def finish(self) -> None:
        """Until nothing is left to do."""
        for _ in range(4):
            try:
                self.compact()
            except Died:
                self.compact()
            self.work()
            self.now += SENT_AGAIN + 1

    def contents(self) -> list[Any]:
        """All that the one segment says."""
        [info] = self.store.manifest().segments
        [data] = self.store.read([Range(info.name, 0, info.size)])
        return read_back(Files(it=bytes(data)).open("it"))


def map_versions(first: int) -> list[Version]:
    return [version(n) for n in range(first, first + 8)]


@pytest.fixture
def whole(index: LocalSegmentStore) -> list[Any]:
    """What one process makes of the same segments."""
    store = Store(None)
    world = World(LocalSegmentStore(store, None))
    world.fill()
    merge(writer_of(world.store, lambda: world.now), world.store.manifest().segments)
    found = world.contents()
    store.close()
    return found


def test_a_merge_in_parts_is_the_merge_of_one_process(index, whole):
    world = World(index)
    world.fill()

    world.finish()

    assert world.contents() == whole
    assert index.manifest().merges == []
    assert len(whole) == 24  # two of them removals


def test_it_is_cut_by_terms_and_by_documents(index):
    world = World(index)
    world.fill()

    plan = plan_merge(world.writer(), index.manifest().segments, 900)

    assert plan is not None
    assert len(plan.cuts) >= 2
    assert plan.stretches >= 2
    assert len(plan.parts()) == len(plan.cuts) + 1 + plan.stretches


def test_whatever_dies_at_whatever_step_nothing_is_lost_and_nothing_is_left(index, whole):
    world = World(index)
    world.fill()
    world.finish()
    steps = world.fate.steps
    assert steps > 30

    for at in range(1, steps + 1):
        store = Store(None)
        world = World(LocalSegmentStore(store, None), Fate(at))
        world.fill()
        world.finish()
        assert world.contents() == whole, f"died at step {at}"
        world.now += ABANDONED + 1
        world.compact()
        world.now += GRACE + 1
        world.compact()
        manifest = world.store.manifest()
        assert (manifest.merges, manifest.retired) == ([], []), f"died at step {at}"
        assert set(world.store.names()) == manifest.names(), f"died at step {at}"
        store.close()


def test_what_dies_while_the_parts_are_made_is_dead_afterwards(index):
    world = World(index)
    world.fill()
    world.compact()
    index_all(writer_of(index, lambda: world.now), [version(5, at=7.0)])
    remove(writer_of(index, lambda: world.now), page(6), at=8.0)
    world.now += GRACE + 1
    sweep(world.writer(), orphans=True)  # the bitmaps that the plan names are not swept

    world.work()

    versions = live_versions(index)
    assert versions[document_id(page(5))] == 7.0
    assert document_id(page(6)) not in versions
    assert len(versions) == 21


def test_two_planners_cannot_plan_the_same_segments(index):
    world = World(index)
    world.fill()
    infos = index.manifest().segments

    assert plan_merge(world.writer(), infos, 900) is not None
    assert plan_merge(world.writer(), infos[1:], 900) is None
    assert not compact(world.writer(), policy=SHARED)


def test_a_segment_that_leaves_the_index_meanwhile_is_not_planned(index):
    """It only says what was removed so long ago that nothing older can come any more."""
    world = World(index)
    world.fill()
    remove(world.writer(), page(3), at=9.0)
    infos = index.manifest().segments
    assert infos[-1].live == 0
    world.now += REMEMBERED + 1

    assert plan_merge(world.writer(), infos, 900) is None
    assert index.manifest().merges == []
    assert plan_merge(world.writer(), index.manifest().segments, 900) is not None


def test_segments_of_a_merge_under_way_are_left_alone_until_it_is_given_up(index):
    world = World(index)
    world.fill()
    world.compact()
    world.queue.waiting.clear()  # they are lost

    world.now += SENT_AGAIN - 1
    world.compact()
    assert not world.queue.waiting
    world.now += 2
    world.compact()
    assert {task.merge for task in world.queue.waiting} == {index.manifest().merges[0].name}
    [old] = index.manifest().merges
    world.now += GIVEN_UP
    world.queue.waiting.clear()
    send_tasks(world.writer(), world.queue)  # type: ignore[arg-type]

    assert index.manifest().merges == []
    assert set(old.parts()) <= {retired.name for retired in index.manifest().retired}


def test_only_parts_that_are_missing_are_asked_for_again(index):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    world.queue.waiting.clear()
    make_part(world.writer(), plan, 1)

    world.now += SENT_AGAIN + 1
    world.compact()

    asked = {task.part for task in world.queue.waiting}
    assert asked == set(range(len(plan.parts()))) - {1}


def test_parts_that_are_all_there_are_joined_when_they_are_asked_for_again(index):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    world.queue.waiting.clear()
    for number in range(len(plan.parts())):
        make_part(world.writer(), plan, number)

    world.now += SENT_AGAIN + 1
    world.compact()

    assert {task.part for task in world.queue.waiting} == {None}


def test_a_part_is_made_once(index):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    make_part(world.writer(), plan, 0)
    make_part(world.writer(), plan, 0)  # its name is taken by one that is as good

    assert merge_task(MergeTask(job="compact", merge=plan.name, part=0), world.writer()) == []
    assert plan.part(0) in index.names()


def test_a_task_of_a_merge_that_has_ended_does_nothing(index):
    world = World(index)
    world.fill()
    names = index.names()

    for part in (0, None):
        task = MergeTask(job="compact", merge="0000000000001-a", part=part)
        assert merge_task(task, world.writer()) == []

    assert index.names() == names


def test_of_two_that_join_the_first_one_wins(index, whole):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    for number in range(len(plan.parts())):
        make_part(world.writer(), plan, number)

    assert join(world.writer(), plan)
    assert not join(world.writer(), plan)

    assert world.contents() == whole
    assert len(index.manifest().segments) == 1


def test_a_merge_ends_when_a_source_is_merged_otherwise(index):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges

    merge(writer_of(index, lambda: world.now), index.manifest().segments[:2])

    assert index.manifest().merges == []
    assert set(plan.parts()) <= {retired.name for retired in index.manifest().retired}
    world.work()
    assert not set(plan.parts()) & set(index.names())


def test_parts_that_are_missing_are_not_joined(index):
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    before = index.manifest()

    with pytest.raises(NotStored):
        join(world.writer(), plan)

    assert index.manifest() == before


def test_the_plan_says_from_how_many_documents_on_there_are_heads(index, monkeypatch):
    told: list[list[str]] = []
    monkeypatch.setattr(index, "is_far", True)
    monkeypatch.setattr(index, "put_heads", lambda heads: told.append([h.term for h in heads]))
    world = World(index)
    world.fill()
    world.compact()
    [plan] = index.manifest().merges
    for number in range(len(plan.parts())):
        make_part(world.writer(), plan, number)

    join(replace(world.writer(), heads_from=1_000_000), plan)

    [terms] = told
    assert "silk" in terms
    assert [info.has_heads for info in index.manifest().segments] == [True]
