"""Are compounds told from words that only look like them?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.segments.vocabulary import Counted, Vocabulary, pack_vocabulary
from gossamer.core.search.planning.compounds import (
    MOST,
    Found,
    looked_at,
    merged,
    related,
    single_words,
)
from gossamer.core.search.query import parse_query

GERMAN = Analyzer(language="de")


def vocabulary(words: str) -> Vocabulary:
    known = sorted(map(GERMAN.fold, words.split()))
    return Vocabulary(pack_vocabulary(Counted(known, [1] * len(known)), 3), "a test")


def found(word: str, words: str) -> list[str]:
    every = related([vocabulary(words)], GERMAN.fold(word), GERMAN.term)
    return [" + ".join(each.words) for each in every]


@pytest.mark.parametrize(
    ("word", "words", "wanted"),
    [
        ("Haus", "krankenhaus kranken", ["krankenhaus"]),
        ("Häuser", "krankenhaus kranken", ["krankenhaus"]),
        ("Haus", "krankenhäuser kranken", ["krankenhauser"]),
        ("Amt", "arbeitsamt arbeit", []),  # three letters
        ("Arbeit", "arbeitsplatz platz", ["arbeitsplatz"]),  # s
        ("Tag", "tageslicht licht", []),
        ("Jahr", "jahreszeit zeit", ["jahreszeit"]),  # es
        ("Sonne", "sonnenlicht licht", ["sonnenlicht"]),  # n
        ("Held", "heldentod helden", []),  # "tod" is too short
        ("Held", "heldentaten taten", ["heldentaten"]),  # en
        ("Bett", "krankenhausbett kranken haus", ["krankenhausbett"]),
        ("Haus", "krankenhausbett kranken bett", ["krankenhausbett"]),
        ("Rate", "karate", []),  # "ka" is no word
        ("Kunde", "sekunde urkunde", []),
        ("Auto", "autor autos", []),  # another word, and a form of it
        ("Rose", "neurosen", []),
    ],
)
def test_a_word_is_a_part_where_words_of_the_collection_stand_around_it(word, words, wanted):
    assert found(word, words) == wanted


@pytest.mark.parametrize(
    ("word", "words", "wanted"),
    [
        ("Krankenhausbett", "krankenhaus bett kranken haus", ["krankenhaus + bett"]),
        ("Krankenhausbetten", "krankenhaus bett", ["krankenhaus + betten"]),
        ("Arbeitsplatz", "arbeit platz", ["arbeit + platz"]),
        ("Krankenhaus", "kranken", []),
        ("Autobahn", "auto", []),
        ("Staubecken", "staub ecken", ["staub + ecken"]),  # "stau" alone is not in the collection
    ],
)
def test_a_compound_is_made_of_the_fewest_words_of_the_collection(word, words, wanted):
    assert found(word, words) == wanted


def test_of_many_compounds_those_in_the_most_documents_are_searched():
    words = sorted([*(f"haus{chr(97 + n) * 4}" for n in range(26))])
    parts = [word.removeprefix("haus") for word in words]
    counts = {word: 30 - n for n, word in enumerate(words)} | dict.fromkeys(parts, 1)
    known = sorted(counts)
    packed = pack_vocabulary(Counted(known, [counts[word] for word in known]), 3)

    every = related([Vocabulary(packed, "a test")], "haus", GERMAN.term)

    assert [each.words[0] for each in every] == words[:MOST]


def test_what_several_segments_know_is_one_list():
    one = vocabulary("krankenhaus"), vocabulary("kranken krankenhaus")

    assert related(one, "haus", GERMAN.term) == [Found(("krankenhaus",), 2)]


def test_of_several_groups_the_shortest_parts_count_and_documents_add_up():
    one = [Found(("kranken", "haus", "bett"), 0), Found(("abcd",), 1)]
    other = [Found(("krankenhaus", "bett"), 0), Found(("efgh",), 2), Found(("abcd",), 2)]

    assert merged([one, other]) == [
        Found(("krankenhaus", "bett"), 0),
        Found(("abcd",), 3),
        Found(("efgh",), 2),
    ]


@given(st.text("abcäß'-", max_size=30), st.lists(st.text("abcs", min_size=3, max_size=12)))
def test_parts_are_words_of_the_collection_and_make_up_the_word(word, words):
    known = vocabulary(" ".join(words) or "abc")

    for each in related([known], GERMAN.fold(word) or "abcd", GERMAN.term):
        parts = each.words if len(each.words) > 1 else ()
        assert all(len(part) >= 4 for part in parts)
        assert all(part in GERMAN.fold(word) for part in parts)
        assert each.words[0] in known.words or parts


def test_words_in_quotes_excluded_begun_and_short_ones_are_not_looked_at():
    query = parse_query('Häuser & "Garten Haus" & !Bett & Kran* & See & Milch3 & der & title:Tisch')

    assert single_words(query.node) == ["Häuser", "See", "Milch3", "der", "Tisch"]
    assert looked_at(query.node, GERMAN) == {"Häuser": "hauser", "Tisch": "tisch"}
