"""Reader of plain text: all of it is the main text, its first line the title; it has no links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from gossamer.core.page.charset import decode
from gossamer.core.page.document import Document, ParsedPage
from gossamer.core.page.language import language_of

if TYPE_CHECKING:
    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.read_response import StoredResponse

MAX_TITLE = 100  # characters
MAX_HEAD, MAX_LINES = 5000, 20  # characters and lines in which a title is looked for

_has_word = re.compile(r"[^\W\d_]{2}").search
# For an interpreter, an editor or a version control system.
_is_for_programs = re.compile(r"#!|.*-\*-|\W*\$Id\b|\W*vim:").match
_LEADING, _TRAILING = "#*=-_~/;%|+>!\\\"'. \t", "#*=-_~/|+\\ \t"


def read(response: StoredResponse, rules: Rules) -> ParsedPage:
    """The document in a text."""
    text = decode(response.body, response.content_type).replace("\0", "").strip()
    title = first_line(text) or file_name(response.url)
    language = language_of(text)
    return ParsedPage([Document(url=response.url, title=title, text=text, language=language)], [])


def first_line(text: str) -> str:
    """The first line with words, without what underlines or frames it; "" if none has any."""
    for line in text[:MAX_HEAD].splitlines()[:MAX_LINES]:
        if _has_word(line) and not _is_for_programs(line):
            return _short(" ".join(line.split()).lstrip(_LEADING).rstrip(_TRAILING))
    return ""


def _short(line: str) -> str:
    if len(line) <= MAX_TITLE:
        return line
    cut = line[:MAX_TITLE]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def file_name(url: str) -> str:
    """The last part of an address as people read it; "" if it has none."""
    return _short(" ".join(unquote(urlsplit(url).path.rpartition("/")[2]).split()))
