"""COMPACT: delta segments and small generations become one larger generation.

Partition by partition, so that memory does not grow with the index. The new generation is published
by one switch of the manifest; only then is what it replaces dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer.core.index.manifest import Generation, Manifest
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
    from collections.abc import Iterator

    from gossamer.ports.index import IndexStore

MAX_DELTAS = 16  # then a query would read too many buckets for each term
GROWTH = 4  # a generation is merged again when the new one would be a quarter of its size


def compact(store: IndexStore, *, whole: bool = False) -> bool:
    """Merge; `whole` merges everything into one generation. False if there was nothing to do."""
    before = store.manifest()
    old = _chosen(before, store, whole)
    if not before.deltas and (not whole or (len(old) < 2 and _is_clean(store, old))):
        return False
    is_live = live_mask(store)
    # A number that nobody else has, not even an attempt that crashed and left items behind.
    number = store.lease_ordinals(1)
    generation = Generation(number, _buckets(before, old, store), _count(is_live, before, old))
    words: list[str] = []
    own: list[str] = []
    for partition in range(PARTITIONS):
        table = merge(list(_inputs(partition, before, old, store)), is_live)
        store.put(generation_items(table, generation))
        words += words_of(table.terms)
        own += has_own_blocks(table)
    store.put(dictionary_items(sorted(words), generation))
    store.put([own_blocks_item(own, generation)])
    kept = [g for g in before.generations if g not in old]
    after = msgspec.structs.replace(
        before,
        version=before.version + 1,
        deltas=[],
        generations=[*kept, generation],
    )
    if store.publish(after):
        _drop(before, old, store)
    else:
        _drop(Manifest(), [generation], store)
    return True


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
