"""Filters beside a query: what is found, counted and sorted is what brute force says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.ids import UrlId, document_id
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.search.fields import fields_of
from gossamer.core.search.query import And, Field, Not, Or, parse_filter
from gossamer.ports.documents import Version
from gossamer.search import facets
from gossamer.search.scores import top
from tests.effort import often
from tests.unit.core.index.segments.making import use_small_parts
from tests.unit.search.test_declared import (
    FACETS,
    SETTINGS,
    SORTS,
    Engine,
    built,
    filters,
    histories,
    queries,
    year_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.page.values import Value
    from gossamer.core.search.query import Node
    from tests.brute import Page

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        patch.setattr(top, "WORTHWHILE", 0)
        patch.setattr(top, "WORTHWHILE_TOGETHER", 0)
        patch.setattr(facets, "MOST_VALUES", 2)
        yield


conditions = st.recursive(
    filters,
    lambda inner: st.one_of(
        st.builds("({} | {})".format, inner, inner),
        st.builds("({} & {})".format, inner, inner),
        st.builds("-{}".format, inner),
    ),
    max_leaves=3,
)
some_conditions = st.lists(conditions, max_size=3)


def passing(engine: Engine, query: str, conditions: Sequence[str]) -> list[Page]:
    """The pages that a query finds, in its order, if each condition alone finds them, too."""
    brute = engine.brute
    urls = brute.search(query, "bm25").urls
    for each in conditions:
        allowed = set(brute.search(each, "bm25").urls)
        urls = [url for url in urls if url in allowed]
    by_url = {page.url: page for page in brute.pages.values()}
    return [by_url[url] for url in urls]


def readable(query: str, conditions: Sequence[str]) -> bool:
    """A range that ends before it begins is another test's."""
    try:
        for each in conditions:
            parse_filter(each, fields_of(SETTINGS.schema).types)
    except QueryError:
        return False
    return True


@often(300)
@given(histories, queries, some_conditions, st.booleans())
def test_a_filter_chooses_and_leaves_scores_as_they_are(history, query, conditions, merged):
    if readable(query, conditions):
        engine = built(history, merged=merged)
        check_found(engine, query, conditions)
        engine.close()


def check_found(engine: Engine, query: str, conditions: Sequence[str]) -> None:
    """What a query with filters finds, and its scores."""
    found = engine.search(query, filters=conditions)

    expected = passing(engine, query, conditions)
    scores = engine.brute.search(query, "bm25").scores
    assert [hit.url for hit in found.hits] == [page.url for page in expected]
    assert [hit.score for hit in found.hits] == pytest.approx(
        [scores[page.url] for page in expected], abs=1e-6
    )
    assert (found.total, found.total_is_exact) == (len(expected), True)


@often(300)
@given(histories, queries, some_conditions, st.booleans())
def test_a_facet_is_counted_as_if_the_filters_on_it_alone_were_not_there(
    history, query, conditions, merged
):
    if readable(query, conditions):
        engine = built(history, merged=merged)
        check_facets(engine, query, conditions)
        engine.close()


def check_facets(engine: Engine, query: str, conditions: Sequence[str]) -> None:
    """What is counted of each facet."""
    found = engine.search(query, filters=conditions, facets=FACETS)

    for name in FACETS:
        others = [each for each in conditions if names_in(each) != {name}]
        pages = passing(engine, query, others)
        expected = counted(engine, pages, name)
        assert [(each.value, each.count) for each in found.facets[name]] == expected, name


@often(150)
@given(histories, queries, some_conditions, st.sampled_from(SORTS), st.booleans(), st.booleans())
def test_what_filters_leave_is_sorted(history, query, conditions, name, descending, merged):
    if readable(query, conditions):
        engine = built(history, merged=merged)
        check_order(engine, query, conditions, name, descending=descending)
        engine.close()


def check_order(
    engine: Engine, query: str, conditions: Sequence[str], name: str, *, descending: bool
) -> None:
    """In which order results come that are sorted by a column."""
    found = engine.search(query, filters=conditions, sort=f"-{name}" if descending else name)

    values = {page.url: engine.brute.values(page, name) for page in engine.brute.pages.values()}
    pages = sorted(passing(engine, query, conditions), key=lambda page: page.id)
    valued = [page.url for page in pages if values[page.url]]
    valued.sort(key=lambda url: values[url][0], reverse=descending)
    rest = [page.url for page in pages if not values[page.url]]
    assert [hit.url for hit in found.hits] == valued + rest


def names_in(condition: str) -> set[str]:
    """The fields that a condition is about; "" for one whose words are looked for."""

    def walk(node: Node) -> set[str]:
        match node:
            case Field(name):
                types = fields_of(SETTINGS.schema).types
                return {"" if name == "title" or types.get(name) == "words" else name}
            case Not(part):
                return walk(part)
            case And(parts) | Or(parts):
                return set().union(*map(walk, parts))
        return set()

    return walk(parse_filter(condition, fields_of(SETTINGS.schema).types))


def counted(engine: Engine, pages: Sequence[Page], name: str) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for page in pages:
        shown = set(engine.brute.values(page, name))
        counts.update({year_of(day) for day in shown} if name == "released" else shown)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:2]


# By hand, so that the oracle and the search cannot be wrong together.


@pytest.fixture
def shop() -> Iterator[Engine]:
    made = Engine()
    for number, brand in enumerate(("Acme", '27" screens', "Other")):
        values: dict[str, Value] = {"brand": brand, "price": Money(10.0 * number, "EUR")}
        document = Document(url=f"http://shop.test/{number}", text="thing", values=values)
        id = document_id(UrlId(b"%016d" % number))
        made.add([Version(id, 1.0, document)], declared=True)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["brand:acme"], {0}),
        (["-brand:acme"], {1, 2}),
        (["brand:(acme | other)"], {0, 2}),
        (['brand:"Acme" | brand:"27\\" screens"'], {0, 1}),
        (["price:<20", "price:>=10"], {1}),
        (["price:5..15 | price:20"], {1, 2}),
        (["NOT (brand:acme | price:20)"], {1}),
        (["host:shop.test", "lang:en"], set()),
    ],
)
def test_plain_words_stay_ranked_beside_filters(shop, conditions, expected):
    found = shop.search("thing", filters=conditions)

    assert {int(hit.url[-1]) for hit in found.hits} == expected
    assert (found.mode, found.total) == ("ranked", len(expected))


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("silk", 0),
        ("brand:acme silk", 11),
        ('brand:acme | "orb web"', 13),
        ("brand:acme & *", 13),
        ("colour:red", 0),
        ("price:ten", 6),
        ("price:50..10", 6),
        ("released:2024-13", 9),
        ("released:2025..2024", 9),
        ("in_stock:perhaps", 9),
        ("brand:(acme", 6),
        ("", 0),
        ("-", 0),
        ("brand:acme\x00", 10),
    ],
)
def test_a_filter_that_cannot_be_read_is_an_error_that_says_where(shop, condition, place):
    with pytest.raises(QueryError) as raised:
        shop.search("thing", filters=["kind:page", condition])

    assert (raised.value.field, raised.value.position) == ("filter", place)
    assert raised.value.text == condition
