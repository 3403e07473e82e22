"""Which words occur together: the counts of brute force, without sorting whole lists."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from gossamer.core.index.segments import dictionary
from gossamer.core.index.segments.manifest import Manifest
from gossamer.search import segment_view
from gossamer.search.budget import UNLIMITED
from gossamer.search.segment_view import TermList
from gossamer.search.snapshot import Part, Snapshot
from gossamer.search.spelling.neighbours import InSnapshot
from tests.effort import share_of
from tests.unit.search.scores.test_top import random_list, view_of

TERMS = ("aa", "bb", "cc", "dd")
WORDS = (*TERMS, "absent")
PAIRS = [(one, other) for one in WORDS for other in WORDS]


class Near:
    is_far = False


@pytest.fixture(autouse=True)
def _small_layers(monkeypatch):
    monkeypatch.setattr(dictionary, "FREQUENT", 8)
    monkeypatch.setattr(dictionary, "LAYERS", (4, 16, 64, 256))


def random_parts(seed: int) -> tuple[list[Part], list[list[set[int]]]]:
    """Segments with long and short lists, and the live documents that have each of the terms."""
    source = np.random.default_rng(seed)
    parts, members = [], []
    for _ in range(3):
        documents = int(source.integers(30, 900))
        lists = {term: random_list(source, documents, source.choice([0.01, 0.4])) for term in TERMS}
        live = source.random(documents) < source.choice([0.6, 1.0])
        view = view_of({term: found for term, found in lists.items() if found}, documents)
        parts.append(Part(view, live, np.zeros(documents, np.uint8), bool(live.all())))
        members.append([{n for n in lists.get(term, ()) if live[n]} for term in WORDS])
    return parts, members


def words_of(parts: list[Part]) -> InSnapshot:
    index: Any = Near()
    opened: Any = None
    return InSnapshot(index, opened, Snapshot(Manifest(), parts), UNLIMITED)


@pytest.mark.parametrize("is_long_from", [2, 32, 1_000])
def test_the_counts_are_those_of_brute_force(monkeypatch, is_long_from):
    monkeypatch.setattr(segment_view, "SHORT", is_long_from)
    for seed in range(share_of(50)):
        parts, members = random_parts(seed)

        pairs = [list(product(sets, repeat=2)) for sets in members]
        expected = [
            sum(len(one & other) for one, other in column) for column in zip(*pairs, strict=True)
        ]
        assert words_of(parts).together(PAIRS) == expected, seed


def test_long_lists_are_neither_unpacked_again_nor_sorted(monkeypatch):
    """Of a million documents that took 120 to 520 ms for every misspelt word beside another."""
    impacts = {"aa": dict.fromkeys(range(0, 900, 2), 9), "bb": dict.fromkeys(range(0, 900, 3), 5)}
    part = Part(view_of(impacts, 900), np.ones(900, np.bool_), np.zeros(900, np.uint8), True)
    words = words_of([part])
    assert words.together([("aa", "bb")]) == [150]

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a whole list is read or sorted")

    monkeypatch.setattr(TermList, "layer", refuse)
    monkeypatch.setattr(np, "sort", refuse)
    monkeypatch.setattr(np, "intersect1d", refuse)

    assert words.together([("aa", "bb")]) == [150]
