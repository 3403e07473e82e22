"""Reader of books (EPUB): the chapters in their order, each read as a web page."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from gossamer.core.page import html
from gossamer.core.page.document import ParsedPage
from gossamer.core.page.files.file_text import (
    DAMAGED,
    MAX_CHARACTERS,
    FileText,
    Unreadable,
    page_of,
)
from gossamer.core.page.files.package import Package, attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import Document
    from gossamer.core.page.read_response import StoredResponse

MAX_CHAPTERS: Final = 2_000
_CHAPTER_TYPES: Final = ("application/xhtml+xml", "text/html")
_HEADERS: Final = (("content-type", "application/xhtml+xml; charset=utf-8"),)


def read(response: StoredResponse, rules: Rules) -> ParsedPage:
    """The document in a book."""
    try:
        package = Package(response.body)
        return page_of(_file_text(package, _index(package), response, rules), response.url)
    except Unreadable as reason:
        return ParsedPage([], [], reason=str(reason))


def _index(package: Package) -> str:
    """The member that lists the others."""
    for event, tag, element in package.elements("META-INF/container.xml"):
        if event == "start" and tag == "rootfile":
            return attribute(element, "full-path")
    raise Unreadable(DAMAGED)


def _file_text(package: Package, index: str, response: StoredResponse, rules: Rules) -> FileText:
    said = package.texts(index)
    chapters = list(_documents(package, index, response, rules))
    return FileText(
        kind="epub",
        text="\n".join(chapter.text for chapter in chapters),
        headings=[heading for chapter in chapters for heading in chapter.headings],
        title=said.get("title", ""),
        author=said.get("creator", ""),
        description=said.get("description", ""),
        created=said.get("date", ""),
        language=said.get("language", ""),
    )


def _documents(
    package: Package, index: str, response: StoredResponse, rules: Rules
) -> Iterator[Document]:
    room = MAX_CHARACTERS
    for name in _chapters(package, index):
        if room <= 0:
            return
        chapter = type(response)(package.read(name), response.url, _HEADERS)
        for document in html.read(chapter, rules).documents if chapter.body else ():
            room -= len(document.text)
            yield document


def _chapters(package: Package, index: str) -> list[str]:
    """The members that are chapters, in the order of reading."""
    members: dict[str, str] = {}
    order: list[str] = []
    for event, tag, element in package.elements(index):
        if event == "end":
            continue
        if tag == "item" and attribute(element, "media-type") in _CHAPTER_TYPES:
            members[attribute(element, "id")] = _member(index, attribute(element, "href"))
        elif tag == "itemref":
            order.append(attribute(element, "idref"))
    return [members[id] for id in order[:MAX_CHAPTERS] if id in members]


def _member(index: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(index), unquote(href)))
