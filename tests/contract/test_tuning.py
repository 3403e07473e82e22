"""Are formulas, weighted words and chosen results the same in every home, without indexing anew?"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.bolts.index import made_otherwise
from gossamer.core.collection import CollectionSettings
from gossamer.core.index.declared import Column
from gossamer.core.page.document import Document
from gossamer.core.search.curated import Curated
from gossamer.core.urls import url_id
from tests.indexing import index_home

PLAIN = CollectionSettings(version=1, columns={"votes": Column(type="number")})
TUNED: dict[str, Any] = {
    "formula": "5 * saturation(votes, 4)",
    "words": {"web": 3.0},
    "results": {"silk": Curated(pinned=["http://a.test/d"], hidden=["http://a.test/a"])},
}
PAGES = {"a": ("silk silk", 0), "b": ("silk web", 4), "c": ("silk", 12), "d": ("steel web", 1)}


@pytest.fixture
def home(any_home):
    any_home.settings.put(PLAIN)
    for name, (text, votes) in PAGES.items():
        url = f"http://a.test/{name}"
        document = Document(url=url, text=text, values={"votes": votes})
        any_home.documents.put(url_id(url), [document], 1.0)
        any_home.commit()
        index_home(any_home)  # a segment each
    any_home.settings.put(msgspec.structs.replace(PLAIN, version=2, **TUNED))
    any_home.commit()
    return any_home


def found(home, query):
    rows = []
    for hit in homes.searcher(home).search(query, explain=True).hits:
        why: Any = hit.explain
        boosts = [part.score for part in why.boosts]
        total = sum(part.score for part in why.terms) + sum(boosts) + why.rank_score
        assert total == pytest.approx(hit.score, abs=1e-5)
        rows.append((hit.url[-1], hit.pinned, boosts))
    return rows


def test_settings_of_the_ranking_work_at_once_before_and_after_a_merge(home):
    assert made_otherwise(home) == 0
    for _ in range(2):
        assert found(home, "silk") == [
            ("d", True, [1.0]),
            ("c", False, [3.75]),
            ("b", False, [2.5]),
        ]
        assert [(name, boosts) for name, _, boosts in found(home, "silk web")] == [
            ("b", [2.5, 3.0]),
            ("d", [1.0, 3.0]),
            ("c", [3.75]),
            ("a", [0.0]),
        ]
        assert homes.searcher(home).search("silk", exact_total=True).total == 3
        compact(homes.index_writer(home))
