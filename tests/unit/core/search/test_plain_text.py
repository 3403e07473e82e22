"""Is text searched as it is, whatever signs are in it, and what makes a query boolean?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import MAX_TEXT
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import All, And, Field, Not, Or, Phrase, Prefix, Similar, Word

SIGNS = st.text(st.sampled_from('ab ()"&|!-*:~.<>=/\\+'), max_size=30)
WORDS = st.lists(
    st.sampled_from(["silk", "well-known", "C++", "node.js", "of", "1998"]), min_size=2
)


def or_of(*words):
    return Word(words[0]) if len(words) == 1 else Or(tuple(map(Word, words)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print()", ["print"]),
        ("str.format()", ["str.format"]),
        ("(silk", ["silk"]),
        ("silk)", ["silk"]),
        ("silk (strong) - web", ["silk", "strong", "web"]),
        ('say "silk', ["say", "silk"]),
        ('a 27" screen and a 24" one', ["a", "27", "screen", "and", "a", "24", "one"]),
        ("C++ (", ["C++"]),
        (".NET (", [".NET"]),
        ("rm -rf", ["rm", "-rf"]),
        ("gcc -O2", ["gcc", "-O2"]),
        ("tar -xzf x.tar", ["tar", "-xzf", "x.tar"]),
        ("git log --oneline", ["git", "log", "--oneline"]),
        ("x != y", ["x", "y"]),
        ("wow !!! silk", ["wow", "silk"]),
        ("Silk! Web!", ["Silk!", "Web!"]),
        ("SELECT * FROM webs", ["SELECT", "FROM", "webs"]),
        ("title: the orb web", ["title:", "the", "orb", "web"]),
        ("f(x) -(web)", ["f", "x", "web"]),
        ("cat and dog or not", ["cat", "and", "dog", "or", "not"]),
        ("a+b silk+web", ["a+b", "silk+web"]),
        ("**silk** web", ["**silk**", "web"]),
    ],
)
def test_signs_of_text_leave_a_query_ranked(text, words):
    query = read_query(text)

    assert (query.node, query.mode, query.notes) == (or_of(*words), "ranked", ())


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("cat AND dog", And((Word("cat"), Word("dog")))),
        ("cat OR dog", Or((Word("cat"), Word("dog")))),
        ("cat NOT dog", And((Word("cat"), Not(Word("dog"))))),
        ("cat | dog", Or((Word("cat"), Word("dog")))),
        ("cat & dog", And((Word("cat"), Word("dog")))),
        ("cat !dog", And((Word("cat"), Not(Word("dog"))))),
        ("!important", Not(Word("important"))),
        ("silk -moth", And((Word("silk"), Not(Word("moth"))))),
        ("-moth", Not(Word("moth"))),
        ("silk +moth", And((Word("silk"), Word("moth")))),
        ("+silk moth", And((Word("silk"), Word("moth")))),
        ('silk -"orb web"', And((Word("silk"), Not(Phrase("orb web"))))),
        ("silk title:web", And((Word("silk"), Field("title", Word("web"))))),
        ("silk -lang:en", And((Word("silk"), Not(Field("lang", Word("en")))))),
        ('"orb web"', Phrase("orb web")),
        ("*", All()),
        ("ls | wc -l", Or((Word("ls"), And((Word("wc"), Word("-l")))))),
        ("spin* & web", And((Prefix("spin"), Word("web")))),
        ("web & -(cat | dog)", And((Word("web"), Not(Or((Word("cat"), Word("dog"))))))),
        ("cat & site:a.test", And((Word("cat"), Field("site", Word("a.test"))))),
    ],
)
def test_an_operator_makes_a_query_boolean(text, node):
    query = read_query(text)

    assert (query.node, query.mode, query.notes) == (node, "boolean", ())


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ('strong "orb web"', Or((Word("strong"), Phrase("orb web")))),
        ('("orb web")', Or((Phrase("orb web"),))),
        ("spin*", Prefix("spin")),
        ("spin* web", Or((Prefix("spin"), Word("web")))),
        ("spdier~ web", Or((Similar("spdier"), Word("web")))),
    ],
)
def test_phrases_and_open_words_leave_a_query_ranked(text, node):
    assert (read_query(text).node, read_query(text).mode) == (node, "ranked")


@pytest.mark.parametrize(
    ("text", "words"),
    [("silk AND", ["silk", "AND"]), ("(silk | web", ["silk", "web"]), ("date:foo", ["date:foo"])],
)
def test_operators_that_make_no_sense_are_searched_as_words(text, words):
    query = read_query(text)

    assert (query.node, query.mode) == (or_of(*words), "ranked")
    assert query.notes[0].endswith(": all of it was searched as plain words")


@pytest.mark.parametrize(
    "text", ["silk web", "a b", "silk (", '"orb web" silk', "rm -rf", "x" * 1001]
)
def test_the_strict_language_is_the_exact_one(text):
    try:
        strict = read_query(text, is_strict=True)
    except QueryError:
        assert read_query(text).mode == "ranked"
        return
    expected = {"silk web": "ranked", "a b": "ranked"}.get(text, "boolean")
    assert strict.mode == expected


@pytest.mark.parametrize("text", ["AT&T", "R&D", "node.js", "utf-8", "f-string", "3.11", "a_b"])
def test_a_sign_between_letters_is_text(text):
    assert read_query(text).node == Word(text)
    assert read_query(text).notes == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [("js*n", "a star stands for"), ("jsn~", ""), ("jsn~7", '"jsn~7" was searched'), ("js*", "")],
)
def test_signs_that_do_nothing_are_named(text, note):
    assert [said[: len(note)] for said in read_query(text).notes] == ([note] if note else [])


@pytest.mark.parametrize("text", ["price:100", "silk price:100", "silk & price:100", "price:cheap"])
def test_a_field_that_is_not_there_is_text_and_that_is_said(text):
    value = text.rpartition(" ")[2]
    assert read_query(text).notes == (f'there is no field "price": "{value}" was searched as text',)
    assert value == "price:cheap" or read_query(text, {"price": "float"}).notes == ()


@pytest.mark.parametrize("text", ['"price:100"', "10:30", "a.test:80", "http://a.test:80/", "a::1"])
def test_numbers_that_are_in_no_field_need_no_note(text):
    assert read_query(text).notes == ()


@pytest.mark.parametrize("text", ["", "()", '""', "&", "x" * (MAX_TEXT + 1), "a\0b"])
def test_what_has_no_words_or_is_too_long_is_an_error(text):
    with pytest.raises(QueryError):
        read_query(text)


def test_a_long_question_is_text():
    words = [f"word{n}" for n in range(500)]

    assert read_query(" ".join(words)).node == Or(tuple(map(Word, words)))
    assert read_query(" & ".join(words)).mode == "ranked"


@given(SIGNS)
def test_whatever_has_a_word_is_answered(text):
    has_word = any(sign in text for sign in "ab")
    try:
        read_query(text)
    except QueryError:
        assert not has_word


@given(WORDS, st.data())
def test_brackets_and_a_dash_between_words_change_nothing(words, data):
    typed = list(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    typed[first] = "(" + typed[first]
    typed[last] += ")"
    typed.insert(data.draw(st.integers(0, len(words))), "-")

    query = read_query(" ".join(typed))

    assert (query.node, query.mode) == (or_of(*words), "ranked")


@given(WORDS, st.data())
def test_quotes_around_two_of_several_words_leave_a_query_ranked(words, data):
    words = [*words, "web"]
    first = data.draw(st.integers(0, len(words) - 2))
    quoted = f'"{words[first]} {words[first + 1]}"'

    query = read_query(" ".join([*words[:first], quoted, *words[first + 2 :]]))

    assert query.mode == "ranked"
    assert isinstance(query.node, Or)
    assert Phrase(quoted.strip('"')) in query.node.parts
