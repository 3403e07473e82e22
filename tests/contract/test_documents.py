"""Do all document stores keep the promises of `ports.documents`?"""

from __future__ import annotations

import random

import pytest

from gossamer.core.ids import document_id
from gossamer.core.index.anchors import digest
from gossamer.core.page.document import Document
from gossamer.core.page.parts import MOST_DOCUMENTS
from gossamer.core.page.values import Date, Image, Link, Money, Value
from gossamer.core.urls import url_id
from gossamer.ports.documents import PageVersion
from tests.conftest import EMBEDDED
from tests.documents import document_of, documents_of

URL = "http://a.test/"
ID = url_id(URL)


def document(title="A title"):
    return Document(
        url=URL,
        title=title,
        description="über 🕸",
        headings=[(1, "One"), (2, "Two")],
        text="some text " * 50,
        language="en",
        canonical=URL,
        published_at="2024-01-01",
        modified_at="2024-01-02",
        images=["a spider"],
    )


def test_a_document_comes_back_as_it_was_put(backend):
    backend.home.documents.put(ID, [document()], 100.0)

    assert documents_of(backend.reopen(), URL) == [document()]


def test_a_url_without_document_has_none(any_home):
    assert any_home.documents.pages([ID]) == []
    assert any_home.documents.count() == (0, 0)


def test_a_newer_version_replaces_an_older(any_home):
    any_home.documents.put(ID, [document("old")], 100.0)
    any_home.documents.put(ID, [document("new")], 200.0)

    assert list(any_home.documents.all()) == [PageVersion(ID, 200.0, {0: document("new")})]


def test_an_older_version_that_comes_late_does_not_replace_a_newer(any_home):
    any_home.documents.put(ID, [document("new")], 200.0)
    any_home.documents.put(ID, [document("old")], 100.0)

    assert document_of(any_home, URL).title == "new"


def test_putting_the_same_version_twice_keeps_one(any_home):
    any_home.documents.put(ID, [document()], 100.0)
    any_home.documents.put(ID, [document()], 100.0)

    assert any_home.documents.count() == (1, 1)


# --- anchors ---


def anchors_of(home):
    return home.documents.read([ID])[0].anchors


def test_a_document_has_no_anchors_until_some_are_put(any_home):
    any_home.documents.put(ID, [document()], 100.0)

    assert anchors_of(any_home) == ()
    assert any_home.documents.put_anchors({ID: []}) == 0


def test_anchors_are_read_with_the_document(backend):
    backend.home.documents.put(ID, [document()], 100.0)

    assert backend.home.documents.put_anchors({ID: ["Spiders", "über 🕸"]}) == 1

    version = backend.reopen().documents.read([ID])[0]
    assert version.anchors == ("Spiders", "über 🕸")
    assert (version.document, version.fetched_at) == (document(), 100.0)


def test_putting_anchors_tells_whether_anything_changed(any_home):
    any_home.documents.put(ID, [document()], 100.0)
    steps = ("a b", "a b", "a", "a A", "", "")

    changed = [any_home.documents.put_anchors({ID: texts.split()}) for texts in steps]

    assert changed == [1, 0, 1, 1, 1, 0]
    assert anchors_of(any_home) == ()


def test_many_equal_anchors_are_kept_as_a_few(any_home):
    any_home.documents.put(ID, [document()], 100.0)

    any_home.documents.put_anchors({ID: ["odd", *["home"] * 100]})

    assert anchors_of(any_home) == (*["home"] * 7, "odd")


def test_a_url_without_document_gets_no_anchors(any_home):
    assert any_home.documents.put_anchors({ID: ["a"]}) == 0

    assert any_home.documents.count() == (0, 0)
    assert any_home.documents.read([ID]) == []
    any_home.documents.put(ID, [document()], 100.0)
    assert anchors_of(any_home) == ()


def test_anchors_outlast_every_new_version_of_the_document(any_home):
    any_home.documents.put(ID, [document("old")], 100.0)
    any_home.documents.put_anchors({ID: ["a", "b"]})

    for title, at in (("same", 100.0), ("new", 200.0), ("late", 150.0)):
        any_home.documents.put(ID, [document(title)], at)

    version = any_home.documents.read([ID])[0]
    assert (version.document.title, version.anchors) == ("new", ("a", "b"))


