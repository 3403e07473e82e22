from __future__ import annotations

import pytest

from gossamer.core.page.document import Document
from gossamer.core.page.host_language import in_language_of_host, majority_language, told_language
from gossamer.core.page.language import may_be_in

URL = "http://a.test/"


@pytest.mark.parametrize(
    ("pages", "language"),
    [
        ({}, ""),
        ({"en": 4}, ""),
        ({"en": 5}, "en"),
        ({"en": 6, "de": 3}, "en"),
        ({"en": 5, "de": 3}, ""),
        ({"en": 3, "de": 3}, ""),
        ({"en": 4, "de": 1, "fr": 1}, "en"),
    ],
)
def test_a_majority_is_clear_or_there_is_none(pages, language):
    assert majority_language(pages) == language


def test_a_page_tells_the_language_of_its_first_document_that_has_one():
    assert told_language([]) == ""
    assert told_language([Document(url=URL), Document(url=URL, language="de")]) == "de"
    assert told_language([Document(url=URL, language="of no standard")]) == ""


def test_only_documents_without_a_language_get_one():
    documents = [Document(url=URL, language="de"), Document(url=URL, text="a | b")]

    assert [d.language for d in in_language_of_host(documents, {"en": 9})] == ["de", "en"]
    assert in_language_of_host(documents, {"en": 4}) == documents


@pytest.mark.parametrize(
    ("language", "text", "may"),
    [
        ("en", "CREATE TABLE a (b int)", True),
        ("eu", "CREATE TABLE a (b int)", True),
        ("nb", "", True),
        ("ru", "CREATE TABLE a (b int)", False),
        ("ru", "Перечень таблиц", True),
        ("en", "Перечень таблиц", False),
        ("ja", "東京都", True),
        ("zh", "東京都", True),
        ("zh", "ひらがな", False),
        ("ko", "東京都", False),
    ],
)
def test_a_text_may_be_in_a_language_by_its_letters(language, text, may):
    assert may_be_in(language, text) is may
