"""Are merges in parts what merges are, over every home?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch.compact import merge
from gossamer.batch.merge_plan import plan_merge, send_tasks
from gossamer.bolts.manifest import ABANDONED, GRACE, sweep
from gossamer.bolts.merge import make_part, merge_task
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.messages import MergeTask, decode
from gossamer.ports.documents import Version
from gossamer.search.snapshot import Snapshots
from tests.conftest import EMBEDDED
from tests.indexing import index_all, live_ids, live_versions, remove, writer_of
from tests.unit.core.index.segments.making import use_small_parts

if TYPE_CHECKING:
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.manifest import Merge
    from tests.conftest import Backend

NOW = 1_000_000_000.0


@pytest.fixture
def home(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Any:
    use_small_parts(monkeypatch)
    return backend.home


def page(n: int) -> UrlId:
    return UrlId(b"%016d" % n)


def version(n: int, at: float = 1.0) -> Version:
    document = Document(url=f"http://a.test/{n}", text=f"silk moth{n % 3} word{n}")
    return Version(document_id(page(n)), at, document)


def writer(home: Any, later: float = 0.0) -> IndexWriter:
    return writer_of(home.index, lambda: NOW + later, heads_from=1)


def fill(home: Any) -> None:
    for first in (0, 8, 16):
        index_all(writer(home), [version(n) for n in range(first, first + 8)])
    remove(writer(home), page(3), at=NOW)


def planned(home: Any) -> Merge:
    found = plan_merge(writer(home), home.index.manifest().segments, 600)
    assert found is not None
    assert len(found.parts()) > 4
    return found


def lists(home: Any, word: str) -> list[tuple[bytes, int]]:
    """Which documents have a word, and how heavy it is there."""
    term = Analyzer().term(word)
    return sorted(
        (bytes(part.id(document)), impact)
        for part in Snapshots(home.index).latest().parts
        for layer in part.view.term(term).layers()
        for document, impact in zip(layer.documents.tolist(), layer.impacts.tolist(), strict=True)
        if part.live[document]
    )


def work_through(home: Any) -> int:
    """Do all tasks that the queue has; returns how many."""
    done = 0
    while deliveries := home.queues.receive("merge", 10, NOW + 1):
        for delivery in deliveries:
            task = decode(delivery.body)
            assert isinstance(task, MergeTask)
            home.queues.send(merge_task(task, writer(home)), NOW)
            done += 1
        home.queues.acknowledge(deliveries)
    return done


def test_the_answers_are_the_same_before_and_after(home: Any):
    fill(home)
    before = [lists(home, word) for word in ("silk", "moth1", "word20", "word3")]
    versions = live_versions(home.index)
    planned(home)

    assert send_tasks(writer(home), home.queues) > 4
    assert send_tasks(writer(home), home.queues) == 0
    assert work_through(home) > 5

    assert [info.live for info in home.index.manifest().segments] == [23]
    assert home.index.manifest().merges == []
    assert live_versions(home.index) == versions
    assert [lists(home, word) for word in ("silk", "moth1", "word20", "word3")] == before


def test_a_part_that_is_there_is_not_written_again(home: Any):
    fill(home)
    plan = planned(home)
    make_part(writer(home), plan, 0)
    names = home.index.names()

    make_part(writer(home), plan, 0)

    assert home.index.names() == names
    assert plan.part(0) in names


def test_parts_of_a_merge_that_has_ended_are_swept(home: Any):
    fill(home)
    plan = planned(home)
    for number in (0, 2):
        make_part(writer(home), plan, number)
    merge(writer(home), home.index.manifest().segments[:2])

    sweep(writer(home, GRACE + 1), orphans=True)
    assert not set(home.index.names()) & set(plan.parts())
    home.index.put(plan.part(1), [b"by a process that slept"])
    sweep(writer(home, GRACE + 2), orphans=True)
    assert set(home.index.names()) & set(plan.parts()) == {plan.part(1)}
    sweep(writer(home, ABANDONED + 1), orphans=True)

    assert set(home.index.names()) == home.index.manifest().names()
    assert len(live_ids(home.index)) == 23


def test_heads_are_replaced_with_their_segments_and_deleted_with_them(home: Any, backend: Backend):
    fill(home)
    first, second, third, _ = home.index.manifest().segments
    merge(writer(home), [first, second])
    merged = home.index.manifest().segments[0]
    kept = {name for _, name in home.index.heads(["silk"], home.index.names())}
    assert kept == ({merged.name} if backend.kind not in EMBEDDED else set())
    assert merged.has_heads
    assert not third.has_heads

    planned(home)
    send_tasks(writer(home), home.queues)
    work_through(home)
    [last] = home.index.manifest().segments
    kept = {name for _, name in home.index.heads(["silk"], home.index.names())}
    assert kept == ({merged.name, last.name} if backend.kind not in EMBEDDED else set())
    sweep(writer(home, GRACE + 1))

    kept = {name for _, name in home.index.heads(["silk"], home.index.names())}
    assert kept == ({last.name} if backend.kind not in EMBEDDED else set())


def test_heads_say_what_the_segment_says(home: Any):
    fill(home)
    planned(home)
    send_tasks(writer(home), home.queues)
    work_through(home)
    view = Snapshots(home.index).latest().parts[0].view
    plain = [layer.documents.tolist() for layer in view.term("silk").layers()]

    for head in home.index.heads(["silk"], home.index.names()).values():
        fresh = Snapshots(home.index).latest().parts[0].view
        fresh.learn(head)
        assert [layer.documents.tolist() for layer in fresh.term("silk").layers()] == plain
