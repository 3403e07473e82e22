"""What the readers of files share: limits, titles, and how a file becomes a page's document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.page.dates import moment_of
from gossamer.core.page.document import Document, ParsedPage
from gossamer.core.page.language import language_of
from gossamer.core.page.plain_text import file_name, first_line

if TYPE_CHECKING:
    from gossamer.core.page.document import Outlink
    from gossamer.core.page.values import Value

MAX_CHARACTERS: Final = 5_000_000  # of one file; the Bible has 4.3 million
MAX_HEADINGS: Final = 1_000
MAX_AUTHOR: Final = 200  # characters

# Why a file has no document.
NO_TEXT: Final = "file-without-text"
PROTECTED: Final = "file-protected"
DAMAGED: Final = "file-damaged"
TOO_LARGE: Final = "file-too-large"

# What programs write where nobody wrote anything: ReportLab's "(anonymous)", in every property.
_is_placeholder = re.compile(
    r"(?i)\W*(?:(?:anonymous|unspecified|unknown|none|null|undefined|no title|not specified)\W*)?"
).fullmatch
# What they write where a title should be.
_is_no_title = re.compile(
    r"(?i)\W*untitled.*|(?:(?:word|powerpoint) )?(?:document|presentation|slide|sheet|title|layout)"
    r"\W*\d*|(?:document )?sans titre\W*\d*|(?:dokument )?ohne titel\W*\d*|sin título\W*\d*"
    r"|senza titolo\W*\d*|sem título\W*\d*|без названия\W*\d*|無題|无标题|\S+\.\w{2,4}"
).fullmatch
_leading_program = re.compile(r"(?i)^microsoft (word|powerpoint|excel) - ")
_file_ending = re.compile(r"(?i)\.(docx?|pptx?|xlsx?|rtf|indd|qxd|tex|dvi|pdf)$")


class Unreadable(Exception):
    """A file that has no document; its text is the reason, as the ledger has it."""


@dataclass(slots=True)
class FileText:
    """What was read in a file."""

    kind: str
    text: str
    title: str = ""  # as the file itself says
    author: str = ""
    description: str = ""
    created: str = ""  # ISO 8601
    modified: str = ""
    language: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    outlinks: list[Outlink] = field(default_factory=list)


def page_of(found: FileText, url: str) -> ParsedPage:
    """The page that a file is: one document, or none and the reason."""
    text = found.text[:MAX_CHARACTERS].replace("\0", "").strip(" \t\r\n")
    if not text.strip():
        return ParsedPage([], found.outlinks, reason=NO_TEXT)
    document = Document(
        url=url,
        title=title_of(found.title) or first_line(text) or file_name(url),
        description=_written(found.description).strip(),
        headings=found.headings[:MAX_HEADINGS],
        text=text,
        language=found.language.partition("-")[0].lower() or language_of(text),
        published_at=found.created,
        modified_at=found.modified,
        date=(date := _date_of(found)),
        date_source="file" if date else "",
        kind=found.kind,
        values=_values_of(found),
    )
    return ParsedPage([document], found.outlinks)


def title_of(said: str) -> str:
    """A title as a file's properties have it; "" if a program and not a person wrote it."""
    title = _file_ending.sub("", _leading_program.sub("", " ".join(said.split())))
    was_file_name = title != " ".join(said.split()) and " " not in title
    return "" if was_file_name or _is_no_title(title) else _written(title)


def _written(text: str) -> str:
    """Return what a person wrote as a property; "" for a program's placeholder."""
    return "" if _is_placeholder(text) else text


def _date_of(found: FileText) -> str:
    return next((day for day in (found.created, found.modified) if moment_of(day)), "")


def _values_of(found: FileText) -> dict[str, Value]:
    author = _written(" ".join(found.author.split()))[:MAX_AUTHOR]
    return {**found.values, "author": author} if author else found.values
