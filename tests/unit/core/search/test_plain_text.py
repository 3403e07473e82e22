"""Is ordinary text searched as it is, whatever signs are in it, and is it said?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import And, Field, Or, Word

SIGNS = st.text(st.sampled_from('ab ()"&|!-*:~.<>=/\\'), max_size=30)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print()", ["print"]),
        ("str.format()", ["str.format"]),
        ("(silk", ["silk"]),
        ("silk)", ["silk"]),
        ('say "silk', ["say", "silk"]),
        ("colour:red", ["colour:red"]),
        ("silk AND", ["silk", "AND"]),
        ("C++ (", ["C++"]),
        (".NET (", [".NET"]),
    ],
)
def test_what_cannot_be_read_is_searched_as_words(text, words):
    found = read_query(text)

    assert found.node == (Word(words[0]) if len(words) == 1 else Or(tuple(map(Word, words))))
    assert found.mode == "ranked"
    assert found.notes[0].endswith(": all of it was searched as plain words")


@pytest.mark.parametrize("text", ["AT&T", "R&D", "node.js", "utf-8", "f-string", "3.11", "a_b"])
def test_a_sign_between_letters_is_text(text):
    assert read_query(text).node == Word(text)
    assert read_query(text).notes == ()


def test_what_can_be_read_is():
    assert read_query("cat & site:a.test").node == And((Word("cat"), Field("site", Word("a.test"))))


@pytest.mark.parametrize(
    ("text", "note"),
    [("js*n", "a star stands for"), ("jsn~", ""), ("jsn~7", 'behind "~" stands'), ("js*", "")],
)
def test_signs_that_do_nothing_are_named(text, note):
    assert [said[: len(note)] for said in read_query(text).notes] == ([note] if note else [])


@pytest.mark.parametrize("text", ["price:100", "silk price:100", "silk & price:100"])
def test_a_number_in_a_field_that_is_not_there_is_text_and_that_is_said(text):
    assert read_query(text).notes == (
        'there is no field "price": "price:100" was searched as text',
    )
    assert read_query(text, {"price": "float"}).notes == ()


@pytest.mark.parametrize("text", ['"price:100"', "10:30", "a.test:80", "http://a.test:80/", "a::1"])
def test_numbers_that_are_in_no_field_need_no_note(text):
    assert read_query(text).notes == ()


@pytest.mark.parametrize("text", ["", "()", '""', "&", "word " * 65, "x" * 1001, "a\0b"])
def test_what_has_no_words_or_too_many_is_an_error(text):
    with pytest.raises(QueryError):
        read_query(text)


@given(SIGNS)
def test_whatever_has_a_word_is_answered(text):
    has_word = any(sign in text for sign in "ab")
    try:
        read_query(text)
    except QueryError:
        assert not has_word
