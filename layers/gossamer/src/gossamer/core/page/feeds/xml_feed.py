"""Reader of the entries of RSS 2.0, RSS 1.0 and Atom.

As in sitemaps, expat streams: a broken feed keeps what came before the break, and a document type
ends the reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from gossamer.core.page.feeds.entry import MAX_CONTENT, MAX_ENTRIES, Entry
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NESTING: Final = 100  # content may be XHTML
MAX_ELEMENTS: Final = 200_000
_HOLDERS: Final = ("item", "entry")
_STARTS: Final = (b"<rss", b"<feed", b"rdf:rdf", b":feed")
# Where an entry has what, by the names of RSS and Dublin Core, then by those of Atom.
_FIELDS: Final = {
    "title": "title",
    "description": "summary",
    "summary": "summary",
    "encoded": "content",
    "content": "content",
    "pubdate": "date",
    "published": "date",
    "date": "date",
    "updated": "modified",
    "creator": "author",
    "author": "author",
}


class _Enough(Exception):
    """Nothing more is to be read; it leaves expat's loop."""


def looks_like_feed(body: bytes) -> bool:
    """Whether XML may be a feed, by its beginning."""
    head = body[:2_000].replace(b"\0", b"").lower()  # of UTF-16 every second byte
    return any(start in head for start in _STARTS)


def read_xml(body: bytes, url: str) -> tuple[list[Entry], str]:
    """The entries of a feed, and its language. Never raises."""
    reader = _Reader(url)
    reader.read(body)
    return reader.entries, reader.language


class _Reader:
    """Collects entries, whatever the namespaces are called."""

    def __init__(self, url: str) -> None:
        self.entries: list[Entry] = []
        self.language = ""
        self._url = url
        self._path: list[str] = []
        self._elements = 0
        self._entry: Entry | None = None
        self._guid = ""
        self._collecting = 0  # depth of the element whose text is collected; 0 if none is
        self._text: list[str] = []
        self._room = 0

    def read(self, body: bytes) -> None:
        """Read as far as it goes."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        refuse: Callable[..., None] = self._refuse
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
        try:
            parser.Parse(body, True)
        except (expat.ExpatError, _Enough, LookupError, ValueError):
            return

    def _refuse(self, *_declaration: object) -> None:
        raise _Enough

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if len(self._path) >= MAX_NESTING or self._elements > MAX_ELEMENTS:
            raise _Enough
        tag = name.rpartition(":")[2].lower()
        self._path.append(tag)
        if self._entry is None:
            self.language = self.language or attributes.get("xml:lang", "")
            if tag in _HOLDERS:
                self._begin(attributes)
        elif self._collecting and self._path[-2:] != ["author", "name"]:
            self._add(" ")  # an element of XHTML parts words
        elif self._path[-2] in (*_HOLDERS, "author"):
            self._begin_field(tag, name, attributes)

    def _begin(self, attributes: dict[str, str]) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            raise _Enough
        base = normalise(attributes.get("xml:base", ""), self._url) or self._url
        self._entry, self._guid = Entry(base), ""

    def _begin_field(self, tag: str, name: str, attributes: dict[str, str]) -> None:
        entry = self._entry
        if entry is None:
            return
        if tag == "link" and "href" in attributes:
            self._take_link(entry, attributes)
        elif tag == "enclosure" and "url" in attributes:
            entry.enclosures.append((attributes["url"], attributes.get("type", "")))
        elif tag in ("link", "guid", "name", *_FIELDS) and not name.startswith("media:"):
            is_address = attributes.get("isPermaLink", "true").strip().lower() != "false"
            if tag != "guid" or is_address:
                self._collecting, self._text, self._room = len(self._path), [], MAX_CONTENT

    def _take_link(self, entry: Entry, attributes: dict[str, str]) -> None:
        kind = attributes.get("rel", "alternate").lower()
        if kind == "alternate":
            entry.link = entry.link or attributes["href"]
        elif kind == "enclosure":
            entry.enclosures.append((attributes["href"], attributes.get("type", "")))

    def _data(self, data: str) -> None:
        if self._collecting:
            self._add(data)
        elif not self.language and self._path[-1:] == ["language"]:
            self.language = data.strip()[:20]

    def _add(self, data: str) -> None:
        if self._room > 0:
            self._text.append(data[: self._room])
            self._room -= len(data)

    def _end(self, _name: str) -> None:
        depth, tag = len(self._path), self._path.pop()
        if self._collecting == depth:
            self._collecting = 0
            self._keep(tag, "".join(self._text).strip())
        elif tag in _HOLDERS and self._entry is not None and not self._collecting:
            self._entry.link = self._entry.link or self._guid
            self.entries.append(self._entry)
            self._entry = None

    def _keep(self, tag: str, text: str) -> None:
        entry = self._entry
        if entry is None or not text:
            return
        if tag == "guid":
            self._guid = text
        else:
            name = "author" if tag == "name" else "link" if tag == "link" else _FIELDS[tag]
            if not getattr(entry, name):  # the first counts
                setattr(entry, name, text)
