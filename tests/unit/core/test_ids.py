from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.ids import URL_ID_BYTES, document_id, page_of, part_of
from gossamer.core.urls import sitemap_id, url_id

PAGE = url_id("http://a.test/")


def test_the_document_of_a_plain_page_has_the_id_of_its_url():
    assert bytes(document_id(PAGE)) == bytes(PAGE)


@given(st.text(), st.text(), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_documents_are_one_exactly_if_page_and_part_are(one, other, part, another):
    same = document_id(url_id(one), part) == document_id(url_id(other), another)

    assert same == ((one, part) == (other, another))


@given(st.text(), st.integers(0, 2**32 - 1))
def test_a_document_tells_its_page_and_its_part(url, part):
    id = document_id(url_id(url), part)

    assert (page_of(id), part_of(id)) == (url_id(url), part)


def test_every_url_id_has_the_same_length():
    assert {len(PAGE), len(sitemap_id("http://a.test/")), len(url_id(""))} == {URL_ID_BYTES}
