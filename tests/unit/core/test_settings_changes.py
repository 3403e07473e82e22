"""Does a comparison of settings name every change, and which of them need a new index?"""

from __future__ import annotations

import msgspec
import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.settings_changes import changes_between, needs_indexing
from gossamer.core.settings_file import changed

BEFORE = changed(CollectionSettings(), ["columns.brand.type=keyword", "words.a=1"])


@pytest.mark.parametrize(
    ("change", "needs_reindex"),
    [
        ("bm25.rank=1", False),
        ("profile=tfidf", False),
        ("formula=rank", False),
        ("words.a=2", False),
        ("words.b=2", False),
        ("synonym_weight=0.1", False),
        ("stop_list=['a']", False),
        ("typos.on=false", False),
        ("query_log.on=true", False),
        ("columns.brand.facet=true", False),
        ("results.jobs.pinned=['https://a.test/']", False),
        ("typos.q=2", True),
        ("weights.k1=1.2", True),
        ("weights.title.weight=4", True),
        ("analyzer.stem=false", True),
        ("analyzer.smallest_word=2", True),
        ("structured.columns=false", True),
        ("columns.price.type=money", True),
        ("fields.summary.weight=2", True),
    ],
)
def test_a_change_says_whether_it_needs_a_new_index(change, needs_reindex):
    after = changed(BEFORE, [change])

    (found,) = changes_between(BEFORE, after)

    assert change.startswith(found.name)
    assert found.needs_reindex == needs_reindex == needs_indexing(BEFORE, after)


def test_several_changes_are_told_apart_and_nothing_else_is_named():
    after = changed(BEFORE, ["bm25.rank=1", "weights.k1=1", "words.b=2"])
    after = msgspec.structs.replace(after, version=9, words={"b": 2.0})

    found = changes_between(BEFORE, after)

    assert {each.name: (each.before, each.after, each.needs_reindex) for each in found} == {
        "bm25.rank": (0.4, 1.0, False),
        "weights.k1": (2.0, 1.0, True),
        "words.a": (1.0, None, False),
        "words.b": (None, 2.0, False),
    }
    assert changes_between(after, after) == []
