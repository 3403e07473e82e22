"""Where words count nothing, documents are ranked by their links alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from gossamer.core.index.segments.dictionary import Layer
from gossamer.search.scores import top as module
from gossamer.search.scores.candidates import Candidates, Scratch
from gossamer.search.scores.scored_list import ScoredList, rank_parts
from gossamer.search.scores.top import top


@dataclass(frozen=True)
class TwoLayers:
    df = 4
    bounds = [200, 10]  # noqa: RUF012 never changed

    def layer(self, number: int) -> Layer:
        return (
            Layer(np.array([1, 3]), np.array([200, 150], np.uint8)),
            Layer(np.array([0, 2]), np.array([10, 5], np.uint8)),
        )[number]

    def known(self, number: int) -> Layer:
        return self.layer(number)

    def is_known(self) -> bool:
        return True

    def by_document(self) -> None:
        return


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_list_that_adds_nothing_is_read_all_the_same(monkeypatch, count):
    monkeypatch.setattr(module, "WORTHWHILE", 0)
    levels = np.array([9, 5, 200, 7], np.uint8)
    among = Candidates(
        np.ones(4, np.bool_), None, levels, rank_parts(np.arange(256) / 255), Scratch(4)
    )

    found = top([ScoredList(TwoLayers(), 0.0, 4)], among, count, all_of_them=False)

    assert found.documents.tolist() == [2, 0, 3, 1][:count]
    assert found.total == 4
