"""Reader of PDF files, by PDFium: text page by page, properties, and the outline as headings.

Pages are separated by form feeds, so that a result can name the page of its snippet.
"""

from __future__ import annotations

import re
import time
from itertools import islice
from typing import TYPE_CHECKING, Final

import pypdfium2

from gossamer.core.page.document import ParsedPage
from gossamer.core.page.files.file_text import (
    DAMAGED,
    MAX_CHARACTERS,
    MAX_HEADINGS,
    PROTECTED,
    FileText,
    page_of,
)
from gossamer.core.page.files.page_breaks import KIND, PAGE_BREAK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.read_response import StoredResponse

MAX_PAGES: Final = 10_000
MAX_SECONDS: Final = 8.0  # of CPU; a thousand pages of text take two. What was read by then stays
MAX_OUTLINE_DEPTH: Final = 6
_PASSWORD: Final = 4  # FPDF_ERR_PASSWORD

# PDFium marks a hyphen at the end of a line, which is none inside of it.
_join_hyphens = re.compile("[\x02\ufffe]\r?\n?").sub
_read_date = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(.*)").match
_read_zone = re.compile(r"([+-])(\d\d)'?(\d\d)?").match


def read(response: StoredResponse, _rules: Rules) -> ParsedPage:
    """The document in a PDF file."""
    try:
        file = pypdfium2.PdfDocument(response.body)
    except pypdfium2.PdfiumError as error:
        reason = PROTECTED if error.err_code == _PASSWORD else DAMAGED
        return ParsedPage([], [], reason=reason)
    try:
        return page_of(_file_text(file), response.url)
    finally:
        file.close()


def _file_text(file: pypdfium2.PdfDocument) -> FileText:
    said = file.get_metadata_dict(skip_empty=True)
    return FileText(
        kind=KIND,
        text=PAGE_BREAK.join(_pages(file)),
        title=said.get("Title", ""),
        author=said.get("Author", ""),
        description=said.get("Subject", ""),
        created=iso_date(said.get("CreationDate", "")),
        modified=iso_date(said.get("ModDate", "")),
        headings=list(_outline(file)),
        values={"pages": len(file)},
    )


def _pages(file: pypdfium2.PdfDocument) -> Iterator[str]:
    """The text of each page, as far as time and room go."""
    end, room = time.process_time() + MAX_SECONDS, MAX_CHARACTERS
    for number in range(min(len(file), MAX_PAGES)):
        if room <= 0 or time.process_time() > end:
            return
        text = _text_of(file, number)
        room -= len(text)
        yield text


def _text_of(file: pypdfium2.PdfDocument, number: int) -> str:
    """The text of a page; "" if that page is damaged."""
    try:
        page = file[number]
        text_page = page.get_textpage()
        text = text_page.get_text_range()
        text_page.close()
        page.close()
    except pypdfium2.PdfiumError:
        return ""
    return _join_hyphens("", text).replace("\r\n", "\n").replace(PAGE_BREAK, " ").strip()


def _outline(file: pypdfium2.PdfDocument) -> Iterator[tuple[int, str]]:
    try:
        entries = list(islice(file.get_toc(max_depth=MAX_OUTLINE_DEPTH), MAX_HEADINGS))
    except (pypdfium2.PdfiumError, RecursionError):
        return
    for entry in entries:
        title = " ".join(entry.get_title().replace("\0", "").split())
        if title:
            yield min(entry.level + 1, MAX_OUTLINE_DEPTH), title


def iso_date(text: str) -> str:
    """A date as PDF writes it (D:20240531120000+02'00'), as ISO 8601 has it; "" if it is none."""
    found = _read_date(text.strip())
    if not found:
        return ""
    year, month, day, hour, minute, second, rest = found.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None or minute is None:
        return date
    zone = _read_zone(rest)
    offset = f"{zone[1]}{zone[2]}:{zone[3] or '00'}" if zone else "Z" if rest[:1] == "Z" else ""
    return f"{date}T{hour}:{minute}:{second or '00'}{offset}"
