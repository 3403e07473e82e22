"""The words of a segment: no similar word is lost by looking at grams."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import decompress, joined, pack
from gossamer.core.index.segments.vocabulary import (
    LONGEST,
    Counted,
    Vocabulary,
    is_listed,
    listed,
    most_frequent,
    pack_vocabulary,
)

WORDS = st.text("abcé蜘", min_size=3, max_size=12)


def vocabulary(words, q=3):
    ordered = sorted(set(words))
    return Vocabulary(pack_vocabulary(Counted(ordered, [len(w) for w in ordered]), q), "it")


@given(st.sets(WORDS, min_size=1, max_size=30), WORDS, st.integers(2, 4), st.integers(1, 3))
def test_every_word_within_a_distance_is_among_those_with_enough_grams(words, typed, q, edits):
    known = vocabulary(words, q)

    found = {known.words[at] for at in known.like(typed, edits).tolist()}

    assert found >= {word for word in words if OSA.distance(typed, word) <= edits}


def test_grams_leave_few_words_to_compare():
    words = [a + b + c + "ing" for a in "bcdfgl" for b in "aeiou" for c in ("st", "nd", "rr")]
    known = vocabulary([*words, "spider"])

    assert [known.words[at] for at in known.like("spdier", 1).tolist()] == ["spider"]


def test_words_keep_their_counts_whatever_their_order():
    known = vocabulary(["spider", "web", "silk", "loom"])

    assert known.words == ["web", "loom", "silk", "spider"]
    assert known.frequencies == {"web": 3, "loom": 4, "silk": 4, "spider": 6}


@pytest.mark.parametrize("word", ["spider", "don't", "müller", "हिन्दी", "слово", "蜘蛛網"])
def test_words_of_letters_are_listed(word):
    assert is_listed(word)


@pytest.mark.parametrize("word", ["ab", "x" * (LONGEST + 1), "3.11", "utf8", ":f silk", "a b"])
def test_numbers_fields_and_what_is_too_short_or_long_are_not_listed(word):
    assert not is_listed(word)


def test_only_words_as_written_are_listed():
    found = listed(["=silk", "=spider", "=12"], [3, 1, 9], "=")

    assert found == Counted(["silk", "spider"], [3, 1])


def test_of_too_many_words_the_most_frequent_stay_in_order():
    known = Counted(["aaa", "bbb", "ccc", "ddd"], [1, 5, 1, 7])

    assert most_frequent(known, 3) == Counted(["aaa", "bbb", "ddd"], [1, 5, 7])
    assert most_frequent(known, 4) is known


def test_a_vocabulary_whose_parts_do_not_fit_is_refused():
    with pytest.raises(CorruptRecord, match="it is damaged"):
        Vocabulary(joined([pack_vocabulary(Counted(["silk"], [1]), 3)[:9]]), "it")


def test_a_vocabulary_that_was_written_with_its_lists_says_the_same():
    words = Counted(["silk", "spider"], [3, 1])
    alone = bytes(decompress(pack_vocabulary(words, 3), "it"))
    sizes = np.zeros(1 << 16, np.int64)
    sizes[7] = 14  # one for each letter, and two more for each word
    with_lists = joined([alone, pack(sizes), pack(np.zeros(14, np.int64))])

    known = Vocabulary(with_lists, "it")

    assert known.frequencies == {"silk": 3, "spider": 1}
    assert [known.words[at] for at in known.like("spdier", 1).tolist()] == ["spider"]


def test_words_that_do_not_lie_by_length_are_refused():
    names = b"spider\nsilk"
    head = pack(np.array([3, 2, len(names)]))

    with pytest.raises(CorruptRecord, match="do not fit together"):
        Vocabulary(joined([head, names, pack(np.array([1, 3]))]), "it")


def test_nothing_is_packed_of_no_words():
    assert pack_vocabulary(Counted([], []), 3) == b""


@given(st.lists(WORDS, min_size=1, unique=True), st.text("abcd", min_size=3, max_size=4))
def test_all_words_with_some_letters_in_a_row_are_found_and_no_others(words, piece):
    known = vocabulary(sorted(words))

    assert [known.words[at] for at in known.containing(piece).tolist()] == [
        word for word in known.words if piece in word
    ]


@given(st.lists(WORDS, min_size=1, unique=True), WORDS)
def test_it_knows_which_words_it_has(words, other):
    known = vocabulary(sorted(words))

    assert all(map(known.has, words))
    assert known.has(other) == (other in words)


def test_pieces_shorter_than_a_gram_are_in_no_word_that_is_found():
    assert vocabulary(["abcd"], q=4).containing("abc").tolist() == []
