"""Filters of known words: every word of the list passes, and few others do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.search.spelling.known_words import build_filter, is_in_filter, is_known_word

WORDS = st.sets(st.text(min_size=1, max_size=12), min_size=1, max_size=200)


@given(WORDS)
def test_every_word_of_a_list_passes(words):
    bits = build_filter(sorted(words))

    assert all(is_in_filter(word, bits) for word in words)


def test_one_in_a_hundred_other_words_passes():
    bits = build_filter([f"word{n}" for n in range(2_000)])

    passed = sum(is_in_filter(f"other{n}", bits) for n in range(10_000))

    assert 50 < passed < 150


def test_english_is_built_in():
    words = ("colour", "color", "install", "erroneous", "dont", "vacuum")

    assert all(is_known_word(word, ["en"]) for word in words)
    assert not any(is_known_word(word, ["en"]) for word in ("recieve", "spdier", "functoin"))


def test_a_language_without_a_filter_knows_no_word():
    assert not is_known_word("spider", ["xx", ""])
    assert is_known_word("spider", ["xx", "en"])
