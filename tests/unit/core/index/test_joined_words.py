"""Is what signs join one more word, as it is written, and nothing else?"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.joined_words import (
    _joined_in,
    _pattern,
    addresses,
    is_compound,
    is_joined,
    is_own,
    joined_term,
    joined_words,
    own_of_each,
)
from gossamer.core.index.letters import plainer
from gossamer.core.index.vocabulary import MAX_TERM

ANALYZER = Analyzer()
RULES = [
    ("C++ and c++.", ["c++", "c++"]),
    ("C#, F# (C#)", ["c#", "f#", "c#"]),
    (".NET ASP.NET", [".net", "asp.net"]),
    ("__init__ _private snake_case my__name", ["__init__", "_private", "snake_case", "my__name"]),
    ("Python 3.11.", ["3.11"]),
    ("v1.2.3-rc1, 2024-05-31", ["v1.2.3-rc1", "2024-05-31"]),
    ("UTF-8 'utf-8' “utf-8”", ["utf-8", "utf-8", "utf-8"]),
    ("utf\u20118 utf\u20108", ["utf-8", "utf-8"]),
    ("f-string:", ["f-string"]),
    ("node.js; std::vector<int>", ["node.js", "std::vector"]),
    ("str.format() os.path.join(a, b)", ["str.format", "os.path.join"]),
    ("AT&T AT&T's R&D", ["at&t", "at&t", "r&d"]),
    ("c++11 C++-like notepad++", ["c++11", "c++", "notepad++"]),
    ("C/C++ utf-8/latin-1", ["c++", "utf-8", "latin-1"]),
    ("TCP/IP I/O and/or.", ["tcp/ip", "i/o", "and/or"]),
    ('print("utf-8","C++")', ["utf-8", "c++"]),
    ("charset=utf-8 --no-index", ["utf-8", "no-index"]),
    ("well-known state-of-the-art", ["well-known", "state-of-the-art"]),
    ("Café-Bar CAFE\u0301-BAR что-то", ["cafe-bar", "cafe-bar", "что-то"]),
    ("これはUTF-8とC++です", ["utf-8", "c++"]),
    # What is none.
    ("One. Two, three: four! (five) six/ -seven- +8 +", []),
    ("word--word a...b ... - _ __ a _ b 10+ 5# C+++", []),
    ("e.g. I.e. don't rock'n'roll", []),
    ("https://docs.python.org/3.11/a-b.html http://a-b.test", []),
    ("/usr/lib/python3.11 path/to/utf-8.txt C:\\a-b 1/2/2024", []),
    ("me@well-known.test 1,000.50 12:30 key:value", []),
    ("東京-大阪 カ・ナ", []),
    ("a-" * MAX_TERM, []),
    ("", []),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask <user@example.org>, please", ["user@example.org"]),
        ("in /usr/lib/python3.11/ and C:\\a-b\\c.", ["usr/lib/python3.11", "C:\\a-b\\c"]),
        ("https://a.test/b?c=d#e", ["https://a.test/b?c=d#e"]),
        ("TCP/IP and/or C++ 3.11 @ // /", []),
        ("a/" * 101, []),
    ],
)
def test_addresses_are_found_as_they_are_written(text, found):
    every = list(addresses(text))

    assert [each.written for each in every] == found
    assert [text[each.start : each.end] for each in every] == found
    assert not any(map(is_own, found))


def terms(text: str) -> list[str]:
    return [joined_term(each.written, ANALYZER.fold) for each in joined_words(text)]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_the_rule(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize("term", ["well-known", "and/or", "x-ray", "state-of-the-art", "что-то"])
def test_words_and_letters_make_a_compound(term):
    assert is_compound(term)


@pytest.mark.parametrize("term", ["utf-8", "node.js", "c++", "snake_case", "at&t"])
def test_other_joined_words_are_no_compounds(term):
    assert not is_compound(term)
    assert is_joined(term)


@pytest.mark.parametrize(
    "term",
    ["c++", "c#", ".net", "__init__", "3.11", "utf-8", "f-string", "at&t", "x-ray", "aes-256-gcm"],
)
def test_where_the_parts_say_little_a_joined_word_has_a_term_of_its_own(term):
    assert is_own(term)


@pytest.mark.parametrize(
    "term", ["node.js", "std::vector", "str.format", "snake_case", "tcp/ip", "well-known", "to-do"]
)
def test_ordinary_words_that_are_joined_have_none(term):
    assert not is_own(term)


SIGNED = st.text(st.sampled_from("aB1é'’\u0301東 -.&+#_:/@,\n\u2011“x"), max_size=30)
TEXTS = SIGNED | st.text()


@given(TEXTS)
def test_a_joined_word_is_where_it_says_and_is_made_of_words_of_the_text(text):
    words = [word.strip("'") for word in ANALYZER.words(text)]
    for each in joined_words(text):
        first = len(ANALYZER.words(text[: each.start]))
        parts = [word.strip("'") for word in ANALYZER.words(each.written)]

        assert plainer(text)[each.start : each.end] == each.written
        assert parts
        assert words[first : first + len(parts)] == parts
        assert is_joined(joined_term(each.written, ANALYZER.fold))


@given(TEXTS)
def test_looking_only_at_signs_misses_nothing(text):
    runs = "".join([" " if sign <= " " else sign for sign in plainer(text)]).split(" ")

    assert [each.written for each in joined_words(text)] == [
        each.written for run in runs for each in _joined_in(run)
    ]


@given(st.lists(TEXTS, max_size=6))
def test_texts_that_are_read_together_have_the_own_terms_of_each(texts):
    numbers, written = own_of_each(texts)

    own = [joined_term(word, ANALYZER.fold) for word in written]
    assert [pair for pair in zip(numbers.tolist(), own, strict=True) if is_own(pair[1])] == [
        (number, term) for number, text in enumerate(texts) for term in terms(text) if is_own(term)
    ]


@given(st.text(st.sampled_from("aB1' -.&+#_:/,"), max_size=30))
def test_the_pattern_of_ascii_finds_what_that_of_all_letters_finds(text):
    fast, slow = (_pattern(is_ascii).finditer(text) for is_ascii in (True, False))

    assert [found.span() for found in fast] == [found.span() for found in slow]


def test_ordinary_words_are_not_looked_at_twice():
    assert own_of_each(["well-known str.format() snake_case", "utf-8"])[1] == ["utf-8"]


@given(SIGNED)
def test_a_joined_word_is_found_by_what_it_is_written_like(text):
    for each in joined_words(text):
        term = joined_term(each.written, ANALYZER.fold)

        assert terms(each.written) == [term]
        assert terms(each.written.upper()) == [term]


@pytest.mark.parametrize("text", ["a-" * 500_000, "_" * 10**6, ".a" * 500_000, "a+" * 500_000])
def test_no_text_takes_long(text):
    started = time.process_time()

    list(joined_words(text))

    assert time.process_time() - started < 2
