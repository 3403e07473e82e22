"""Declared columns and text fields: every answer is that of brute force over the documents."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import Policy, compact
from gossamer.bolts.manifest import put_levels
from gossamer.core.collection import CollectionSettings, IndexSchema
from gossamer.core.errors import QueryError
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.declared import Column, TextField
from gossamer.core.page.document import Document
from gossamer.core.page.values import Date, Image, Link, Money
from gossamer.core.search.fields import fields_of
from gossamer.core.search.plain_text import read_query
from gossamer.ports.documents import Version
from gossamer.search import facets
from gossamer.search.scores import top
from gossamer.search.searcher import Searcher
from tests.brute import Brute
from tests.effort import often
from tests.groups import groups_of
from tests.indexing import index_all, writer_of
from tests.unit.core.index.segments.making import use_small_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.search.result import SearchResponse

pytestmark = pytest.mark.timeout(1200)
ANALYZER = Analyzer()
SETTINGS = CollectionSettings(
    strict_queries=True,
    columns={
        "brand": Column(type="keyword", facet=True, sort=True),
        "tags": Column(type="keywords", facet=True),
        "price": Column(type="money", facet=True, sort=True),
        "rating": Column(type="number", sort=True),
        "released": Column(type="date", facet=True, sort=True),
        "in_stock": Column(type="bool", facet=True),
    },
    fields={
        "summary": TextField(weight=2.0),
        "notes": TextField(searched=False),
        "brand": TextField(),  # its words are searched for, its value is filtered by
    },
)
FACETS = ("brand", "tags", "price_currency", "released", "in_stock", "kind", "template")
SORTS = ("brand", "price", "rating", "released")


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        patch.setattr(top, "WORTHWHILE", 0)
        patch.setattr(top, "WORTHWHILE_TOGETHER", 0)
        patch.setattr(facets, "MOST_VALUES", 2)
        yield


words = st.sampled_from(
    ("silk", "silks", "spider", "the", "web", "café", "x2", "C++", "silk.web", "c")
)
texts = st.lists(words, max_size=4).map(" ".join)
brands = st.sampled_from(("acme", "Acme", "acme corp", "Ölands", ""))
numbers = st.sampled_from((-2.5, 0, 1, 10, 10.5, 50, 1e6)) | st.integers(-3, 60)
money = st.builds(Money, numbers.map(float), st.sampled_from(("EUR", "USD", "")))
days = st.sampled_from(("1969-12-31", "2023-12-31", "2024-01-01", "2024-05-31", "2025-07-04"))
dates = days.map(Date)
links = st.builds(Link, st.just("http://a.test/"), texts) | st.builds(Image, st.just("/i"), texts)
# Values of any type under any name: what does not fit a column is no value of it.
scalars = brands | numbers | money | dates | days | st.booleans() | links | texts
NAMES = ("brand", "tags", "price", "rating", "released", "in_stock", "summary", "notes", "other")
fitting = st.fixed_dictionaries(
    {},
    optional={
        "brand": brands,
        "tags": st.lists(brands, max_size=3),
        "price": money,
        "rating": numbers,
        "released": dates,
        "in_stock": st.booleans(),
        "summary": texts,
        "notes": texts | st.lists(texts, max_size=2),
    },
)
anything = st.dictionaries(
    st.sampled_from(NAMES), scalars | st.lists(scalars, max_size=3), max_size=4
)
documents = st.builds(
    Document,
    url=st.just("http://a.test/"),
    text=texts,
    title=texts,
    kind=st.sampled_from(("", "item")),
    template=st.sampled_from(("", "product")),
    values=fitting | anything,
)


@st.composite
def versions(draw: st.DrawFn) -> Version:
    number = draw(st.integers(0, 5))
    document = draw(documents)
    id = document_id(UrlId((b"%d" % number).ljust(16, b"\0")))
    return Version(id, 1.0, Document(**_parts(document, f"http://a.test/{number}")))


def _parts(document: Document, url: str) -> dict[str, Any]:
    return {name: getattr(document, name) for name in document.__struct_fields__} | {"url": url}


batches = st.lists(versions(), min_size=1, max_size=5, unique_by=lambda version: version.id)
some_numbers = numbers.map("{:g}".format)
spans = st.one_of(
    some_numbers,
    st.builds("{}..{}".format, some_numbers, some_numbers),
    st.builds("{}{}".format, st.sampled_from(("<", ">", "<=", ">=", "..")), some_numbers),
)
day_texts = st.sampled_from(("2023", "2024-05", "2024-05-31", "1969"))
day_spans = day_texts | st.builds("{}..{}".format, day_texts, day_texts)
values = st.sampled_from(("acme", "ACME", '"acme corp"', "ac*", "ölands", "(acme | ölands)"))
filters = st.one_of(
    st.builds("{}:{}".format, st.sampled_from(("brand", "tags")), values),
    st.builds("{}:{}".format, st.sampled_from(("price", "rating")), spans),
    st.builds("released:{}{}".format, st.sampled_from(("", "<", ">=")), day_texts),
    st.builds("released:{}".format, day_spans),
    st.builds("in_stock:{}".format, st.sampled_from(("true", "false", "no", "1"))),
    st.sampled_from(("price_currency:eur", "kind:item", "kind:page", "template:product")),
    st.builds(
        "{}:{}".format,
        st.sampled_from(("summary", "notes", "title")),
        st.sampled_from(
            ("silk", "si*", '"silk spider"', '"silk the web"', "(silk -web)", "C++", "silk.web")
        ),
    ),
)
leaves = filters | words | st.sampled_from(("si*", '"spider silk"', "*"))
written = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} | {})".format, inner, inner),
        st.builds("({} & {})".format, inner, inner),
        st.builds("!({})".format, inner),
    ),
    max_leaves=4,
) | st.lists(words, min_size=1, max_size=3).map(" ".join)


def can_be_read(query: str) -> bool:
    """A range that ends before it begins is another test's."""
    try:
        read_query(query, fields_of(SETTINGS.schema).types, is_strict=True)
    except QueryError:
        return False
    return True


