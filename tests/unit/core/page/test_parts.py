from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.ids import document_id, page_of, part_of
from gossamer.core.page import parts as module
from gossamer.core.page.document import Document
from gossamer.core.page.parts import MOST_DOCUMENTS, PAGE, main_part, parts_of
from gossamer.core.urls import url_id

URL = "http://a.test/"
PLACES = 1 << 31  # parts below come from places


def item(key: str = "", place: int = 0, title: str = "") -> Document:
    return Document(url=URL, key=key, place=place, title=title)


def by_key(documents: list[Document]) -> dict[str, int]:
    return {document.key: part for part, document in parts_of(documents).items()}


keyed = st.lists(st.text(min_size=1), max_size=30, unique=True)


def test_a_plain_page_is_part_0_and_has_the_id_of_its_page():
    found = parts_of([item()])

    assert list(found) == [PAGE]
    assert bytes(document_id(url_id(URL), PAGE)) == bytes(url_id(URL))


def test_a_page_without_documents_has_no_parts():
    assert parts_of([]) == {}


def test_items_without_keys_are_known_by_their_places():
    found = parts_of([item(), item(place=1), item(place=2, title="second")])

    assert list(found) == [0, 1, 2]
    assert found[2].title == "second"


@given(keyed, st.randoms())
def test_an_item_with_a_key_keeps_its_part_wherever_it_stands(keys, chance):
    moved = list(keys)
    chance.shuffle(moved)

    before = by_key([item(key, place) for place, key in enumerate(keys, 1)])
    after = by_key([item(), *(item(key, place) for place, key in enumerate(moved, 1))])

    assert before == {key: after[key] for key in keys}
    assert all(part >= PLACES for part in before.values())


@given(keyed, st.data())
def test_an_item_with_a_key_keeps_its_part_when_others_come_and_go(keys, data):
    left = data.draw(st.sets(st.sampled_from(keys)) if keys else st.just(set()))

    before, after = by_key([*map(item, keys)]), by_key([*map(item, sorted(left)), item("new")])

    assert {key: before[key] for key in left} == {key: after[key] for key in left}


@given(st.lists(st.builds(item, st.text(max_size=2), st.integers(-9, 2**40)), max_size=40))
def test_parts_are_distinct_in_order_and_fit_an_id(documents):
    found = parts_of(documents)

    assert list(found) == sorted(found)
    for part in found:
        id = document_id(url_id(URL), part)
        assert (page_of(id), part_of(id)) == (url_id(URL), part)
    keys = {document.key for document in documents if document.key}
    assert len(found) == len(keys) + sum(not document.key for document in documents)


def test_of_items_with_the_same_key_the_first_counts():
    assert [d.title for d in parts_of([item("a", 1, "one"), item("a", 2, "two")]).values()] == [
        "one"
    ]


def test_documents_of_one_place_are_numbered_on():
    assert list(parts_of([item(), item(), item(place=1)])) == [0, 1, 2]


def test_keys_whose_parts_are_equal_do_not_replace_each_other(monkeypatch):
    monkeypatch.setattr(module, "_of_key", lambda _: 2**32 - 1)

    one, other = by_key([item("a"), item("b")]), by_key([item("b"), item("a")])

    assert one == other == {"a": 2**32 - 1, "b": PLACES}


def test_of_a_page_of_very_many_items_the_first_are_kept():
    found = parts_of(item(f"{number}") for number in range(MOST_DOCUMENTS + 5))

    assert {document.key for document in found.values()} == {str(n) for n in range(MOST_DOCUMENTS)}


@pytest.mark.parametrize(
    ("parts", "main"),
    [((), None), ((0,), 0), ((0, 5, 7), 0), ((7,), 7), ((5, 7), None)],
)
def test_names_of_a_page_mean_the_page_itself_or_its_only_document(parts, main):
    assert main_part(parts) == main
