"""Filters of known words: every word of the list passes, and few others do."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.analyzer import Analyzer
from gossamer.search.spelling import known_words
from gossamer.search.spelling.known_words import (
    build_filter,
    is_in_filter,
    is_known_word,
    likely_languages,
)

WORDS = st.sets(st.text(min_size=1, max_size=12), min_size=1, max_size=200)
LANGUAGES = [
    ("nl", "huis fietsen samengesteld voorkeuren beschikbaar", "beschikbaer fietzen hius"),
    ("fr", "élève maisons périphérique cohérentes assurer", "périférique maisosn assurrer"),
    ("es", "extensión buscábamos propiedades ventana", "propeidades vnetana ventanua"),
    ("pt", "informação pesquisar automaticamente páginas", "informçaão pesqiusar pagnias"),
    ("ru", "командами зависимости страницах поиск", "зависмости стрианицах пиоск"),
]


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


@pytest.mark.parametrize(("language", "words", "misspelt"), LANGUAGES)
def test_other_languages_are_built_in(language, words, misspelt):
    fold = Analyzer(language).fold

    assert [word for word in words.split() if not is_known_word(fold(word), [language])] == []
    assert [word for word in misspelt.split() if is_known_word(fold(word), [language])] == []


def test_a_long_list_gets_fewer_bits_a_word(monkeypatch):
    monkeypatch.setattr(known_words, "MAX_FILTER_BYTES", 1_000)
    words = [f"word{n}" for n in range(1_000)]

    bits = build_filter(words)

    assert len(bits) == 1_000
    assert all(is_in_filter(word, bits) for word in words)


def test_no_filter_is_larger_than_the_bound():
    folder = files("gossamer.search.spelling") / known_words.FOLDER
    sizes = [len(file.read_bytes()) for file in folder.iterdir() if file.name.endswith(".bloom")]

    assert sizes
    assert max(sizes) <= known_words.MAX_FILTER_BYTES


def test_the_language_of_a_query_is_the_one_that_knows_most_of_its_words():
    assert likely_languages(["erroneous", "beschikbaar", "weathered"], ["en", "nl", "xx"]) == ["en"]
    assert likely_languages([], ["en", "nl", "xx"]) == ["en", "nl", "xx"]
    assert likely_languages(["erroneous"], []) == []


def test_a_language_without_a_filter_knows_no_word():
    assert not is_known_word("spider", ["xx", ""])
    assert is_known_word("spider", ["xx", "en"])
