from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.postings import read
from gossamer.core.near_duplicates.hashing import (
    BITS,
    KEYS,
    MAX_DISTANCE,
    MIN_SHINGLES,
    SIMILAR,
    WIDTH,
    are_similar,
    bands,
    distance,
    hashes,
    keys,
    resemblance,
    shingles,
    simhash,
)
from gossamer.core.page.document import Document
from scripts.bench.questions.duplicates import by_keys, know, quality
from scripts.bench.worlds import edited_copies

values = st.integers(0, (1 << BITS) - 1)
words = st.lists(st.sampled_from("abcdefgh"), max_size=60)
LONG = [f"word{number}" for number in range(200)]
GOLDEN_VALUE = 0xEDA724BB20A7B13E
GOLDEN_KEYS = ["b582890f70edbadc", "1598a857476c728e", "08c096b5089aee22", "c723114d1b99b3bc"]


def judged(text) -> int:
    value = simhash(text)
    assert value is not None
    return value


def slow_shingles(words):
    return {tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1)}


def slow_simhash(words):
    """The definition, bit by bit."""
    found = [int(value) for value in shingles(words)]
    votes = [sum(1 if value >> bit & 1 else -1 for value in found) for bit in range(BITS)]
    return sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)


@given(words)
def test_shingles_are_the_different_runs_of_three_words(words):
    found = shingles(words)

    assert len(found) == len(slow_shingles(words))
    assert np.all(found[1:] > found[:-1])


@given(words)
def test_a_value_is_what_most_shingles_say_bit_by_bit(words):
    value = simhash(words)

    if value is None:
        assert len(slow_shingles(words)) < MIN_SHINGLES
    else:
        assert value == slow_simhash(words)


@given(words)
def test_equal_texts_have_equal_values_and_keys(words):
    text = " ".join(words)

    assert simhash(text) == simhash(words) == simhash(list(words)) == simhash(shingles(words))
    assert keys(text) == keys(words) == keys(shingles(words))


@given(words, words)
def test_texts_of_equal_shingles_have_equal_values(one, other):
    # The order of words, and how often they come, matter through shingles alone.
    joined = [*one, *other, *one, *other]
    longer = [*joined, *one, *other]

    if slow_shingles(joined) == slow_shingles(longer):
        assert simhash(joined) == simhash(longer)
        assert keys(joined) == keys(longer)


@given(st.text(st.sampled_from("aAbBéÉ'’ -\u201c\u3042.\n"), max_size=200))
def test_a_text_whose_words_were_read_already_has_the_same_shingles(text):
    others = [Document(url="http://a.test/", title="b a", text="a b"), Document(url="", text=text)]
    words = read(others, Analyzer("fr"))
    bodies, starts = words.bodies()
    numbered = hashes(words.written)[bodies[starts[1] :]]

    assert np.array_equal(shingles(numbered), shingles(text))
    assert np.array_equal(shingles(text.upper()), shingles(text))


def test_the_order_of_words_matters():
    assert resemblance(shingles(LONG), shingles(LONG[::-1])) == 0.0
    assert distance(judged(LONG), judged(LONG[::-1])) > MAX_DISTANCE


def test_capitals_and_signs_do_not_matter():
    text = "One, two; three? " + " ".join(LONG)

    assert simhash(text) == simhash(text.upper().replace(" ", " – "))


def test_a_script_without_spaces_is_read_by_its_characters():
    assert simhash("我们今天去公园散步看见很多漂亮的花和树木还有一些可爱的小动物在玩耍") is not None


@pytest.mark.parametrize("text", ["", "a", "a b", "a b c", "same " * 1000])
def test_a_text_of_few_shingles_is_not_judged(text):
    assert simhash(text) is None
    assert keys(text) == ()


def test_a_text_too_short_to_judge_is_similar_to_its_equal_alone():
    one, other = shingles("not found at all"), shingles("not found at home")

    assert are_similar(one, one)
    assert not are_similar(one, other, least=0.0)


def test_lone_surrogates_are_words_as_any():
    assert simhash([f"\ud800{number}" for number in range(50)]) is not None


@given(values, values)
def test_distance_is_a_metric(a, b):
    assert distance(a, b) == distance(b, a) == f"{a ^ b:b}".count("1")
    assert distance(a, a) == 0


@given(values, st.integers(0, BITS - 1), st.data())
def test_values_of_at_most_that_distance_share_a_band(value, most, data):
    flipped = data.draw(st.sets(st.integers(0, BITS - 1), max_size=most))
    other = value ^ sum(1 << bit for bit in flipped)

    assert distance(value, other) <= most
    assert set(bands(value, most)) & set(bands(other, most))


@given(values, values, st.integers(0, BITS - 1))
def test_bands_tell_the_whole_value(a, b, most):
    assert len(set(bands(a, most))) == most + 1
    assert (bands(a, most) == bands(b, most)) == (a == b)


@given(words, words)
def test_resemblance_is_the_jaccard_coefficient(one, other):
    a, b = slow_shingles(one), slow_shingles(other)
    found = resemblance(shingles(one), shingles(other))

    assert found == resemblance(shingles(other), shingles(one))
    assert found == pytest.approx(len(a & b) / len(a | b) if a | b else 1.0)


@given(words, words, st.floats(0, 1))
def test_similar_means_a_resemblance_of_at_least_so_much(one, other, least):
    a, b = shingles(one), shingles(other)

    assert are_similar(a, b, least) == are_similar(b, a, least)
    if min(len(a), len(b)) >= MIN_SHINGLES:
        assert are_similar(a, b, least) == (resemblance(a, b) >= least)


def test_values_do_not_change_with_time():
    # They are stored: other values for the same text would part old pages from new ones.
    assert simhash(LONG) == GOLDEN_VALUE
    assert [key.hex() for key in keys(LONG)] == GOLDEN_KEYS


def test_a_key_is_eight_bytes_and_there_are_four():
    assert [len(key) for key in keys(LONG)] == [8] * KEYS


@pytest.fixture(scope="module")
def known():
    return know(list(edited_copies.texts(originals=150)))


def test_similar_texts_of_a_generated_set_are_found_and_no_others(known):
    for most in (BITS, MAX_DISTANCE):
        recall, precision = quality(by_keys(known, most), known)

        assert recall >= 0.95
        assert precision >= 0.98


def test_no_unrelated_texts_share_a_key(known):
    of_family: dict[bytes, set[tuple[str, int]]] = {}
    for text, found in zip(known.texts, known.shingles, strict=True):
        kin = ("family", text.family) if text.template is None else ("template", text.template)
        for key in keys(found):
            of_family.setdefault(key, set()).add(kin)

    assert max(map(len, of_family.values())) == 1


def test_the_generated_set_has_similar_texts_and_others_of_every_kind(known):
    edits = {text.edit for text in known.texts}
    similar = [pair for pair, found in known.related.items() if found >= SIMILAR]

    assert edits == {"", *edited_copies.EDITS}
    assert len(similar) > 200
    assert any(
        known.texts[a].family != known.texts[b].family and 0.1 < found < 0.8
        for (a, b), found in known.related.items()
    )


def test_a_long_page_takes_milliseconds():
    text = " ".join(f"word{number * number % 1009}" for number in range(2000))
    best = min(_seconds(text) for _ in range(5))

    assert best < 0.010  # it is 0.8 ms on a machine that does nothing else


def _seconds(text):
    began = time.process_time()
    found = shingles(text)
    simhash(found)
    keys(found)
    return time.process_time() - began
