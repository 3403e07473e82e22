from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import FIELDS, MAX_LENGTH, MAX_TERMS
from gossamer.core.search.query import (
    MAX_DEPTH,
    All,
    And,
    Field,
    Not,
    Or,
    Phrase,
    Prefix,
    Word,
    parse_query,
)
from tests.effort import often
from tests.query_text import to_text

A, B, C, D = Word("a"), Word("b"), Word("c"), Word("d")
NOPE = Phrase("nope query please")

RANKED = [
    ("gossamer", Word("gossamer")),
    ("a b", Or((A, B))),
    ("a a", Or((A, A))),
    (" a\t\n b ", Or((A, B))),
    ("a and b or not c", Or((A, Word("and"), B, Word("or"), Word("not"), C))),
    ("well-known", Word("well-known")),
    ("a - b", Or((A, B))),
    ("a -- b … 🙂", Or((A, B))),
    ("--verbose", Word("--verbose")),
    ("Yahoo! a!b", Or((Word("Yahoo!"), Word("a!b")))),
    ("a != b", Or((A, B))),
    ("12:30", Word("12:30")),
    ("http://a.test/?b=1&c=2", Word("http://a.test/?b=1&c=2")),
    (
        "localhost:8080 std::sort C:\\d",
        Or((Word("localhost:8080"), Word("std::sort"), Word("C:\\d"))),
    ),
    ("mailto:me@a.test Note:", Or((Word("mailto:me@a.test"), Word("Note:")))),
    ("l'amour don’t", Or((Word("l'amour"), Word("don’t")))),
    ("a*b", Word("a*b")),
    ("東京", Word("東京")),
]

BOOLEAN = [
    ("a & b", And((A, B))),
    ("a &b", And((A, B))),
    ("a && b || c", Or((And((A, B)), C))),
    ("a AND b OR c", Or((And((A, B)), C))),
    ("a | b c", Or((A, And((B, C))))),
    ("(a | b) c", And((Or((A, B)), C))),
    ("(a & b) & (c d)", And((A, B, C, D))),
    ("((a))(b)", And((A, B))),
    ("!a", Not(A)),
    ("! a", Not(A)),
    ("NOT a", Not(A)),
    ("-a", Not(A)),
    ("!!a", Not(Not(A))),
    ("!a b", And((Not(A), B))),
    ("a -b", And((A, Not(B)))),
    ("a -(b | c)", And((A, Not(Or((B, C)))))),
    ('a -"b c"', And((A, Not(Phrase("b c"))))),
    ("a NOT b", And((A, Not(B)))),
    ("NOT(a)|!b", Or((Not(A), Not(B)))),
    ("a AND NOT b", And((A, Not(B)))),
    ('"a b"', Phrase("a b")),
    ("“a b”", Phrase("a b")),
    ("„a b“ «c»", And((Phrase("a b"), Phrase("c")))),
    ('"a & (b"', Phrase("a & (b")),
    ('a"b"c', And((A, Phrase("b"), C))),
    ("a*", Prefix("a")),
    ("well-kn** b", And((Prefix("well-kn"), B))),
    ("*", All()),
    ("* -a", And((All(), Not(A)))),
    ("site:example.org", Field("site", Word("example.org"))),
    ("SITE:Example.org", Field("site", Word("Example.org"))),
    ("title:a b", And((Field("title", A), B))),
    ('title:"a b"', Field("title", Phrase("a b"))),
    ("title:(a | !b)", Field("title", Or((A, Not(B))))),
    ("-title:a*", Not(Field("title", Prefix("a")))),
    ("url:http://a.test/x", Field("url", Word("http://a.test/x"))),
    ("lang:en|lang:de", Or((Field("lang", Word("en")), Field("lang", Word("de"))))),
    ('"nope query please" | ((!a | b) & c)', Or((NOPE, And((Or((Not(A), B)), C))))),
    (
        '!("nope query please" & !a b | c "nope query please")',
        Not(Or((And((NOPE, Not(A), B)), And((C, NOPE))))),
    ),
]