def test_a_document_of_any_size_may_have_as_many_anchors_as_are_kept(any_home):
    source = random.Random(1)
    names = [source.randbytes(100).hex() for _ in range(1000)]  # more than there is room for
    for at, size in enumerate((100, 335_000, 345_000, 400_000, 100)):
        text = source.randbytes(size).hex()  # packed in half of its letters
        any_home.documents.put(ID, [Document(url=URL, text=text)], float(at))

        any_home.documents.put_anchors({ID: names[at:]})

        version = any_home.documents.read([ID])[0]
        assert version.document.text == text
        assert version.anchors[:100] == tuple(names[at : at + 100])


@pytest.mark.parametrize("count", [0, 1, 130])
def test_each_of_many_documents_has_its_own_anchors(any_home, count):
    ids = [url_id(f"{URL}{number}") for number in range(count)]
    for number, id in enumerate(ids):
        any_home.documents.put(id, [Document(url=f"{URL}{number}")], 100.0)
        any_home.documents.put_anchors({id: [f"page {number}"] if number % 2 else []})

    found = any_home.documents.read(ids)

    assert [v.anchors for v in found] == [(f"page {n}",) if n % 2 else () for n in range(count)]


def test_stamps_tell_of_each_document_when_it_was_fetched_and_what_it_is_called(any_home):
    other = url_id("http://b.test/")
    any_home.documents.put(ID, [document("old")], 100.0)
    any_home.documents.put(other, [Document(url="http://b.test/")], 300.0)
    any_home.documents.put_anchors({ID: ["a", "b"]})
    any_home.documents.put(ID, [document("new")], 200.0)

    found = sorted(any_home.documents.stamps(), key=lambda stamp: stamp[1])

    assert found == [(ID, 200.0, digest(("a", "b")), (0,)), (other, 300.0, b"", (0,))]


def test_a_document_just_put_is_read_by_those_who_need_not_have_the_newest(any_home):
    any_home.documents.put(ID, [document()], 100.0)

    (version,) = any_home.documents.read([ID, b"0" * 16], newest=False)

    assert version.document == document()


def test_the_stamps_say_of_every_document_its_version_and_its_anchors(any_home):
    other = url_id("http://b.test/")
    any_home.documents.put(ID, [document()], 100.0)
    any_home.documents.put(other, [document()], 100.5)
    any_home.documents.put(other, [document("new")], 200.25)
    any_home.documents.put_anchors({ID: ["spider", "web"]})

    found = sorted(any_home.documents.stamps())

    named = (ID, 100.0, digest(("spider", "web")), (0,))
    assert found == sorted([named, (other, 200.25, b"", (0,))])


VALUES: dict[str, Value] = {
    "brand": "Acme",
    "price": Money(9.99, "EUR"),
    "tags": ["red", "sale"],
    "rating": 4,
    "share": 0.5,
    "in_stock": False,
    "released": Date("2024-05-31"),
    "maker": Link("http://b.test/", "The maker"),
    "pictures": [Image("http://a.test/1.png", "front"), Image("http://a.test/2.png")],
}


def test_typed_values_are_read_as_they_were_put(backend):
    kept = Document(url=URL, kind="pdf", template="product", values=VALUES)

    backend.home.documents.put(ID, [kept], 100.0)

    assert document_of(backend.home, URL) == kept
    assert document_of(backend.reopen(), URL) == kept


# --- pages with none, one or many documents ---

OTHER = "http://b.test/"


def items(*keys, **more):
    return [Document(url=URL, key=key, title=f"item {key}", **more) for key in keys]


def page_of_items(home):
    (page,) = home.documents.pages([ID])
    return page


def keys_of(home):
    return {document.key for document in documents_of(home, URL)}


def ids_by_key(home):
    return {version.document.key: version.id for version in page_of_items(home).versions()}


def test_the_documents_of_a_page_come_back_as_they_were_put(backend):
    whole = [document(), *items("a", "b"), Document(url=URL, place=7, title="seventh")]
    backend.home.documents.put(ID, whole, 100.0)

    page = page_of_items(backend.reopen())

    assert (page.id, page.fetched_at) == (ID, 100.0)
    assert sorted(page.documents) == list(page.documents)
    assert (page.documents[0], page.documents[7].title) == (document(), "seventh")
    assert {found.key for found in page.documents.values()} == {"", "a", "b"}


def test_each_document_of_a_page_is_read_by_its_id(any_home):
    any_home.documents.put(ID, items("a", "b", "c"), 100.0)
    ids = ids_by_key(any_home)

    found = any_home.documents.read([ids["c"], document_id(ID), ids["a"], ids["c"]])

    assert [(v.id, v.document.key, v.fetched_at) for v in found] == [
        (ids[key], key, 100.0) for key in "cac"
    ]


