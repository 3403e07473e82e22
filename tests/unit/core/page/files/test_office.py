"""Are office files read as texts with headings, and hostile ones explained within limits?"""

from __future__ import annotations

import pytest

from gossamer.core.page.files import file_text, package
from gossamer.core.page.read_response import OFFICE_TYPES
from tests import made_files
from tests.read_files import parsed

DOCX, PPTX, XLSX, ODT, ODP, ODS = OFFICE_TYPES


def test_a_text_has_its_paragraphs_headings_and_properties():
    body = made_files.docx(
        [
            ("Title", "On Silk"),
            ("", "Silk is strong."),
            ("Heading2", "Glue"),
            ("", "It is viscid."),
        ],
        title="Silk & Glue",
        creator="A. Spider",
        created="2024-05-31T12:00:00Z",
    )

    (document,) = parsed(body, DOCX).documents

    assert document.text == "On Silk\nSilk is strong.\nGlue\nIt is viscid."
    assert document.headings == [(1, "On Silk"), (2, "Glue")]
    assert (document.title, document.kind) == ("Silk & Glue", "docx")
    assert document.values["author"] == "A. Spider"
    assert document.date == "2024-05-31T12:00:00Z"


def test_slides_are_read_in_the_order_of_their_numbers():
    slides = [(f"Title {number}", f"Text {number}") for number in range(1, 12)]

    (document,) = parsed(made_files.pptx(slides), PPTX).documents

    assert document.text.split("\n") == [line for slide in slides for line in slide]
    assert document.headings == [(1, title) for title, _ in slides]
    assert document.kind == "pptx"


def test_a_row_of_a_sheet_is_a_line_and_the_sheet_a_heading():
    body = made_files.xlsx("Spiders", [["name", "legs"], ["garden spider", 8], ["crab", 8.5]])

    (document,) = parsed(body, XLSX).documents

    assert document.text == "Spiders\nname legs\ngarden spider 8\ncrab 8.5"
    assert document.headings == [(1, "Spiders")]
    assert document.kind == "xlsx"


def test_the_text_of_open_documents_keeps_its_order():
    content = (
        '<text:h text:outline-level="2">On <text:span>Silk</text:span></text:h>'
        "<text:p>Silk <text:span>is</text:span> strong<text:note><text:p>a note</text:p>"
        "</text:note>,<text:s/>and light.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>legs</text:p></table:table-cell>"
        "<table:table-cell><text:p>8</text:p></table:table-cell></table:table-row></table:table>"
    )

    (document,) = parsed(made_files.odt(content, "<dc:title>Silk</dc:title>"), ODT).documents

    assert document.text == "On Silk\nSilk is stronga note, and light.\nlegs 8"
    assert document.headings == [(2, "On Silk")]
    assert (document.title, document.kind) == ("Silk", "odt")


@pytest.mark.parametrize(("kind", "expected"), [("spreadsheet", "ods"), ("presentation", "odp")])
def test_the_kind_of_an_open_document_is_what_it_says(kind, expected):
    body = made_files.odt("<text:p>Silk</text:p>", kind=kind)

    (document,) = parsed(body, ODT).documents

    assert document.kind == expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", file_text.DAMAGED),
        (b"PK\x03\x04 and nothing more", file_text.DAMAGED),
        (made_files.archive({"word/document.xml": "<w:document"}), file_text.DAMAGED),
        (made_files.archive({"readme.txt": "no office file"}), file_text.NO_TEXT),
        (made_files.docx([("", " ")]), file_text.NO_TEXT),
    ],
)
def test_a_file_that_cannot_be_read_has_a_reason(body, reason):
    found = parsed(body, DOCX)

    assert (found.documents, found.reason) == ([], reason)


def test_entities_are_never_expanded():
    bomb = (
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        "<w:document><w:body><w:p><w:t>&b;</w:t></w:p></w:body></w:document>"
    )

    found = parsed(made_files.archive({"word/document.xml": bomb}), DOCX)

    assert (found.documents, found.reason) == ([], file_text.DAMAGED)


def test_a_zip_bomb_is_unpacked_to_a_limit_and_no_further(monkeypatch):
    monkeypatch.setattr(package, "MAX_UNPACKED", 1_000_000)
    bomb = made_files.archive({"word/document.xml": b"<a>" + b" " * 5_000_000 + b"</a>"})

    found = parsed(bomb, DOCX)

    assert len(bomb) < 100_000
    assert (found.documents, found.reason) == ([], file_text.TOO_LARGE)


def test_elements_without_end_are_too_many(monkeypatch):
    monkeypatch.setattr(package, "MAX_ELEMENTS", 1_000)
    bomb = made_files.archive({"word/document.xml": "<a>" + "<b/>" * 2_000 + "</a>"})

    assert parsed(bomb, DOCX).reason == file_text.TOO_LARGE


def test_a_cell_that_names_no_text_is_empty():
    cells = '<row><c t="s"><v>7</v></c><c><v>8</v></c></row>'
    sheet = f"<worksheet><sheetData>{cells}</sheetData></worksheet>"
    body = made_files.archive({"xl/worksheets/sheet1.xml": sheet})

    (document,) = parsed(body, XLSX).documents

    assert document.text == "8"


def test_elements_inside_each_other_have_a_limit():
    nested = {"word/document.xml": b"<a>" * (package.MAX_DEPTH + 1)}

    assert parsed(made_files.archive(nested), DOCX).reason == "file-too-large"
