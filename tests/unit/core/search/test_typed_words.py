"""Which words of a query may be misspelt, and where they stand."""

from __future__ import annotations

import pytest

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.typed_words import replaced, typed_words

DECLARED = {"brand": "keyword", "summary": "words", "price": "float"}


def words(query):
    return [each.text for each in typed_words(query, Analyzer(), DECLARED)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Spdier silk", ["Spdier", "silk"]),
        ("the spdier", ["spdier"]),
        ('"orb wbe" & spdier', ["orb", "wbe", "spdier"]),
        ("silk -moht !beee NOT (waps & honey) web", ["silk", "web"]),
        ("site:exmaple.org lang:(en | de) brand:acme web", ["web"]),
        ("title:spdier", ["spdier"]),
        ("(spdier | web) silk", ["spdier", "web", "silk"]),
        ("spin* web", ["web"]),
        ("C++ node.js well-known web", ["web"]),
        ("(spdier", ["spdier"]),
        ("price:10..50 date:2024", []),
    ],
)
def test_words_that_a_page_should_have_may_be_misspelt(query, expected):
    assert words(query) == expected


def test_every_word_has_its_place():
    query = '  Spdier "of  the Spdier"'

    found = typed_words(query, Analyzer(), {})

    assert [query[each.start : each.start + 6] for each in found] == ["Spdier", "Spdier"]
    assert {each.word for each in found} == {"spdier"}


def test_other_words_stand_where_the_misspelt_ones_stood():
    query = "spdier -moth wbe"
    first, second = typed_words(query, Analyzer(), {})

    assert replaced(query, [(first, "spider"), (second, "web")]) == "spider -moth web"


@pytest.mark.parametrize("text", ["e\u0301" * 400, "蜘蛛" * 300, "हिन्दी " * 40, "a" * 1000])
def test_any_script_is_read(text):
    for each in typed_words(text, Analyzer(), {}):
        assert text[each.start :].startswith(each.text)
