"""Do all index stores keep the promises of `ports.index`?"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from gossamer.adapters.aws.index.store import AwsIndexStore
from gossamer.batch.compact import compact
from gossamer.bolts.index import index as index_documents
from gossamer.core.collection import Weights
from gossamer.core.ids import DocumentId
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.codec import pack_positions, pack_postings
from gossamer.core.index.manifest import Generation, Manifest, Packed
from gossamer.core.index.postings import Postings
from gossamer.core.index.segment import (
    block_key,
    dictionary_items,
    generation_items,
    own_blocks_item,
    postings_in,
    sort_key,
    terms_in,
)
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.ports.live_documents import Ordinal
from gossamer.search.snapshot import Snapshot
from tests.conftest import EMBEDDED

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Backend

HUGE = 1_100_000


@dataclass
class Subject:
    """A store under test, and what else it takes to look at it."""

    store: Any
    another: Callable[[], Any]  # what another process would open
    now: list[float] = field(default_factory=lambda: [1_000_000.0])

    def later(self, seconds: float) -> None:
        """Let time pass, and what was put off be done."""
        self.now[0] += seconds
        if isinstance(self.store, AwsIndexStore):
            self.store.purge()


@pytest.fixture
def subject(backend: Backend) -> Subject:
    home: Any = backend.home  # whose clients are behind the contract
    if backend.kind in EMBEDDED:
        return Subject(home.index, lambda: home.index)
    now = [1_000_000.0]

    def make() -> AwsIndexStore:
        return AwsIndexStore(home.clients, home.stack, home.collection, lambda: now[0])

    return Subject(make(), make, now)


@pytest.fixture
def store(subject: Subject) -> Any:
    return subject.store


def page(ordinal: int, name: str = "", fetched_at: float = 1.0) -> Ordinal:
    name = name or f"p{ordinal}"
    return Ordinal(
        ordinal,
        DocumentId(name.encode().ljust(16, b".")),
        fetched_at,
        f"http://a.test/{name}",
        "en",
    )


def packed(key: str, sort: str, size: int = 10, positions: int = 10) -> Packed:
    source = random.Random(f"{key}{sort}")
    return Packed(key, sort, source.randbytes(size), source.randbytes(positions))


def table(term: str, df: int, first: int = 0) -> Postings:
    """A term in consecutive documents, its impacts spread."""
    count = np.arange(df)
    return Postings(
        [term],
        np.array([0, df]),
        count + first,
        (count * 7 % 255 + 1).astype(np.uint8),
        count + 1,
        count % 100,
    )


def publish(store: Any, **what: Any) -> Manifest:
    before = store.manifest()
    after: Manifest = msgspec.structs.replace(before, version=before.version + 1, **what)
    assert store.publish(after)
    return after


def write_generation(store: Any, number: int, *tables: Postings) -> Generation:
    generation = Generation(number, 64, 1)
    for one in tables:
        store.put(generation_items(one, generation))
    own = [one.terms[0] for one in tables if len(one) >= 256]
    store.put([own_blocks_item(own, generation)])
    return generation


# --- ordinals and the manifest ---


def test_a_leased_number_is_given_out_once(subject: Subject):
    store = subject.store

    assert store.lease_ordinals(0) == 0
    assert [store.lease_ordinals(n) for n in (3, 1, 100)] == [0, 3, 4]
    assert store.lease_ordinals(0) == subject.another().lease_ordinals(0) == 104


def test_a_new_index_has_an_empty_manifest(store: Any):
    assert store.manifest() == Manifest()
    assert store.live() == []
    assert store.ranks() == b""
    assert store.look_up([1]) == {}


def test_a_manifest_replaces_the_version_before_and_no_other(store: Any):
    first = Manifest(version=1, deltas=[0], delta_times=[2.5], analyzer={"language": "en"})
    assert store.publish(first)
    assert store.manifest() == first

    assert not store.publish(Manifest(version=1))
    assert not store.publish(Manifest(version=3))
    second = Manifest(version=2, generations=[Generation(7, 64, 100)])
    assert store.publish(second)
    assert store.manifest() == second


def test_a_long_manifest_comes_back(store: Any):
    long = Manifest(version=1, deltas=list(range(0, 90_000, 90)), delta_times=[0.5] * 1000)

    assert store.publish(long)
    assert store.manifest() == long


# --- items ---


def test_items_are_found_by_key_and_segment_in_order(subject: Subject):
    items = [packed("0#5", sort_key(n)) for n in (30, 4, 200)]
    subject.store.put(items)
    subject.store.put([packed("0#50", sort_key(4)), packed("d#0", sort_key(4), positions=0)])
    store = subject.another()

    by_sort = sorted(items, key=lambda item: item.sort)
    assert store.get("0#5") == by_sort
    assert store.get("0#5", [sort_key(200), sort_key(4), sort_key(9)]) == [by_sort[0], by_sort[2]]
    assert store.get("0#5", []) == store.get("0#6") == store.get("b#3#1") == []
    assert store.get("d#0", [sort_key(4)])[0].postings


def test_an_item_put_again_is_replaced(store: Any):
    store.put([packed("0#1", sort_key(1), 500, 500)])
    store.put([Packed("0#1", sort_key(1), b"x", b"y")])

    assert store.get("0#1") == [Packed("0#1", sort_key(1), b"x", b"y")]


@pytest.mark.parametrize("key", ["0#1", "d#0", "b#3#9", "d#3", "o#3"])
def test_an_item_of_any_size_comes_back_whole(store: Any, key: str):
    positions = HUGE if key[0] in "0b" else 0
    items = [
        packed(key, sort, size, positions if size == HUGE else 0)
        for sort, size in (("0000000001", 5), ("0000000002", HUGE), ("0000000003", 5))
    ]

    store.put(items)

    assert store.get(key) == items
    assert store.get(key, ["0000000002"]) == [items[1]]


def test_many_items_are_written(store: Any):
    store.put(packed(f"b#1#{n}", "0") for n in range(450))

    assert all(store.get(f"b#1#{n}") == [packed(f"b#1#{n}", "0")] for n in range(0, 450, 37))


def test_a_common_term_has_layers_of_falling_impact(subject: Subject):
    one, two = table("spider", 1000), table("spider", 300, first=5000)
    generations = [
        write_generation(subject.store, 3, one),
        write_generation(subject.store, 30, two),
    ]
    publish(subject.store, generations=generations)
    store = subject.another()
    store.manifest()
    subject.now[0] += 60

    for generation, whole in zip(generations, (one, two), strict=True):
        key = block_key(generation, "spider")
        full, bare = store.get(key), store.get(key, positions=False)
        assert [item.sort for item in full] == [item.sort for item in bare]
        assert [item.postings for item in full] == [item.postings for item in bare]
        assert [item.impact for item in full] == sorted((i.impact for i in full), reverse=True)
        tables = [postings_in(item) for item in full]
        assert sorted(np.concatenate([t.ordinals for t in tables])) == sorted(whole.ordinals)
        assert sum(len(t.positions) for t in tables) == len(whole.positions)
        assert {item.df for item in full} == {len(whole)}
        assert store.get(block_key(generation, "fly"), positions=False) == []
        assert store.get(block_key(generation, "fly")) == []


def test_a_block_may_have_more_positions_than_an_item_holds(store: Any):
    df, times = 300, 4000
    source = np.random.default_rng(1)
    steps = source.integers(1, 2000, df * times)
    positions = np.cumsum(steps.reshape(df, times), axis=1).ravel()
    ones = np.full(df, 9, np.uint8)
    ends = np.arange(1, df + 1) * times
    wide = Postings(["mite"], np.array([0, df]), np.arange(df), ones, ends, positions)
    assert len(pack_positions(wide)) > 1_000_000
    assert len(pack_postings(wide)) < 100_000

    generation = write_generation(store, 3, wide)
    publish(store, generations=[generation])
    store.manifest()

    full = store.get(block_key(generation, "mite"))
    assert sum(len(postings_in(item).positions) for item in full) == len(positions)
    bare = store.get(block_key(generation, "mite"), positions=False)
    assert [item.postings for item in bare] == [item.postings for item in full]


def test_a_generation_without_a_list_of_its_common_terms_is_still_read(store: Any):
    generation = Generation(3, 64, 1)
    store.put(generation_items(table("spider", 300), generation))
    publish(store, generations=[generation])

    for positions in (True, False):
        found = store.get(block_key(generation, "spider"), positions=positions)
        assert sum(len(postings_in(item)) for item in found) == 300


@pytest.mark.parametrize(
    "prefix", ["", "a", "word", "word0", "word0777", "word9999", "zz", "é", "0"]
)
def test_a_dictionary_gives_all_words_with_a_prefix(store: Any, prefix: str):
    words = sorted({f"word{n:04}" for n in range(0, 9000)} | {"aal", "éclair", "zebra", "0x"})
    store.put(dictionary_items(words, Generation(3, 64, 1)))
    store.put(dictionary_items(["other"], Generation(30, 64, 1)))

    items = store.dictionary("d#3", prefix)

    found = [word for item in items for word in terms_in(item)]
    assert [word for word in found if word.startswith(prefix)] == [
        word for word in words if word.startswith(prefix)
    ]
    assert found == sorted(set(found))


def test_a_dictionary_item_of_any_size_is_found_by_prefix(store: Any):
    items = [packed("d#3", sort, size, 0) for sort, size in (("a", 9), ("m", HUGE), ("x", 9))]
    store.put(items)

    assert store.dictionary("d#3", "n") == [items[1]]
    assert store.dictionary("d#3", "m") == [items[1]]
    assert store.dictionary("d#3", "x") == [items[2]]
    assert store.dictionary("d#3", "") == items


def test_even_the_empty_word_has_its_place(store: Any):
    items = [packed("d#3", "", 9, 0), packed("d#3", "a", 9, 0)]
    store.put(items)

    assert store.get("d#3") == store.dictionary("d#3", "") == items
    assert store.dictionary("d#3", "a") == items[1:]


def test_a_dropped_generation_goes_and_the_others_stay(subject: Subject):
    store = subject.store
    spiders, flies = table("spider", 300), table("fly", 9)
    generations = [write_generation(store, n, spiders, flies) for n in (3, 30)]
    for generation in generations:
        store.put(dictionary_items(["fly", "spider"], generation))
    publish(store, generations=generations)
    store.manifest()
    publish(store, generations=generations[1:])

    for kind in "btd":
        store.drop(f"{kind}#3#*")
    store.drop("d#3")
    store.drop("o#3")
    subject.later(61)

    assert _everything(subject.another(), 3) == []
    assert len(_everything(subject.another(), 30)) == 5


def _everything(store: Any, number: int) -> list[Packed]:
    keys = [f"b#{number}#{bucket}" for bucket in range(64)]
    keys += [f"t#{number}#spider", f"d#{number}", f"o#{number}"]
    return [item for key in keys for item in store.get(key)]


# --- what is live ---


def test_a_flipped_page_is_live(subject: Subject):
    subject.store.set_live([page(4, "a"), page(5, "b")])

    store = subject.another()
    assert store.live() == [4, 5]
    assert store.look_up([5, 4, 3]) == {4: page(4, "a"), 5: page(5, "b")}
    assert sorted(store.all_live(), key=lambda o: o.ordinal) == [page(4, "a"), page(5, "b")]


@pytest.mark.parametrize(("second", "live"), [(2.0, 9), (1.0, 9), (0.5, 4)])
def test_a_page_has_one_live_version_and_it_is_the_newest(store: Any, second: float, live: int):
    store.set_live([page(4, "a", 1.0)])
    store.set_live([page(9, "a", second)])

    assert store.live() == [live]
    assert list(store.look_up([4, 9])) == [live]


def test_a_page_that_changes_often_has_one_live_version(store: Any):
    for ordinal in range(12):
        store.set_live([page(ordinal, "a", float(ordinal))])
        assert store.live() == [ordinal]


def test_a_removed_page_is_live_no_more_until_a_newer_version_comes(store: Any):
    store.set_live([page(1, "a"), page(2, "b")])
    store.remove([page(1, "a").id, b"unknown".ljust(16)])
    assert store.live() == [2]

    store.remove([page(1, "a").id])
    store.set_live([page(3, "a", 2.0)])
    assert store.live() == [2, 3]


def test_whatever_changes_an_answer_changes_the_version(subject: Subject):
    store, versions = subject.store, [0]

    def changed() -> bool:
        versions.append(subject.another().manifest().version)
        return versions[-1] > versions[-2]

    publish(store, deltas=[1])
    assert changed()
    store.set_live([page(1)])
    assert changed()
    store.put_ranks(b"\xff")
    assert changed()
    store.remove([page(1).id])
    assert changed()
    assert store.manifest().deltas == [1]


def test_another_process_sees_what_was_flipped(subject: Subject):
    reader = subject.another()
    subject.store.set_live([page(1, "a")])
    assert list(reader.look_up([1, 2])) == [1]

    subject.store.set_live([page(2, "a", 2.0)])
    assert list(reader.look_up([1, 2])) == [2]


def test_many_ordinals_are_live(store: Any):
    ordinals = [1, 7167, 7168, 14_335, 14_336, 50_000]
    store.set_live([page(n) for n in ordinals])
    store.set_live([page(60_000, "p7168", 2.0), page(7169, "p50000", 2.0)])

    assert store.live() == [1, 7167, 7169, 14_335, 14_336, 60_000]


def test_ranks_come_back_and_a_shorter_list_replaces_a_longer(store: Any):
    ranks = bytes(n % 251 for n in range(70_000))
    store.put_ranks(ranks)
    assert store.ranks() == ranks

    store.put_ranks(ranks[:40_000])
    assert store.ranks() == ranks[:40_000]


# --- all of it together ---

WORDS = ["spider", "silk", "thread", "web", "orb", "gossamer", "dew", "fly"]


def documents(count: int, seed: int) -> list[Version]:
    source = random.Random(seed)
    return [
        Version(
            page(0, f"{seed}-{n}").id,
            float(seed),
            Document(
                url=f"http://a.test/{seed}-{n}",
                title=source.choice(WORDS),
                text=" ".join(source.choices(WORDS, range(1, 9), k=30)) + f" unique{seed}x{n}",
            ),
        )
        for n in range(count)
    ]


def test_an_index_that_was_written_and_compacted_gives_every_posting_once(
    subject: Subject, backend: Backend
):
    store, analyzer = subject.store, Analyzer()
    each = 120 if backend.kind in EMBEDDED else 30
    everything = [documents(each, seed) for seed in range(1, 5)]
    for number, batch in enumerate(everything):
        index_documents(batch, store, analyzer, Weights(), 1.0)
        if number in (1, 2):
            compact(store, whole=number == 2)
        subject.later(61)

    snapshot = Snapshot(subject.another())

    assert snapshot.size == 4 * each
    texts = [version.document for batch in everything for version in batch]
    for word in [*WORDS, "unique3x7", "nowhere"]:
        term = analyzer.term(word)
        expected = sum(word in f"{doc.title} {doc.text}".split() for doc in texts)
        assert snapshot.documents(term).df == expected, word
        places = sum(f"{doc.title} {doc.text}".split().count(word) for doc in texts)
        assert len(snapshot.places(term)) == places, word
    assert len(snapshot.words("unique")) == 4 * each
    assert len(snapshot.prefixed("unique2x")) == each
