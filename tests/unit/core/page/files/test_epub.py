"""Is a book read in the order of its chapters?"""

from __future__ import annotations

from gossamer.core.page.files import file_text
from tests import made_files
from tests.read_files import parsed

TYPE = "application/epub+zip"
LONG = "It is stronger than steel of the same weight, and much lighter. " * 5


def test_chapters_are_read_in_the_order_of_the_spine():
    chapters = [f"<h1>{name}</h1><p>{name} is a matter of spiders. {LONG}</p>" for name in "ABC"]

    (document,) = parsed(made_files.epub("On Silk", chapters), TYPE).documents

    assert [heading for _, heading in document.headings] == ["A", "B", "C"]
    places = [document.text.index(f"{name} is a matter") for name in "ABC"]
    assert places == sorted(places)
    assert (document.title, document.kind, document.language) == ("On Silk", "epub", "en")
    assert document.values["author"] == "A. Spider"


def test_a_book_without_a_list_of_its_parts_is_damaged():
    found = parsed(made_files.archive({"mimetype": TYPE}), TYPE)

    assert (found.documents, found.reason) == ([], file_text.DAMAGED)


def test_a_chapter_that_is_missing_leaves_the_others():
    chapters = [f"<p>{name} is a matter of spiders. {LONG}</p>" for name in "AB"]

    body = made_files.epub("On Silk", chapters, missing=[0])

    (document,) = parsed(body, TYPE).documents
    assert "B is a matter" in document.text
    assert "A is a matter" not in document.text
