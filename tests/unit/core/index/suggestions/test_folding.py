"""Are texts compared as people type them?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.suggestions.folding import fold, fold_all
from gossamer.core.index.suggestions.gathering import shortened


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Spider   Silk ", "spider silk"),
        ("Über Straße", "uber strasse"),
        ("“Silk” – a fibre", "silk a fibre"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\uff21\uff22\uff23", "abc"),
        ("C++", "c++"),
        ("I\u015f\u0131k, I\u015eIK", "isik, isik"),
        ("Łódź Køben Œuvre Ærø", "lodz koben oeuvre aero"),
        ("", ""),
    ],
)
def test_capitals_accents_and_typography_do_not_count(text, folded):
    assert fold(text) == folded


@given(st.lists(st.text(), max_size=5))
def test_many_are_folded_as_each_alone(texts):
    texts = [shortened(text) for text in texts]

    assert fold_all(texts) == [fold(text) for text in texts]


@given(st.text())
def test_what_is_folded_stays_as_it_is(text):
    assert fold(fold(text)) == fold(text)
