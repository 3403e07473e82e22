"""Reader of Markdown: headings, links, and the text without its marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.charset import decode
from gossamer.core.page.document import Outlink
from gossamer.core.page.files.file_text import MAX_CHARACTERS, FileText, page_of
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.read_response import StoredResponse

MAX_LINKS: Final = 10_000
_front_matter = re.compile(r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL).match
_named = re.compile(r"^([a-z]\w{0,30}):[ \t]*(.{1,500})$", re.MULTILINE | re.IGNORECASE).findall
_fence = re.compile(r" {0,3}(```|~~~)").match
_heading = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$").match
_underline = re.compile(r" {0,3}(=+|-+)[ \t]*$").match
_inline_link = re.compile(r"(!?)\[([^\[\]]{0,500})\]\(\s*<?([^()\s<>]{1,2000})>?[^()\n]{0,300}\)")
_auto_link = re.compile(r"<(https?://[^\s<>]{1,2000})>")
_marks = re.compile(r"(\*{1,3}|_{2,3}|`{1,3}|~~)(?=\S)(.+?)(?<=\S)\1")
_list_or_quote = re.compile(r"^ {0,12}(?:[-*+>]|\d{1,9}[.)])[ \t]+")


def read(response: StoredResponse, _rules: Rules) -> ParsedPage:
    """The document in a Markdown file."""
    text = decode(response.body, response.content_type).replace("\0", "").lstrip("\ufeff")
    text = text[:MAX_CHARACTERS].replace("\r\n", "\n")
    front = _front_matter(text)
    said = {name.lower(): _unquoted(value) for name, value in _named(front[1])} if front else {}
    body = text[front.end() :] if front else text
    lines, headings = _read_lines(body)
    first = next((heading for level, heading in headings if level == 1), "")
    found = FileText(
        kind="markdown",
        text="\n".join(lines),
        title=said.get("title", "") or first,
        author=said.get("author", ""),
        description=said.get("description", ""),
        created=said.get("date", ""),
        headings=headings,
        outlinks=list(_links(body, response.url))[:MAX_LINKS],
    )
    return page_of(found, response.url)


def _unquoted(value: str) -> str:
    return value.strip().strip("\"'")


def _read_lines(body: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The lines without marks, and the headings. What is fenced is code and stays as it is."""
    lines: list[str] = []
    headings: list[tuple[int, str]] = []
    is_code = False
    for line in body.split("\n"):
        if _fence(line):
            is_code = not is_code
        elif is_code:
            lines.append(line)
        elif found := _heading(line):
            lines.append(_plain(found[2]))
            headings.append((len(found[1]), lines[-1]))
        elif _underline(line):
            if lines and lines[-1].strip():
                headings.append((1 if "=" in line else 2, lines[-1].strip()))
        else:
            lines.append(_plain(line))
    return lines, headings


def _plain(line: str) -> str:
    """A line as it is read."""
    line = _list_or_quote.sub("", line)
    line = _auto_link.sub(r"\1", _inline_link.sub(r"\2", line))
    return _marks.sub(r"\2", line)


def _links(body: str, base: str) -> Iterator[Outlink]:
    for is_image, anchor, target in _inline_link.findall(body):
        url = None if is_image else normalise(target, base)
        if url is not None:
            yield Outlink(url, _plain(anchor))
    for target in _auto_link.findall(body):
        if (url := normalise(target, base)) is not None:
            yield Outlink(url)
