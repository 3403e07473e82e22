"""Does the index in the cloud read and write as little as it can?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gossamer.adapters.aws.dynamodb.models import RankItem, SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index.live_documents import CHUNK
from gossamer.adapters.aws.index.store import AwsIndexStore
from gossamer.adapters.aws.meter import Meter
from gossamer.core.ids import DocumentId
from gossamer.core.index.manifest import Generation, Manifest, Packed
from gossamer.core.index.postings import Postings
from gossamer.core.index.segment import block_key, generation_items, own_blocks_item, sort_key
from gossamer.ports.live_documents import Ordinal
from gossamer.search.snapshot import Snapshot
from tests.aws_backend import MotoBackend, by_resource, leave, moto_clients

if TYPE_CHECKING:
    from collections.abc import Iterator

STACK = "test-stack"
NOW = 1_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def meter() -> Iterator[Meter]:
    backend = MotoBackend({})
    meter = Meter()
    events = moto_clients().client("dynamodb").meta.events
    meter.watch(events)
    yield meter
    leave(meter, events)
    backend.close()


@pytest.fixture
def store(meter: Meter, clock: Clock) -> AwsIndexStore:
    return AwsIndexStore(moto_clients(), STACK, "web", clock)


def pages(first: int, count: int, fetched_at: float = 1.0) -> list[Ordinal]:
    return [
        Ordinal(first + n, DocumentId(b"%016d" % n), fetched_at, f"http://a.test/{n}")
        for n in range(count)
    ]


def table(term: str, df: int) -> Postings:
    count = np.arange(df)
    impacts = (count % 255 + 1).astype(np.uint8)
    return Postings([term], np.array([0, df]), count, impacts, count + 1, count % 99)


def with_generations(store: AwsIndexStore, *numbers: int) -> list[Generation]:
    generations = [Generation(number, 64, 1) for number in numbers]
    for generation in generations:
        store.put(generation_items(table("spider", 1000), generation))
        store.put(generation_items(table("fly", 3), generation))
        store.put([own_blocks_item(["spider"], generation)])
    assert store.publish(Manifest(version=1, generations=generations))
    return generations


def queries(meter: Meter) -> dict[str, int]:
    return {on: n for (action, on), n in meter.calls.items() if action == "dynamodb:Query"}


def test_a_new_page_costs_two_units_and_its_batch_two_more(store: AwsIndexStore, meter: Meter):
    store.set_live(pages(0, 100))

    assert by_resource(meter, "wru") == {"documents": 100, "urls": 100, "segments": 2}


def test_a_page_that_changed_costs_one_more(store: AwsIndexStore, meter: Meter):
    store.set_live(pages(0, 100))
    meter.reset()
    store.set_live(pages(100, 100, 2.0))

    assert by_resource(meter, "wru") == {"documents": 100, "urls": 200, "segments": 2}


def test_all_delta_segments_are_read_by_one_query(store: AwsIndexStore, meter: Meter, clock: Clock):
    segments = [sort_key(n) for n in range(0, 1600, 100)]
    store.put(Packed("0#7", segment, bytes(1000), bytes(1000)) for segment in segments)
    assert store.publish(Manifest(version=1))
    clock.now += 60
    store.manifest()
    meter.reset()

    assert len(store.get("0#7", segments, positions=False)) == 16
    assert queries(meter) == {"index_delta": 1}
    assert meter.totals()["rru"] == 4  # 32 KB, eventually consistent


def test_just_after_a_publication_reads_are_consistent(store: AwsIndexStore, meter: Meter):
    store.put([Packed("0#7", sort_key(1), bytes(100))])
    assert store.publish(Manifest(version=1))
    store.manifest()
    meter.reset()
    store.get("0#7", [sort_key(1)], positions=False)

    assert meter.totals()["rru"] == 1


def test_the_blocks_of_all_generations_are_read_by_one_query(
    store: AwsIndexStore, meter: Meter, clock: Clock
):
    generations = with_generations(store, 3, 30, 300)
    clock.now += 60
    store.manifest()
    for generation in generations:
        store.get(f"o#{generation.number}")
    meter.reset()

    found = [store.get(block_key(g, "spider"), positions=False) for g in generations]

    assert [len(layers) for layers in found] == [3, 3, 3]
    assert queries(meter)["inverted_index/by_tfidf"] == 1
    assert "inverted_index" not in queries(meter)


def test_a_rare_word_costs_no_query_for_blocks(store: AwsIndexStore, meter: Meter, clock: Clock):
    generations = with_generations(store, 3, 30)
    clock.now += 60
    store.manifest()
    for generation in generations:
        store.get(block_key(generation, "spider"), positions=False)
    meter.reset()

    assert [store.get(block_key(g, "fly"), positions=False) for g in generations] == [[], []]
    assert not meter.calls


def test_a_block_that_the_index_does_not_show_yet_is_found(
    store: AwsIndexStore, meter: Meter, monkeypatch: pytest.MonkeyPatch
):
    (generation,) = with_generations(store, 3)
    store.manifest()
    items: Any = store._items
    seen = items._best_first("spider")
    monkeypatch.setattr(items, "_best_first", lambda _term: seen[1:])

    found = store.get(block_key(generation, "spider"), positions=False)

    assert len(found) == 3
    assert queries(meter)["inverted_index"] == 1


def test_a_delta_segment_is_never_deleted_but_expires(store: AwsIndexStore, meter: Meter):
    store.put([Packed("0#7", sort_key(1), b"x")])
    meter.reset()

    store.drop("0#7", sort_key(1))
    store.drop("d#0", sort_key(1))

    assert not meter.calls
    raw = moto_clients().call("dynamodb", "Scan", "delta", TableName=f"{STACK}-index_delta")
    assert int(raw["Items"][0]["ttl"]["N"]) == NOW + 7 * 86_400


def test_a_generation_is_deleted_a_minute_after_it_was_dropped_and_completely(
    store: AwsIndexStore, meter: Meter, clock: Clock
):
    generations = with_generations(store, 3, 30)
    store.manifest()
    for kind in "btd":
        store.drop(f"{kind}#3#*")
    store.drop("o#3")
    assert store.get(block_key(generations[0], "spider"))

    clock.now += 59
    store.purge()
    assert store.get(block_key(generations[0], "spider"))

    clock.now += 1
    store.purge()
    raw = moto_clients().call("dynamodb", "Scan", "main", TableName=f"{STACK}-inverted_index")
    left = {(item["k"]["S"], item["g"]["S"]) for item in raw["Items"]}
    assert {sort.partition("#")[0] for _, sort in left} == {"30", "0"}
    assert not [key for key, _ in left if key.startswith("web#b#3#")]
    meter.reset()
    store.purge()
    assert not by_resource(meter, "wru")


def test_a_deletion_that_was_cut_short_is_finished_by_the_next(
    store: AwsIndexStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    (generation,) = with_generations(store, 3)
    store.manifest()
    store.drop("b#3#*")
    clock.now += 60
    generations: Any = store._items._generations
    with monkeypatch.context() as patched:

        def die(**_: object) -> None:
            raise KeyboardInterrupt

        patched.setattr(generations._terms, "write_many", die)
        with pytest.raises(KeyboardInterrupt):
            store.purge()

    AwsIndexStore(moto_clients(), STACK, "web", clock).purge()

    assert store.get("o#3") == []
    assert AwsIndexStore(moto_clients(), STACK, "web").get(block_key(generation, "spider")) == []


def test_a_million_documents_are_loaded_by_few_requests(store: AwsIndexStore, meter: Meter):
    chunks = range(1_000_000 // CHUNK)
    segments = Table(moto_clients(), STACK, SegmentItem)
    segments.write_many(
        SegmentItem("web", f"live#{n:06}", body=b"\xff" * (CHUNK // 8), version=1) for n in chunks
    )
    ranks = Table(moto_clients(), STACK, RankItem)
    ranks.write_many(RankItem("web", n, body=bytes(32_768)) for n in range(31))
    store.lease_ordinals(len(chunks) * CHUNK)
    meter.reset()

    snapshot = Snapshot(store)

    assert snapshot.size == len(chunks) * CHUNK
    assert sum(meter.calls.values()) <= 8
    assert meter.totals()["rru"] < 320  # of which ranks 250, read again only when written again
    meter.reset()
    Snapshot(store)
    assert meter.totals()["rru"] < 60
