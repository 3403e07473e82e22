"""Does a query stop when its budget is spent, and say what is missing?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.core.errors import OverBudget, QueryError
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.search import budget as module
from gossamer.search.budget import (
    NOT_COUNTED,
    NOT_FILLED,
    NOT_GROUPED,
    NOT_SEARCHED,
    NOT_SHOWN,
    UNLIMITED,
    Budget,
)
from gossamer.search.facets import facets
from gossamer.search.lookup import look_up
from gossamer.search.ranking import Ranked
from gossamer.search.results.similar_results import clusters
from tests.groups import groups_of
from tests.indexing import index_home

WORDS = ("silk", "spider", "spin", "thread", "web", "weave", "loom", "stalk")
# What is asked for explanations, facets and another order looks at the budget everywhere.
QUERIES = [
    ("silk web", {}),
    ("s* | w*", {"explain": True}),
    ("!s*", {"similar": "all"}),
    ("title:s*", {"limit": 100}),
    ('"silk spider" | web', {}),
    ("s*", {"facets": ("site", "lang"), "sort": "-date", "exact_total": True}),
]


@dataclass
class Ticking:
    """A clock that goes on by a second whenever it is looked at."""

    ticks: itertools.count[int] = field(default_factory=itertools.count)

    def __call__(self) -> float:
        return float(next(self.ticks))


def page(number: int) -> Document:
    one, other = WORDS[number % len(WORDS)], WORDS[number * 3 % len(WORDS)]
    text = f"{one} {other} page {number}."
    return Document(url=f"http://{other}.test/{number}", title=one, text=text, language="en")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A collection in three segments."""
    opened = LocalHome(None, tmp_path_factory.mktemp("home"), homes.decode_body)
    for numbers in (range(8), range(8, 20), range(20, 24)):
        for each in map(page, numbers):
            opened.documents.put(url_id(each.url), [each], 1.0)
        index_home(opened)
    yield opened
    opened.close()


@pytest.fixture(params=["one process", "groups"])
def searcher(request, home):
    found = homes.searcher(home)
    if request.param == "groups":
        asked = home.index, home.documents, homes.analyzer_of(home), home.settings.get()
        found._groups = groups_of(*asked)
    return found


def urls(found):
    return [hit.url for hit in found.hits]


@pytest.mark.parametrize(("query", "how"), QUERIES)
def test_however_little_time_there_is_nothing_wrong_is_found_and_what_is_missing_is_said(
    home, query, how
):
    whole = homes.searcher(home).search(query, **{"fill": False, **how, "limit": 100})

    for seconds in itertools.count():
        searcher = homes.searcher(home)  # which has nothing in memory
        found = searcher.search(query, Budget(seconds, Ticking()), **{"fill": False, **how})

        assert set(urls(found)) <= set(urls(whole))
        assert found.total <= whole.total
        assert found.partial == any("stopped after" in note for note in found.notes)
        if not found.partial:
            break

    assert seconds > 3  # it was looked at in several places
    assert found.total == whole.total
    assert urls(found) == urls(whole)[: len(found.hits)]


def test_an_answer_that_is_not_filled_up_for_want_of_time_says_so(searcher):
    query = '"silk spider" & web'
    exact = searcher.search(query, fill=False)
    whole = searcher.search(query)
    assert whole.filled
    notes = []

    for seconds in itertools.count():
        answer = searcher.search(query, Budget(seconds, Ticking()))
        if not answer.partial:
            break
        assert answer.total <= whole.total
        assert not answer.filled or urls(answer)[: exact.total] == urls(exact)
        notes += answer.notes

    assert urls(answer) == urls(whole)
    if searcher._groups is None:  # groups look at clocks of their own meanwhile
        assert any(NOT_FILLED in note for note in notes)


@pytest.mark.parametrize(("query", "how"), QUERIES)
def test_a_query_that_was_stopped_leaves_nothing_behind(home, query, how):
    before = homes.searcher(home).search(query, **{"fill": False, **how})

    searcher = homes.searcher(home)
    for seconds in range(12):
        searcher.search(query, Budget(seconds, Ticking()), **{"fill": False, **how})
    after = searcher.search(query, **{"fill": False, **how})

    assert (after.total, after.hits, after.facets) == (before.total, before.hits, before.facets)
    assert not after.partial


def test_without_time_there_is_an_answer_that_says_so_and_what_to_do(searcher):
    found = searcher.search("s*", Budget(0.0, Ticking()))

    assert found.partial
    assert not found.total_is_exact
    assert not found.hits
    [note] = found.notes
    assert note.startswith(f"stopped after 0 s: {NOT_SEARCHED}")
    assert "type more letters before a star" in note


def test_a_query_in_time_says_nothing(searcher):
    found = searcher.search("s*", Budget(60.0))

    assert not found.partial
    assert not found.notes


def test_results_that_come_too_late_are_shown_without_reasons(home):
    now = [0.0]
    searcher, budget = homes.searcher(home), Budget(1.0, lambda: now[0])
    asking = searcher._asker.read("silk web", {"explain": True})
    opened = searcher._snapshots
    lookup = look_up(asking, home.index, opened, opened.latest(), budget=budget)
    best = lookup.best(10).best

    now[0] = 2.0
    hits = searcher._writer.write(lookup, best, lookup.stored(best))

    assert hits
    assert all(hit.explain is None and hit.snippet for hit in hits)
    assert list(budget.left_out) == [NOT_SHOWN]


def test_prefixes_that_begin_too_many_words_are_refused_before_one_is_read(home, monkeypatch):
    monkeypatch.setattr(module, "MOST_WORDS", 1000)
    searcher = homes.searcher(home)

    with pytest.raises(QueryError, match=r'1,536 words may begin so.* the star of "[sw]\*"'):
        searcher.search("s* | !w*")

    assert searcher.search("s*").total


def test_similar_pages_are_not_looked_for_when_the_time_is_over():
    @dataclass
    class Same:
        best: range

    asked = []

    def rank(count):
        asked.append(count)
        return Same(range(count))

    budget = Budget(0.0, Ticking())
    _, found = clusters(rank, lambda ranked: [7] * len(ranked.best), 10, budget)

    assert len(asked) == len(found) == 1
    assert list(budget.left_out) == [NOT_GROUPED]


def test_facets_are_not_counted_when_the_time_is_over(home):
    budget = Budget(0.0, Ticking())

    assert (
        facets({"site": "host"}, homes.searcher(home).snapshot(), Ranked([], 0, True), budget) == {}
    )
    assert list(budget.left_out) == [NOT_COUNTED]


def test_a_budget_is_over_after_its_seconds_and_not_before():
    times = iter([10.0, 12.0, 12.5, 12.5, 12.5])
    budget = Budget(2.0, lambda: next(times))

    budget.check()
    with pytest.raises(OverBudget, match="more than 2 s"):
        budget.check()
    assert budget.left == 0.0


def test_what_has_no_budget_is_never_over():
    assert not UNLIMITED.is_over
    UNLIMITED.check()