ERRORS = [
    ("", 0, "type something"),
    (" \n ", 0, "type something"),
    ("- … 🙂", 0, "type something"),
    ('a "b', 2, "quote is never closed"),
    ('a b"', 3, "quote is never closed"),
    ('a ""', 2, "no words between the quotes"),
    ('" … "', 0, "no words between the quotes"),
    ("(a", 0, "never closed"),
    ("a ((b)", 2, "never closed"),
    ("a (", 2, "never closed"),
    ("a)", 1, "closes nothing"),
    (")", 0, "closes nothing"),
    ("a ()", 2, "nothing between the parentheses"),
    ("( - )", 0, "nothing between the parentheses"),
    ("& a", 0, '"&" has nothing before it'),
    ("OR", 0, '"OR" has nothing before it'),
    ("(| a)", 1, '"|" has nothing before it'),
    ("a AND", 2, '"AND" has nothing after it'),
    ("a && || b", 2, '"&&" has nothing after it'),
    ("(a |) b", 3, '"|" has nothing after it'),
    ("a !", 2, '"!" has nothing after it'),
    ("NOT", 0, '"NOT" has nothing after it'),
    ("a | ! & b", 4, '"!" has nothing after it'),
    ("colour:red", 0, "site, host, domain, title, url, lang"),
    ("a (colour:red)", 3, 'no field "colour"'),
    ("site:", 0, '"site:" needs'),
    ("a site: b", 2, '"site:" needs'),
    ("title:-a", 0, '"title:" needs'),
    ("title:*", 0, '"title:" needs'),
    ("title:…", 0, '"title:" needs'),
    ("title:(a site:b)", 0, "cannot have a field inside"),
    ("title:url:a", 0, '"title:" needs'),
    ("a\x00b", 1, "control characters"),
    ("a\x9fb", 1, "control characters"),
    ("a\ud800", 1, "control characters"),
    ("x" * (MAX_LENGTH + 1), MAX_LENGTH, "at most 1,000 characters"),
    ("x" * 10_000, MAX_LENGTH, "this one has 10,000"),
    ("a " * (MAX_TERMS + 1), 2 * MAX_TERMS, "at most 64 words"),
    ('"' + "a " * (MAX_TERMS + 1) + '"', 0, "at most 64 words"),
    ("b " + "a-" * (MAX_TERMS + 1), 2, "at most 64 words"),
    ("!" * (MAX_DEPTH + 1) + "a", MAX_DEPTH, "nested at most 32 deep"),
    ("(" * 500 + "a" + ")" * 499, MAX_DEPTH, "nested at most 32 deep"),
    ("(" * MAX_LENGTH, MAX_DEPTH, "nested at most 32 deep"),
]


@pytest.mark.parametrize(("text", "node"), RANKED)
def test_plain_words_are_ranked_by_any_of_them(text, node):
    query = parse_query(text)

    assert (query.mode, query.node, query.text) == ("ranked", node, text)


@pytest.mark.parametrize(("text", "node"), BOOLEAN)
def test_any_operator_makes_a_query_boolean(text, node):
    query = parse_query(text)

    assert (query.mode, query.node, query.text) == ("boolean", node, text)


@pytest.mark.parametrize(("text", "position", "message"), ERRORS)
def test_what_cannot_be_read_is_an_error_that_says_where(text, position, message):
    with pytest.raises(QueryError) as caught:
        parse_query(text)

    assert message in caught.value.message
    assert caught.value.position == position


@pytest.mark.parametrize("text", ["(" * 32 + "a" + ")" * 32, "!" * 32 + "a", "a " * 64, "x" * 1000])
def test_the_limits_themselves_are_allowed(text):
    assert parse_query(text)


def outcome(text: str):
    try:
        return parse_query(text).node, None
    except QueryError as error:
        return None, error


def parsed(text: str):
    return outcome(text)[0]


LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
TOKENS = st.text(st.sampled_from("abé0-!=.:*'_/&"), min_size=1, max_size=6) | st.text(
    LETTERS, min_size=1, max_size=6
)
WORDS = TOKENS.map(Word).filter(lambda word: parsed(word.text) == word)
PREFIXES = TOKENS.map(Prefix).filter(lambda prefix: parsed(f"{prefix.text}*") == prefix)
PHRASES = (
    st.text(st.sampled_from("ab &|()!-:*"), min_size=1, max_size=8)
    .map(Phrase)
    .filter(lambda phrase: parsed(f'"{phrase.text}"') == phrase)
)
LEAVES = WORDS | PREFIXES | PHRASES


def rows(parts, kind):
    """Two and more parts, none of which is a row of the same kind."""
    loose = parts.filter(lambda part: not isinstance(part, kind))
    return st.lists(loose, min_size=2, max_size=3).map(lambda parts: kind(tuple(parts)))


def compounds(parts):
    return rows(parts, And) | rows(parts, Or) | parts.map(Not)


VALUES = st.recursive(LEAVES, compounds, max_leaves=4)
NODES = st.recursive(
    LEAVES | st.just(All()) | st.builds(Field, st.sampled_from(FIELDS), VALUES),
    compounds,
    max_leaves=12,
)
QUERIES = (
    st.text(max_size=40)
    | st.text(st.sampled_from("ab &|!()\"“-*:'. \t"), max_size=40)
    | st.lists(
        st.sampled_from(
            [
                *"ab()&|!- *=“",
                "c*",
                '"a b"',
                "AND ",
                " OR ",
                " NOT ",
                "site:",
                "x:y",
                "http://a?b&c",
            ]
        ),
        max_size=20,
    ).map("".join)
)


@given(NODES)
def test_a_node_as_text_reads_back_as_the_node(node):
    text = to_text(node)

    assume(len(text) <= MAX_LENGTH)
    assert parse_query(text).node == node


@given(QUERIES)
@often(300)
def test_any_text_is_a_query_or_an_error_with_a_place(text):
    node, error = outcome(text)

    if error:
        assert 0 <= error.position <= len(text)
        assert error.message
    else:
        assert parse_query(to_text(node)).node == node


@given(st.lists(st.sampled_from('()!&|-"* a:'), min_size=900, max_size=1000).map("".join))
@often(30)
def test_the_longest_nonsense_neither_hangs_nor_overflows(text):
    parsed(text)