queries = written.filter(can_be_read)


class Kept(dict[Any, Version]):
    """Documents by id, for explanations."""

    reads = 0.0

    def read(self, ids: Sequence[Any], **_: bool) -> list[Version]:
        return [self[id] for id in ids]


@dataclass
class Engine:
    """The real search and the oracle, which are told the same."""

    settings: CollectionSettings = SETTINGS
    home: Any = None  # in whose stores the index and the documents are, instead of in memory
    store: Store = field(default_factory=lambda: Store(None))
    brute: Brute = field(
        default_factory=lambda: Brute(ANALYZER, SETTINGS.weights, schema=SETTINGS.schema)
    )

    def __post_init__(self) -> None:
        self.index: Any = self.home.index if self.home else LocalSegmentStore(self.store, None)
        self.kept = Kept()
        self.use(self.settings)

    def use(self, settings: CollectionSettings) -> None:
        """Search the same index by other settings."""
        documents: Any = self.home.documents if self.home else self.kept
        asked = self.index, documents, ANALYZER, settings
        self.searcher = Searcher(*asked, lambda: 0.0)
        self.groups = Searcher(*asked, lambda: 0.0, groups=groups_of(*asked))

    def add(self, batch: Sequence[Version], *, declared: bool) -> None:
        """Index as the collection declares it, or as it was before it declared anything."""
        schema = SETTINGS.schema if declared else IndexSchema(structured=False)
        self.kept.update({version.id: version for version in batch})
        for version in batch if self.home else ():
            self.home.documents.put(page_of(version.id), [version.document], version.fetched_at)
        index_all(writer_of(self.index), batch, analyzer=ANALYZER, schema=schema)
        self.brute.index(batch if declared else [_without_values(each) for each in batch])

    def merge(self) -> None:
        compact(writer_of(self.index), policy=Policy(fanout=2))

    def search(self, query: str, **how: Any) -> SearchResponse:
        """The answer, which is the same when every segment is asked by itself."""
        found = self.searcher.search(query, limit=100, similar="all", **how)
        assert self.groups.search(query, limit=100, similar="all", **how) == found
        return found

    def close(self) -> None:
        self.store.close()


