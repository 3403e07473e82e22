"""COMPACT: delta segments and small generations become one larger generation.

Partition by partition, so that memory does not grow with the index. The new generation is published
by one switch of the manifest; only then is what it replaces dropped.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer.core.index.manifest import Generation, Manifest, times_of
from gossamer.core.index.postings import Postings, merge
from gossamer.core.index.segment import (
    PARTITIONS,
    dictionary_items,
    generation_items,
    has_own_blocks,
    own_blocks_item,
    postings_in,
    sort_key,
    tail_buckets,
    term_hash,
    terms_in,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.ports.index import IndexStore

MAX_DELTAS = 16  # then a query would read too many buckets for each term
GROWTH = 4  # a generation is merged again when the new one would be a quarter of its size


def compact(
    store: IndexStore, *, whole: bool = False, settled: float = math.inf, fanout: int = 0
) -> bool:
    """Merge; `whole` merges everything into one generation. False if there was nothing to do.

    With a `fanout` generations are merged only when that many of a size have gathered: where writes
    are billed, a page is then rewritten once per power of it. Only deltas published before
    `settled` are merged: of a younger one, INDEX may not yet have made the documents live, and what
    is not live is not merged. If one becomes live nevertheless, the merge was in vain.
    """
    found = store.manifest()
    before = _only(found, lambda _, at: at < settled)
    old = _gathered(before, store, fanout) if fanout else _chosen(before, store, whole)
    if not before.deltas and (not whole or (len(old) < 2 and _is_clean(store, old))):
        return False
    is_live = live_mask(store)
    # A unique number: not even an attempt that crashed and left items behind has it.
    number = store.lease_ordinals(1)
    generation = Generation(number, _buckets(before, old, store), _count(is_live, before, old))
    is_merged = np.zeros_like(is_live)
    words: list[str] = []
    own: list[str] = []
    for partition in range(PARTITIONS):
        table = merge(list(_inputs(partition, before, old, store)), is_live)
        is_merged[table.ordinals] = True
        store.put(generation_items(table, generation))
        words += words_of(table.terms)
        own += has_own_blocks(table)
    store.put(dictionary_items(sorted(words), generation))
    store.put([own_blocks_item(own, generation)])
    if before.deltas != found.deltas:
        generation = msgspec.structs.replace(generation, documents=int(is_merged.sum()))
    kept = [g for g in before.generations if g not in old]
    if _switch(before.deltas, [*kept, generation], store, found, is_live):
        _drop(before, old, store)
    else:
        _drop(Manifest(), [generation], store)
    return True


def _only(manifest: Manifest, wanted: Callable[[int, float], bool]) -> Manifest:
    """The manifest with some of its deltas, chosen by number and time."""
    pairs = zip(manifest.deltas, times_of(manifest), strict=True)
    deltas = [(delta, at) for delta, at in pairs if wanted(delta, at)]
    return msgspec.structs.replace(
        manifest, deltas=[d for d, _ in deltas], delta_times=[at for _, at in deltas]
    )


def _switch(
    merged: list[int],
    generations: list[Generation],
    store: IndexStore,
    found: Manifest,
    is_live: npt.NDArray[np.bool_],
) -> bool:
    """Publish the new generation; batches indexed meanwhile stay.

    False if another process compacted, or if a document became live that was left out as dead. It
    cannot come alive between that look and the switch: it would change the manifest's version.
    """
    gone = set(merged)
    while True:
        now = store.manifest()
        if now.generations != found.generations or _came_alive(store, gone, now, is_live):
            return False
        after = _only(now, lambda delta, _: delta not in gone)
        version = now.version + 1
        if store.publish(msgspec.structs.replace(after, version=version, generations=generations)):
            return True


def _came_alive(
    store: IndexStore, merged: set[int], manifest: Manifest, was_live: npt.NDArray[np.bool_]
) -> bool:
    """Whether a document of these deltas lives that did not when they were read."""
    live = np.array(store.live(), np.int64)
    fresh = live[(live >= len(was_live)) | ~was_live[np.minimum(live, len(was_live) - 1)]]
    # A delta's number is its first ordinal.
    firsts = np.array(sorted(merged.union(manifest.deltas)), np.int64)
    if not len(fresh) or not len(firsts):
        return False
    owners = firsts[np.maximum(np.searchsorted(firsts, fresh, side="right") - 1, 0)]
    return bool(merged.intersection(owners.tolist()))


def compact_if_many(store: IndexStore, most: int = MAX_DELTAS) -> bool:
    """Merge when there are more deltas than that."""
    return len(store.manifest().deltas) > most and compact(store)


def live_mask(store: IndexStore) -> npt.NDArray[np.bool_]:
    """By ordinal, whether the document is live."""
    live = np.array(store.live(), np.int64)
    mask = np.zeros(store.lease_ordinals(0) + 1, np.bool_)
    mask[live] = True
    return mask


def _chosen(manifest: Manifest, store: IndexStore, whole: bool) -> list[Generation]:
    """The generations to merge with the deltas: the youngest, while they are not much larger."""
    if whole:
        return manifest.generations
    size = sum(g.documents for g in manifest.generations)
    fresh = max(1, len(store.live()) - size)
    chosen: list[Generation] = []
    for generation in reversed(manifest.generations):
        if generation.documents > GROWTH * fresh:
            break
        chosen.append(generation)
        fresh += generation.documents
    return chosen[::-1]


def _gathered(manifest: Manifest, store: IndexStore, fanout: int) -> list[Generation]:
    """The generations to merge with the deltas: none, until enough are no larger than the new one.

    A larger one then results, of which again enough may have gathered.
    """
    size = max(1, len(store.live()) - sum(g.documents for g in manifest.generations))
    rest, chosen = list(manifest.generations), set()
    while True:
        small = [g for g in rest if g.documents <= size]
        if len(small) < fanout - 1:
            return [g for g in manifest.generations if g.number in chosen]
        chosen |= {g.number for g in small}
        rest = [g for g in rest if g.documents > size]
        size += sum(g.documents for g in small)


def _is_clean(store: IndexStore, generations: list[Generation]) -> bool:
    return len(store.live()) == sum(g.documents for g in generations)


def _count(is_live: npt.NDArray[np.bool_], manifest: Manifest, old: list[Generation]) -> int:
    untouched = sum(g.documents for g in manifest.generations if g not in old)
    return max(0, int(is_live.sum()) - untouched)


def _buckets(manifest: Manifest, old: list[Generation], store: IndexStore) -> int:
    """Tail buckets for what is merged, judged by its first partition."""
    size = sum(
        len(item.postings)
        for item in store.get("0#0", [sort_key(segment) for segment in manifest.deltas])
    )
    return max([tail_buckets(size * PARTITIONS), *(g.buckets for g in old)])


def _inputs(
    partition: int, manifest: Manifest, old: list[Generation], store: IndexStore
) -> Iterator[Postings]:
    segments = [sort_key(segment) for segment in manifest.deltas]
    for item in store.get(f"0#{partition}", segments):
        yield postings_in(item)
    for generation in old:
        for key in _keys(partition, generation, store):
            for item in store.get(key):
                yield postings_in(item)


def _keys(partition: int, generation: Generation, store: IndexStore) -> Iterator[str]:
    for bucket in range(partition, generation.buckets, PARTITIONS):
        yield f"b#{generation.number}#{bucket}"
    for item in store.get(f"o#{generation.number}"):
        for term in terms_in(item):
            if term_hash(term) % PARTITIONS == partition:
                yield f"t#{generation.number}#{term}"


def _drop(manifest: Manifest, old: list[Generation], store: IndexStore) -> None:
    for segment in manifest.deltas:
        for partition in range(PARTITIONS):
            store.drop(f"0#{partition}", sort_key(segment))
        store.drop("d#0", sort_key(segment))
    for generation in old:
        for kind in "btd":
            store.drop(f"{kind}#{generation.number}#*")
        store.drop(f"d#{generation.number}")
        store.drop(f"o#{generation.number}")
