"""Reader of office files: DOCX, PPTX, XLSX, and ODT, ODS, ODP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.document import ParsedPage
from gossamer.core.page.files.file_text import FileText, Unreadable, page_of
from gossamer.core.page.files.lines import Lines
from gossamer.core.page.files.package import Package, attribute, local
from gossamer.core.page.files.sheets import read_sheets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.read_response import StoredResponse

_WORD: Final = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_slide_number = re.compile(r"ppt/slides/slide(\d+)\.xml").fullmatch
_heading_style = re.compile(r"(?i)(?:heading|berschrift|titre|kop|ttulo)\s*(\d)?").search
_TITLES: Final = ("title", "ctrTitle")  # of the shapes of a slide
_PARAGRAPHS: Final = ("p", "h")  # of OpenDocument; one may contain a note with others
_SPACES: Final = ("s", "tab", "line-break")


def read(response: StoredResponse, _rules: Rules) -> ParsedPage:
    """The document in an office file."""
    try:
        return page_of(_file_text(Package(response.body)), response.url)
    except Unreadable as reason:
        return ParsedPage([], [], reason=str(reason))


def _file_text(package: Package) -> FileText:
    if "content.xml" in package:
        return _open_document(package)
    lines = Lines()
    if "word/document.xml" in package:
        kind = "docx"
        _read_word(package, lines)
    elif "ppt/presentation.xml" in package:
        kind = "pptx"
        _read_slides(package, lines)
    else:
        kind = "xlsx"
        read_sheets(package, lines)
    said = package.texts("docProps/core.xml")
    return FileText(
        kind=kind,
        text=lines.text,
        headings=lines.headings,
        title=said.get("title", ""),
        author=said.get("creator", ""),
        description=said.get("description", "") or said.get("subject", ""),
        created=said.get("created", ""),
        modified=said.get("modified", ""),
        language=said.get("language", ""),
    )


def _read_word(package: Package, lines: Lines) -> None:
    """Paragraphs; one is a heading by its style or its outline level."""
    for member in _WORD:
        for event, tag, element in package.elements(member):
            if event == "end":
                _take_word(tag, element, lines)


def _take_word(tag: str, element: Element, lines: Lines) -> None:
    match tag:
        case "t":
            lines.add(element.text or "")
        case "tab" | "br" | "cr":
            lines.add(" ")
        case "pStyle":
            lines.level = _level_of_style(attribute(element, "val")) or lines.level
        case "outlineLvl":
            lines.level = _level(attribute(element, "val"), 1) or lines.level
        case "p":
            lines.end()


def _level_of_style(name: str) -> int:
    if name in ("Title", "Titel"):
        return 1
    found = _heading_style(name)
    return int(found[1] or 1) if found else 0


def _level(number: str, more: int = 0) -> int:
    """The level of a heading; 0 for what is none, as the outline level 9 of plain text."""
    level = int(number) + more if number.isdigit() and len(number) < 3 else 0
    return level if level <= 6 else 0


def _read_slides(package: Package, lines: Lines) -> None:
    numbered = ((_slide_number(name), name) for name in package.names)
    slides = sorted((int(found[1]), name) for found, name in numbered if found)
    for _, name in slides:
        _read_slide(package, name, lines)


def _read_slide(package: Package, name: str, lines: Lines) -> None:
    """Paragraphs; those in the shape for the title are headings."""
    is_title = False
    for event, tag, element in package.elements(name):
        match event, tag:
            case "start", "sp":
                is_title = False
            case "start", "ph":
                is_title = attribute(element, "type") in _TITLES
            case "end", "t":
                lines.add(element.text or "")
            case "end", "br":
                lines.add(" ")
            case "end", "p":
                lines.level = int(is_title)
                lines.end()


def _open_document(package: Package) -> FileText:
    lines = Lines()
    _read_open_document(package, lines)
    said = package.texts("meta.xml")
    kind = package.read("mimetype").decode("ascii", "ignore").strip().rpartition(".")[2]
    return FileText(
        kind={"spreadsheet": "ods", "presentation": "odp"}.get(kind, "odt"),
        text=lines.text,
        headings=lines.headings,
        title=said.get("title", ""),
        author=said.get("initial-creator", "") or said.get("creator", ""),
        description=said.get("description", "") or said.get("subject", ""),
        created=said.get("creation-date", ""),
        modified=said.get("date", ""),
        language=said.get("language", ""),
    )


def _read_open_document(package: Package, lines: Lines) -> None:
    """Paragraphs and headings; in a table, the cells of a row are one line."""
    rows = depth = 0
    for event, tag, element in package.elements("content.xml", _PARAGRAPHS):
        change = 1 if event == "start" else -1
        if tag == "table-row":
            rows += change
            if not rows:
                lines.end()
        elif tag in _PARAGRAPHS:
            depth += change
            if not depth:
                lines.add("".join(_pieces(element)))
                lines.level = (_level(attribute(element, "outline-level")) or 1) * (tag == "h")
                lines.add(" ") if rows else lines.end()


def _pieces(element: Element) -> Iterator[str]:
    """The text of a paragraph in order; spaces and tabs are elements of their own."""
    yield element.text or ""
    for inner in element:
        yield " " if local(inner.tag) in _SPACES else "".join(_pieces(inner))
        yield inner.tail or ""