def _without_values(version: Version) -> Version:
    parts = _parts(version.document, version.document.url) | {"values": {}}
    return Version(version.id, version.fetched_at, Document(**parts))


def built(
    lots: Sequence[tuple[list[Version], bool]],
    *,
    merged: bool,
    settings: CollectionSettings = SETTINGS,
    home: Any = None,
) -> Engine:
    engine = Engine(settings, home)
    for batch, declared in lots:
        engine.add(batch, declared=declared)
    if merged:
        engine.merge()
    return engine


histories = st.lists(st.tuples(batches, st.sampled_from((True, True, False))), max_size=4)


@often(400)
@given(histories, queries, st.booleans())
def test_filters_and_words_find_what_brute_force_finds(history, query, merged):
    engine = built(history, merged=merged)

    found = engine.search(query)
    expected = engine.brute.search(query, "bm25")

    assert [hit.url for hit in found.hits] == expected.urls, query
    assert [hit.score for hit in found.hits] == pytest.approx([*expected.scores.values()], abs=1e-6)
    assert (found.total, found.total_is_exact) == (len(expected.urls), True)
    engine.close()


@often(300)
@given(histories, queries, st.booleans())
def test_values_are_counted_as_brute_force_counts_them(history, query, merged):
    engine = built(history, merged=merged)

    found = engine.search(query, facets=FACETS)

    assert {
        name: [(v.value, v.count) for v in values] for name, values in found.facets.items()
    } == {name: counted(engine.brute, query, name) for name in FACETS}
    engine.close()


def counted(brute: Brute, query: str, name: str) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for page in matching(brute, query):
        shown = set(brute.values(page, name))
        counts.update({year_of(day) for day in shown} if name == "released" else shown)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:2]


def matching(brute: Brute, query: str) -> list[Any]:
    urls = set(brute.search(query, "bm25").urls)
    return [page for page in brute.pages.values() if page.url in urls]


def year_of(day: int) -> str:
    return str((date(1970, 1, 1) + timedelta(days=day)).year)


@often(300)
@given(histories, queries, st.sampled_from(SORTS), st.booleans(), st.integers(1, 7), st.booleans())
def test_results_are_sorted_as_brute_force_sorts_them(
    history, query, name, descending, limit, merged
):
    engine = built(history, merged=merged)

    sort = f"-{name}" if descending else name
    found = engine.searcher.search(query, limit=limit, similar="all", sort=sort)

    pages = sorted(matching(engine.brute, query), key=lambda page: page.id)
    valued = [page for page in pages if engine.brute.values(page, name)]
    valued.sort(key=lambda page: engine.brute.values(page, name)[0], reverse=descending)
    rest = [page for page in pages if not engine.brute.values(page, name)]
    assert [hit.url for hit in found.hits] == [page.url for page in (valued + rest)[:limit]]
    assert found.total == len(pages)
    engine.close()


# By hand, so that the oracle and the search cannot be wrong together.

PRODUCTS: list[dict[str, Any]] = [
    {"brand": "Acme", "price": Money(10, "EUR"), "in_stock": True, "released": Date("2024-05-31")},
    {"brand": "Acme Corp", "price": Money(50, "EUR"), "in_stock": False, "tags": ["red", "sale"]},
    {"brand": "Other", "price": Money(9.99, "USD"), "released": "2023-01-01", "tags": "red"},
    {"summary": "spiders weave silk", "rating": -4, "notes": "fragile webs"},
    {"price": "cheap", "rating": True, "in_stock": "true", "released": "soon"},  # of no use
]


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    for number, values in enumerate(PRODUCTS):
        document = Document(
            url=f"http://shop.test/{number}",
            text="thing",
            kind="item",
            template="product" if number else "",
            values=values,
        )
        id = document_id(UrlId(b"%016d" % number))
        made.add([Version(id, 1.0, document)], declared=True)
    yield made
    made.close()


