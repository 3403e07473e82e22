from __future__ import annotations

import pytest

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.plan import (
    AllOf,
    AnyOf,
    Asked,
    Beginning,
    Everything,
    Excluded,
    Filter,
    Kind,
    Plan,
    Wanted,
    Words,
    plan_query,
)
from gossamer.core.search.query import parse_query


class CountingAnalyzer(Analyzer):
    """Counts how often each text of the query is cut into words."""

    def words(self, text: str) -> list[str]:
        ASKED.append(text)
        return super().words(text)


ASKED: list[str] = []


def plan(text: str, analyzer: Analyzer | None = None) -> Plan:
    return plan_query(parse_query(text), analyzer or Analyzer())


def asked(text: str) -> list[tuple[str, int]]:
    return [(each.shown, each.times) for each in plan(text).asked]


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("cats", Words(("cat",))),
        ('"cats of dogs"', Words(("cat", "", "dog"))),
        ("cats & dogs", AllOf((Words(("cat",)), Words(("dog",))))),
        ("cats | Cat*", AnyOf((Words(("cat",)), Beginning("cat")))),
        ("well-k*", Beginning("k", (Words(("well",)),))),
        ("title:(cats & do*)", AllOf((Words(("cat",), "title"), Beginning("do", (), "title")))),
        ("!cats", Excluded(Words(("cat",)))),
        ("site:(A.test | b*)", AnyOf((Filter("site", "a.test"), Filter("site", "b", True)))),
        ("url:(!x)", Excluded(Filter("url", "x"))),
        ("*", Everything()),
    ],
)
def test_a_query_becomes_what_a_document_must_match(query, match):
    assert plan(query).match == match


@pytest.mark.parametrize("query", ["the", "!the", "the & (of | a)", "title:the", '"of the"'])
def test_stop_words_alone_ask_for_nothing(query):
    assert plan(query).match is None
    assert plan(query).asked == ()


@pytest.mark.parametrize("query", ["the & cat", "cat | the", "cat !the", "(the | a) & cat"])
def test_stop_words_leave_the_rest_of_a_query_as_it_is(query):
    assert plan(query).match == Words(("cat",))


def test_terms_are_counted_once_with_how_often_they_are_asked():
    assert asked("cat dog cats") == [("cat", 2), ("dog", 1)]
    assert asked('"cat dog" & title:cat & do*') == [("cat", 2), ("dog", 1), ("do*", 1)]


def test_what_is_excluded_or_filtered_adds_nothing_to_a_score():
    assert asked("cat & !dog & site:fish.test & lang:en & !(!bird)") == [("cat", 1)]


def test_only_plain_words_can_be_the_name_of_a_page():
    assert plan("the Cats run").name == Asked(Kind.NAME, "@cat run")
    assert plan('"cats run"').name is None
    assert plan("the").name is None


def test_a_snippet_looks_for_phrases_as_phrases_and_for_single_words_anywhere():
    wanted = plan('"cats of dogs" | fish | "the bird" | ca* | !worm').wanted

    assert wanted == Wanted(frozenset({"fish", "bird"}), ("ca",), (("cat", "", "dog"),))


def test_every_text_of_a_query_is_analysed_once():
    ASKED.clear()

    plan('cats & "dogs run" | title:bird & fis* & !worm & site:a.test', CountingAnalyzer())

    assert sorted(ASKED) == ["bird", "cats", "dogs run", "fis", "worm"]
