"""Many texts at once are hashed as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.near_duplicates import hashing_many
from gossamer.core.near_duplicates.hashing import hashes, keys, simhash

LONG = st.lists(st.integers(0, 400).map(str), max_size=120)
REPEATED = st.lists(st.sampled_from("abc"), max_size=60)


@pytest.mark.parametrize("at_once", [1, 50, 1 << 16])
@given(texts=st.lists(st.one_of(LONG, REPEATED), max_size=12))
def test_each_text_has_the_value_and_the_keys_that_it_has_alone(at_once, texts):
    words = np.concatenate([np.empty(0, np.uint64), *map(hashes, texts)])
    starts = np.cumsum([0, *map(len, texts)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing_many, "AT_ONCE", at_once)
        found = list(hashing_many.hashed(words, starts))

    assert found == [(simhash(text), keys(text)) for text in texts]