def found(engine: Engine, query: str, **how: Any) -> list[int]:
    return [int(hit.url[-1]) for hit in engine.search(query, **how).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("brand:acme", {0}),
        ('brand:"acme corp"', {1}),
        ("brand:acme*", {0, 1}),
        ("thing -brand:acme", {1, 2, 3, 4}),
        ("tags:red", {1, 2}),
        ("tags:(red & sale)", {1}),
        ("price:10..50", {0, 1}),
        ("price:<50", {0, 2}),
        ("price:<=50", {0, 1, 2}),
        ("price:>9.99", {0, 1}),
        ("price:50", {1}),
        ("price_currency:usd", {2}),
        ("rating:-4", {3}),
        ("rating:-5..-1", {3}),
        ("rating:<0", {3}),
        ("in_stock:true", {0}),
        ("in_stock:no", {1}),
        ("released:2024", {0}),
        ("released:<2024", {2}),
        ("summary:silk", {3}),
        ("summary:weav*", {3}),
        ('summary:"weave silk"', {3}),
        ("silk", {3}),
        ("fragile", set()),
        ("notes:fragile", {3}),
        ("notes:silk", set()),
        ("template:product", {1, 2, 3, 4}),
        ("kind:item price:<20 -price_currency:usd", {0}),
        ("domain:shop.test", {0, 1, 2, 3, 4}),
    ],
)
def test_a_filter_finds_exactly_what_fits(engine, query, expected):
    assert set(found(engine, query)) == expected


def test_a_sort_puts_what_has_no_value_last(engine):
    assert found(engine, "thing", sort="price") == [2, 0, 1, 3, 4]
    assert found(engine, "thing", sort="-price") == [1, 0, 2, 3, 4]
    assert found(engine, "thing", sort="brand") == [0, 1, 2, 3, 4]
    assert found(engine, "thing", sort="-brand") == [2, 1, 0, 3, 4]


def test_results_show_the_values_that_are_asked_for(engine):
    [some] = engine.search("brand:acme", fields=("price", "colour")).hits
    [all_of_them] = engine.search("brand:acme", fields=("*",)).hits
    [none] = engine.search("brand:acme").hits

    assert some.values == {"price": Money(10, "EUR")}
    assert all_of_them.values == PRODUCTS[0]
    assert none.values == {}


def test_a_document_is_shown_with_its_kind_template_and_values(engine):
    view = engine.searcher.document(document_id(UrlId(b"%016d" % 1)))

    assert (view.kind, view.template, view.values) == ("item", "product", PRODUCTS[1])


def test_an_explanation_names_the_declared_field_of_a_word(engine):
    [plain] = engine.search("silk", explain=True).hits
    [named] = engine.search("notes:web", explain=True).hits

    assert [(t.term, [f.field for f in t.fields]) for t in plain.explain.terms] == [
        ("silk", ["summary"])
    ]
    assert [(t.term, [f.field for f in t.fields]) for t in named.explain.terms] == [
        ("notes:web", ["notes"])
    ]


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("colour:red", r"no field \"colour\": \"colour:red\" was searched as text"),
        ("in_stock:maybe", "true or false"),
        ("price:cheap", "no number"),
    ],
)
def test_a_field_that_cannot_be_asked_is_searched_as_text_and_a_note_says_so(engine, query, note):
    engine.use(msgspec.structs.replace(SETTINGS, strict_queries=False))

    [said] = engine.search(query).notes

    assert re.search(note, said)
    assert said.endswith(("all of it was searched as plain words", "was searched as text"))


def test_an_unknown_column_is_an_error_that_lists_the_known_ones(engine):
    with pytest.raises(QueryError, match=r"known: .*brand.*price_currency"):
        engine.search("thing", facets=("rating",))
    with pytest.raises(QueryError, match="known: relevance, date, published, fetched, rank, brand"):
        engine.search("thing", sort="tags")


def test_results_are_sorted_by_pagerank_which_may_change_without_the_documents(engine):
    writer = writer_of(engine.index)
    names = [info.name for info in engine.index.manifest().segments]
    put_levels(
        writer,
        {
            name: np.array([level], np.uint8)
            for name, level in zip(names, (3, 9, 1, 9, 0), strict=True)
        },
    )

    assert found(engine, "thing", sort="-rank") == [1, 3, 0, 2, 4]
    assert found(engine, "thing", sort="rank") == [4, 2, 0, 1, 3]
