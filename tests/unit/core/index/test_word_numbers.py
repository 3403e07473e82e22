from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index import word_numbers
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.word_numbers import number_plain

PLAIN = Analyzer()
# Words up to and beyond eight and sixteen letters, which are compared otherwise; apostrophes.
WORDS = ["a", "ab", "abcdefgh", "abcdefghi", "x" * 16, "x" * 17, "x" * 16 + "y", "'", "''", "o'b'"]
TEXTS = st.lists(st.sampled_from([*WORDS, " ", "\n", "-", "\x03", "\x00"]), max_size=20)


def split(texts: list[str]) -> list[list[str]]:
    found = number_plain(texts)
    words = iter([found.words[number] for number in found.numbers.tolist()])
    return [[next(words) for _ in range(size)] for size in found.sizes.tolist()]


@given(st.lists(TEXTS.map("".join), max_size=5))
def test_words_are_those_of_each_text(texts):
    assert split(texts) == [PLAIN.words(text) for text in texts]


@given(st.lists(TEXTS.map("".join), max_size=5))
def test_equal_words_have_equal_numbers(texts):
    found = number_plain(texts)

    assert len(found.words) == len(set(found.words)) == len(set(found.numbers.tolist()))


@pytest.mark.parametrize("bits", [1, 3])
@pytest.mark.parametrize("beginning", ["w", "sameword", "averyverylongword"])
def test_words_that_meet_in_a_slot_stay_apart(monkeypatch, bits, beginning):
    monkeypatch.setattr(word_numbers, "SLOT_BITS", bits)
    words = [f"{beginning}{n % 97}" for n in range(500)]
    texts = [" ".join(words), f"{words[1]} {words[96]} another"]

    assert split(texts) == [text.split() for text in texts]
    assert len(number_plain(texts).words) == 98
