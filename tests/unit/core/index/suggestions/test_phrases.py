"""Which words of a batch are found to belong together?"""

from __future__ import annotations

import numpy as np

from gossamer.core.index.suggestions import phrases
from gossamer.core.index.suggestions.phrases import frequent_phrases

STOP = {"the", "and"}


def found(texts: list[str]) -> dict[str, list[int]]:
    words = [text.replace(".", " ").split() for text in texts]
    known = sorted({word for each in words for word in each})
    numbers = np.array([known.index(word) for each in words for word in each], np.int32)
    starts = np.cumsum([0, *map(len, words)])
    pairs = frequent_phrases(numbers, starts, known, STOP.__contains__, texts)
    return {each.text: each.documents for each in pairs}


def test_words_that_stand_together_in_several_documents_are_a_phrase():
    texts = [f"spider silk is strong w{n} and spider silk w{n} shines" for n in range(3)]

    assert found(texts)["spider silk"] == [0, 1, 2]


def test_words_that_meet_by_chance_are_none():
    texts = ["thread silk thread silk " + "silk moth and thread loom and " * 40] * 3

    assert set(found(texts)) == {"silk moth", "thread loom"}


def test_stop_words_numbers_and_what_has_no_space_between_are_none():
    texts = ["the web and 2024 year and example.org and "] * 4

    assert found(texts) == {}


def test_one_document_alone_makes_no_phrase():
    assert found(["orb web " * 50, "else", "other"]) == {}


def test_a_sample_of_many_documents_is_enough(monkeypatch):
    monkeypatch.setattr(phrases, "SAMPLE", 80)

    documents = found([f"orb web w{number} x" for number in range(100)])["orb web"]

    assert 10 <= len(documents) <= 20


def test_of_no_words_there_are_no_phrases():
    assert found([]) == {}
    assert found(["", ""]) == {}
