from __future__ import annotations

import pytest

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.postings import AS_WRITTEN
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
    Written,
)
from gossamer.core.search.planner import ANYWHERE, ONLY_COMMON, plan_query
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


THE, OF, A = (Words((f"={word}",)) for word in ("the", "of", "a"))


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("the", THE),
        ("The OF", AnyOf((THE, OF))),
        ("!the", Excluded(THE)),
        ("the & (of | a)", AllOf((THE, AnyOf((OF, A))))),
        ("title:the", Words(("=the",), "title")),
        ('"of the"', AllOf((OF, THE))),
        ('cat "of the"', AllOf((Words(("cat",)), AllOf((OF, THE))))),
    ],
)
def test_stop_words_alone_are_asked_for_as_they_are_written(query, match):
    found = plan(query)

    assert found.match == match
    assert found.mode == "boolean"
    assert [each.text for each in found.asked] == (["cat"] if "cat" in query else [])


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("Silks cats", Words(("cat",))),
        ('"cats silks dogs"', Words(("cat", "", "dog"))),
        ("silk & cats", AllOf((Words(("silk",)), Words(("cat",))))),  # the list has no such word
        ("silks", Words((f"{AS_WRITTEN}silks",))),
        ("日本 silks", Words(("日本", ""))),
    ],
)
def test_words_of_a_stop_list_are_asked_for_only_alone(query, match):
    found = plan_query(parse_query(query), Analyzer(), stop_list=frozenset({"silks"}))

    assert found.match == match


def test_a_note_says_that_only_common_words_were_asked():
    assert plan("the").notes == (ONLY_COMMON,)
    assert plan("the cat").notes == ()
    assert plan('cat "of the"').notes == (ANYWHERE,)


@pytest.mark.parametrize("query", ["the & cat", "cat | the", "cat !the", "(the | a) & cat"])
def test_stop_words_leave_the_rest_of_a_query_as_it_is(query):
    assert plan(query).match == Words(("cat",))


NODE_JS = Written("node.js", ("node", "js"))
C_PLUS, UTF_8 = Written("c++", ("c",)), Written("utf-8", ("utf", "8"))


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("utf-8", Words(("utf", "8"), "", (UTF_8,))),
        ("title:utf-8", Words(("utf", "8"), "title", (UTF_8,))),
        ("C++", Words(("c++",), "", (C_PLUS,))),
        ('"the C++"', Words(("c++",), "", (C_PLUS,))),
        ('"learn C++"', Words(("learn", "c"), "", (C_PLUS,))),
        ("!AT&T", Excluded(Words(("at&t",), "", (Written("at&t", ("", "t")),)))),
        ("well-known", Words(("well", "known"), "", (Written("well-known", ("well", "known")),))),
        ("well-known & cat", AllOf((Words(("well", "known")), Words(("cat",))))),
        ('"well-known cat"', Words(("well", "known", "cat"))),
        ("node.js & cat", AllOf((Words(("node", "js"), "", (NODE_JS,)), Words(("cat",))))),
        ("cat & to-do", Words(("cat",))),
    ],
)
def test_a_joined_word_is_required_as_it_is_written_where_its_parts_say_nothing(query, match):
    assert plan(query).match == match


def test_a_joined_word_is_asked_for_with_its_parts():
    found = plan("C++ cat utf-8 C++")

    assert found.asked == (
        Asked(Kind.TERM, "c", 2),
        Asked(Kind.JOINED, "c++", 2, ("c",)),
        Asked(Kind.TERM, "cat"),
        Asked(Kind.TERM, "utf"),
        Asked(Kind.TERM, "8"),
        Asked(Kind.JOINED, "utf-8", 1, ("utf", "8")),
    )
    assert found.name == Asked(Kind.NAME, "@c cat utf 8 c")
    assert found.wanted == Wanted(frozenset({"cat"}), written=(C_PLUS, UTF_8, C_PLUS))


def test_ordinary_words_that_are_joined_are_looked_for_side_by_side():
    assert plan("node.js").asked[-1] == Asked(Kind.TOGETHER, "node.js", 1, ("node", "js"))
    assert plan("end-to-end").asked[-1] == Asked(Kind.TOGETHER, "end-to-end", 1, ("end", "", "end"))
    assert [each.text for each in plan("on-line").asked] == ["line"]
    assert plan("to-do").asked == ()


def test_an_analyzer_of_the_first_version_knows_no_joined_words():
    assert plan("C++", Analyzer(version=1)).match == Words(("c",))


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
