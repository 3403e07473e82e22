"""Which words a misspelt one may be, and which of them is likeliest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from gossamer.core.collection import TypoSettings
from gossamer.core.index.segments.vocabulary import Counted, Vocabulary, pack_vocabulary
from gossamer.core.search.spelling import (
    allowed_edits,
    asked_edits,
    cost,
    similar,
    suggestions,
)

RULES = TypoSettings()
WORDS = st.text("abcs", min_size=3, max_size=10)


def vocabulary(counts):
    ordered = sorted(counts)
    return Vocabulary(pack_vocabulary(Counted(ordered, [counts[w] for w in ordered]), 3), "it")


def best(typed, **counts):
    return suggestions([vocabulary(counts)], typed)[0].word


@pytest.mark.parametrize(
    ("word", "edits"),
    [("loom", 0), ("loomx", 1), ("spinners", 1), ("spinneret", 2), ("x86architecture", 0)],
)
def test_longer_words_may_have_more_mistakes_and_numbers_none(word, edits):
    assert allowed_edits(word, RULES) == edits


def test_lengths_are_settings():
    assert allowed_edits("web", TypoSettings(one_edit=3, two_edits=3)) == 2


@pytest.mark.parametrize(
    ("word", "wanted", "edits"),
    [("web", None, 1), ("spinneret", None, 2), ("web", 2, 2), ("w3c", 2, 0)],
)
def test_a_tilde_asks_for_at_least_one_mistake(word, wanted, edits):
    assert asked_edits(word, wanted, RULES) == edits


@given(st.dictionaries(WORDS, st.integers(1, 9), min_size=1), WORDS, st.integers(0, 2))
def test_similar_words_are_those_that_a_look_at_every_word_finds(counts, typed, edits):
    expected = {
        word
        for word in counts
        if (distance := OSA.distance(typed, word)) + (distance and word[0] != typed[0]) <= edits
    }

    assert {near.word for near in similar([vocabulary(counts)], typed, edits)} == expected


def test_another_first_letter_counts_twice():
    assert similar([vocabulary({"spider": 1})], "xpider", 1) == []
    assert similar([vocabulary({"spider": 1})], "xpider", 2)[0].edits == 2


def test_swapped_letters_are_one_mistake():
    assert similar([vocabulary({"spider": 1})], "spdier", 1)[0].distance == 1


def test_documents_of_all_segments_count_together():
    [found] = similar([vocabulary({"spider": 3}), vocabulary({"spider": 4})], "spidre", 1)

    assert found.documents == 7


def test_the_nearer_word_is_likelier():
    assert best("spinnner", spinner=1, spinster=5) == "spinner"


def test_of_equally_near_words_the_more_frequent_is_likelier():
    assert best("sipder", cipher=1, sipper=1, sifter=900, sipped=1) == "sipper"
    assert best("webx", webs=1, webb=900) == "webb"


def test_a_word_with_the_same_first_letter_is_likelier():
    assert best("mear", wear=3, meir=3) == "meir"


def test_doubled_and_swapped_letters_and_other_vowels_are_small_mistakes():
    assert cost("comitee", "committee") < cost("comxtyee", "committee")
    assert cost("recieve", "receive") < cost("rexeive", "receive")
    assert cost("seperate", "separate") < cost("sepxrate", "separate")
    assert cost("same", "same") == 0


def test_the_word_itself_is_no_suggestion():
    assert suggestions([vocabulary({"spider": 9})], "spider") == []


def test_a_suggestion_may_be_three_mistakes_away_if_little_is_nearer():
    assert best("acomodasion", accommodation=5) == "accommodation"


@pytest.mark.parametrize("typed", ["12345", "x" * 1000])
def test_numbers_and_very_long_words_are_not_looked_for(typed):
    assert suggestions([vocabulary({"spider": 9, "xxxxx": 1})], typed) == []
