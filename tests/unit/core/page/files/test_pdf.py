"""Is a PDF file read page by page, with what it says of itself, and is a bad one explained?"""

from __future__ import annotations

import pytest

from gossamer.core.page.files import file_text, pdf
from gossamer.core.page.files.page_breaks import PAGE_BREAK
from gossamer.core.page.files.pdf import iso_date
from tests import made_files
from tests.read_files import parsed

TYPE = "application/pdf"


def test_pages_are_read_in_order_and_separated():
    body = made_files.pdf(["Silk is strong.\nIt is light.", "", "Glue is viscid."])

    (document,) = parsed(body, TYPE).documents

    pages = document.text.split(PAGE_BREAK)
    assert [" ".join(page.split()) for page in pages] == [
        *("Silk is strong. It is light.", "", "Glue is viscid."),
    ]
    assert document.kind == "pdf"
    assert document.values["pages"] == 3


def test_a_file_says_its_title_author_and_dates_and_its_outline_are_headings():
    said = {
        "Title": "On Silk",
        "Author": "A.  Spider",
        "Subject": "threads",
        "CreationDate": "D:20240531120000+02'00'",
        "ModDate": "D:20250101",
    }
    body = made_files.pdf(["Silk is strong."], said, ["Introduction", "Glue"])

    (document,) = parsed(body, TYPE).documents

    assert (document.title, document.description) == ("On Silk", "threads")
    assert document.values["author"] == "A. Spider"
    assert document.published_at == document.date == "2024-05-31T12:00:00+02:00"
    assert (document.modified_at, document.date_source) == ("2025-01-01", "file")
    assert document.headings == [(1, "Introduction"), (1, "Glue")]


@pytest.mark.parametrize(
    "title",
    [
        *("", "untitled", "(untitled)", "Untitled-1", "(anonymous)", "anonymous", "(unspecified)"),
        *(
            "Microsoft Word - thesis.doc",
            "report_final.indd",
            "Document1",
            "PowerPoint Presentation",
        ),
        *("Microsoft Word - Dokument ohne Titel", "Sans titre 2", "no title"),
    ],
)
def test_a_title_that_a_program_wrote_gives_way_to_the_first_line(title):
    body = made_files.pdf(["The strength of silk\nText follows."], {"Title": title})

    (document,) = parsed(body, TYPE).documents

    assert document.title == "The strength of silk"


@pytest.mark.parametrize(
    "title", ["Anonymous letters", "The unknown", "Titles of works", "None left"]
)
def test_a_title_with_the_word_of_a_placeholder_stays(title):
    (document,) = parsed(made_files.pdf(["Some text."], {"Title": title}), TYPE).documents

    assert document.title == title


def test_other_properties_that_a_program_filled_in_are_left_out():
    said = {"Title": "(anonymous)", "Author": "(anonymous)", "Subject": "(unspecified)"}

    (document,) = parsed(made_files.pdf(["Silk\nis strong."], said), TYPE).documents

    assert (document.title, document.description) == ("Silk", "")
    assert "author" not in document.values


def test_a_scanned_file_has_no_document_and_a_reason():
    found = parsed(made_files.pdf(["", ""]), TYPE)

    assert (found.documents, found.reason) == ([], file_text.NO_TEXT)


@pytest.mark.parametrize("body", [b"", b"%PDF-1.7\n", b"<html>no", made_files.pdf(["x"])[:100]])
def test_a_damaged_file_has_no_document_and_a_reason(body):
    found = parsed(body, TYPE)

    assert (found.documents, found.reason) == ([], file_text.DAMAGED)


def test_a_page_that_cannot_be_read_leaves_the_others():
    body = made_files.pdf(["Silk is strong.", "Glue is viscid."])
    first = body.index(b"/Contents")

    broken = body[:first] + b"/Contemts" + body[first + 9 :]

    (document,) = parsed(broken, TYPE).documents
    assert document.text.strip(PAGE_BREAK) == "Glue is viscid."


def test_what_was_read_in_time_stays(monkeypatch):
    body = made_files.pdf([f"Page {number}" for number in range(10)])
    monkeypatch.setattr(pdf, "MAX_PAGES", 3)

    (document,) = parsed(body, TYPE).documents

    assert document.text.split(PAGE_BREAK) == ["Page 0", "Page 1", "Page 2"]
    assert document.values["pages"] == 10


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("D:20240531", "2024-05-31"),
        ("D:2024", "2024-01-01"),
        ("20240531120000", "2024-05-31T12:00:00"),
        ("D:20240531120000Z", "2024-05-31T12:00:00Z"),
        ("D:20240531120000-05'30'", "2024-05-31T12:00:00-05:30"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates_of_pdf_become_dates_of_iso(written, expected):
    assert iso_date(written) == expected
