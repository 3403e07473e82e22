"""Which rules fit the words of a query?"""

from __future__ import annotations

import pytest

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.planner import word_reader
from gossamer.core.search.synonyms.lookup import MOST, MOST_EACH, Fit, Synonyms


def synonyms(*lines: str, weight: float = 0.7) -> Synonyms:
    return Synonyms(lines, weight, word_reader(Analyzer()))


def fits(query: str, *lines: str) -> list[tuple[str, tuple[str, ...]]]:
    words = query.split()
    found = synonyms(*lines).fits(words)
    return [(" ".join(words[fit.first : fit.end]), fit.synonyms) for fit in found]


def test_words_fit_in_any_form_and_case():
    assert fits("red Cars", "car, auto") == [("Cars", ("auto",))]


def test_the_longest_left_side_wins_and_its_words_are_not_looked_up_again():
    lines = "hot dog => frankfurter", "dog => hound", "hot => warm"

    assert fits("hot dog dog", *lines) == [("hot dog", ("frankfurter",)), ("dog", ("hound",))]
    assert fits("dog hot", *lines) == [("dog", ("hound",)), ("hot", ("warm",))]


def test_all_rules_of_one_left_side_count_and_circles_end():
    assert fits("a1", "a1 => b1", "b1 => a1", "a1, b1, c1") == [("a1", ("b1", "c1"))]


def test_common_words_in_a_phrase_must_be_the_same():
    lines = ("state of the art => modern",)

    assert fits("state of the art", *lines) == [("state of the art", ("modern",))]
    assert fits("state in the art", *lines) == []


def test_common_words_alone_have_no_synonyms():
    assert fits("in cars", "in => inch", "car => auto") == [("cars", ("auto",))]


@pytest.mark.parametrize("query", ["well-known", "well known"])
def test_compounds_fit_with_their_parts(query: str):
    assert fits(query, "well known => famous") == [(query, ("famous",))]


def test_words_with_signs_fit_as_they_are_written():
    assert fits("C++ book", "c++, cpp") == [("C++", ("cpp",))]
    assert fits("c book", "c++, cpp") == []


def test_too_many_synonyms_are_cut_and_counted():
    names = [f"n{number}" for number in range(90)]
    first, second, *rest = synonyms("car, " + ", ".join(names)).fits(["car", "car", "car"])

    assert first == Fit(0, 1, tuple(names[:MOST_EACH]), 90 - MOST_EACH)
    assert len(first.synonyms) + len(second.synonyms) == MOST
    assert rest == []


def test_a_weight_of_nothing_leaves_no_rules():
    assert len(synonyms("a, b", weight=0.0)) == 0
    assert len(synonyms("a, b")) == 1