def test_a_newer_version_takes_the_place_of_all_documents_of_a_page(any_home):
    any_home.documents.put(ID, items("a", "b", "c"), 100.0)
    before = ids_by_key(any_home)

    any_home.documents.put(ID, items("d", "c"), 200.0)

    assert any_home.documents.read([before["a"], before["b"]]) == []
    assert any_home.documents.read([before["c"]])[0].fetched_at == 200.0
    assert any_home.documents.count() == (1, 2)


def test_an_older_version_that_comes_late_changes_no_document_of_a_page(any_home):
    any_home.documents.put(ID, items("new"), 200.0)

    any_home.documents.put(ID, items("a", "b"), 100.0)
    any_home.documents.put(ID, [], 150.0)
    any_home.documents.put(ID, [document()], 199.0)

    assert keys_of(any_home) == {"new"}
    assert list(any_home.documents.empty()) == []


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("then", [0, 1, 2])
def test_a_page_may_go_from_any_number_of_documents_to_any_other(backend, first, then):
    pages = {0: [], 1: [document()], 2: items("a", "b")}
    backend.home.documents.put(ID, pages[first], 100.0)

    backend.home.documents.put(ID, pages[then], 200.0)

    home = backend.reopen()
    assert sorted(d.title for d in documents_of(home, URL)) == [d.title for d in pages[then]]
    assert home.documents.count() == (bool(then), then)
    assert list(home.documents.empty()) == ([ID] if not then else [])
    (stamp,) = home.documents.stamps()
    assert (stamp.fetched_at, len(stamp.parts)) == (200.0, then)
    assert stamp.ids() == [version.id for version in page_of_items(home).versions()]


def test_a_page_without_documents_is_remembered(any_home):
    any_home.documents.put(ID, [], 200.0)

    any_home.documents.put(ID, items("late"), 100.0)

    assert list(any_home.documents.all()) == [PageVersion(ID, 200.0, {})]
    assert any_home.documents.count() == (0, 0)


def test_pages_and_documents_are_counted_apart(any_home):
    any_home.documents.put(ID, items("a", "b", "c"), 100.0)
    any_home.documents.put(url_id(OTHER), [Document(url=OTHER)], 100.0)
    any_home.documents.put(url_id(f"{OTHER}x"), [], 100.0)

    assert any_home.documents.count() == (2, 4)
    assert sum(len(page.documents) for page in any_home.documents.all()) == 4


def test_the_names_of_a_page_stay_when_its_documents_change(any_home):
    any_home.documents.put(ID, items("a", "b"), 100.0)
    assert any_home.documents.put_anchors({ID: ["spiders"]}) == 1

    any_home.documents.put(ID, [document()], 200.0)

    (version,) = page_of_items(any_home).versions()
    assert version.names == ("spiders",)


def test_names_of_a_page_with_several_items_are_those_of_none_of_them(any_home):
    any_home.documents.put(ID, items("a", "b"), 100.0)
    any_home.documents.put_anchors({ID: ["spiders"]})

    found = page_of_items(any_home).versions()

    assert [(v.names, v.anchors) for v in found] == [((), ("spiders",))] * 2


def test_very_many_large_documents_of_a_page_are_kept_together(any_home):
    """More than an item of DynamoDB holds."""
    source = random.Random(1)
    many = [
        Document(url=URL, key=str(n), text=source.randbytes(1_000).hex())
        for n in range(MOST_DOCUMENTS)
    ]
    any_home.documents.put(ID, many, 100.0)

    found = page_of_items(any_home).versions()

    assert {v.document.key: v.document for v in found} == {d.key: d for d in many}


def test_a_peek_finds_what_is_there_in_the_order_of_the_ids(any_home):
    other = url_id("http://b.test/")
    any_home.documents.put(ID, [document("one")], 100.0)
    any_home.documents.put(other, [document("other")], 200.0)
    ids = [document_id(url_id("http://none.test/")), document_id(other), document_id(ID)]

    found = any_home.documents.peek(ids)

    assert [(each.id, each.fetched_at) for each in found] == [(ids[1], 200.0), (ids[2], 100.0)]
    assert found == any_home.documents.read(ids)


def test_reading_documents_costs_something_where_it_is_billed(backend):
    documents = backend.home.documents
    documents.put(ID, [document()], 100.0)
    before = documents.reads

    documents.peek([document_id(ID), document_id(url_id("http://none.test/"))])

    assert documents.reads - before == (0.0 if backend.kind in EMBEDDED else 1.0)
