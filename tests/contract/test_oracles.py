"""Does a stack find, count, sort and forgive as brute force does, before and after compaction?

The same oracles as for the store on one machine (tests/unit/search), whose words and bigrams have
contract tests of their own; few examples in an ordinary run, for each is a stack of its own.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.search import facets
from gossamer.search.scores import top
from tests.aws_backend import MotoBackend
from tests.effort import often
from tests.unit.core.index.segments.making import use_small_parts
from tests.unit.search.spelling.test_similar_words import WORDS, check_similar
from tests.unit.search.test_declared import SORTS, built, histories, queries
from tests.unit.search.test_filters import (
    check_facets,
    check_found,
    check_order,
    readable,
    some_conditions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        patch.setattr(top, "WORTHWHILE", 0)
        patch.setattr(top, "WORTHWHILE_TOGETHER", 0)
        patch.setattr(facets, "MOST_VALUES", 2)
        yield


@contextmanager
def stack() -> Iterator[Any]:
    """An empty stack."""
    backend = MotoBackend({"fetch": 30.0})
    try:
        yield backend.open()
    finally:
        backend.close()


@often(60)
@given(histories, queries, some_conditions, st.sampled_from(SORTS), st.booleans())
def test_a_stack_filters_counts_and_sorts_as_brute_force_does(
    history, query, conditions, name, descending
):
    if not readable(query, conditions):
        return
    with stack() as home:
        engine = built(history, merged=False, home=home)
        for _ in range(2):
            check_found(engine, query, conditions)
            check_facets(engine, query, conditions)
            check_order(engine, query, conditions, name, descending=descending)
            engine.merge()
        engine.close()


@often(60)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=2, max_size=8), WORDS)
def test_a_stack_finds_similar_words_as_a_look_at_every_word_does(texts, typed):
    with stack() as home:
        check_similar(texts, typed, home.index)
