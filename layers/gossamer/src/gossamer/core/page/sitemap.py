"""Reader of sitemaps and feeds: the URLs they name, and when each changed, as they say.

Sitemaps as sitemaps.org has them, plain text and gzip included; RSS 2.0, RSS 1.0, Atom and JSON
Feed, whose entries are documents (feeds/). Expat reads the XML because it streams, so that a broken
file keeps what came before the break, and because it reports a document type before acting on it:
there the reading ends, nothing is expanded.
"""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from xml.parsers import expat

from gossamer.core.page.dates import moment_of
from gossamer.core.page.document import Outlink, ParsedPage
from gossamer.core.page.feeds.reading import documents_of, entries_of
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.read_response import StoredResponse

MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # sitemaps.org: uncompressed
MAX_SITEMAP_URLS = 50_000
MAX_LINES = 2 * MAX_SITEMAP_URLS  # of a plain one; 50 KB of gzip hold six million
MAX_NESTING = 32  # a sitemap is three levels deep
MAX_ELEMENTS = 1_500_000  # 50 MB of real ones have fewer; of empty ones, seven million

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 64 * 1024
_MAX_LOC = 8192  # characters; longer is no URL
# What is read, by the element that it stands in: where a page is, and when it changed.
_PLACES = {"url": ("loc",), "sitemap": ("loc",), "item": ("link",), "entry": ("link",)}
_DATES = {
    "url": ("lastmod",),
    "sitemap": ("lastmod",),
    "item": ("pubdate", "date"),  # of RSS 2.0; of Dublin Core, which RSS 1.0 uses
    "entry": ("updated", "published"),
}


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Pages, further sitemaps, and of those that have one, the date."""

    urls: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    dates: dict[str, float] = field(default_factory=dict)


def read(response: StoredResponse, rules: Rules) -> ParsedPage:
    """A sitemap or feed as a page of links: `kind` tells pages from further sitemaps."""
    body = _unpack(response.body).lstrip(b"\xef\xbb\xbf \t\r\n")
    entries, language = entries_of(body, response.url)
    found = parse_sitemap(body, response.url)
    if entries and not found.urls:  # a JSON Feed, which names nothing as XML does
        found = _sitemap(_Named(entry.link, entry.base, False, entry.date) for entry in entries)
    links = [Outlink(target, "", False, "sitemap-page") for target in found.urls]
    links += [Outlink(target, "", False, "sitemap") for target in found.children]
    documents = documents_of(entries, language, media=rules.config.media)
    return ParsedPage(documents, links, dates=found.dates)


@dataclass(slots=True)
class _Named:
    """A place as it is written."""

    text: str
    base: str
    is_sitemap: bool = False
    date: str = ""


class _Enough(Exception):
    """Nothing more is to be read. No fault: it only leaves expat's loop."""


def parse_sitemap(body: bytes, url: str) -> Sitemap:
    """The URLs that a sitemap or feed found at `url` names, normalised, each once. Never raises."""
    body = _unpack(body).lstrip(b"\xef\xbb\xbf \t\r\n")
    if body[:1] == b"<" or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        reader = _XmlReader(url)
        reader.read(body)
        return _sitemap(reader.named)
    return _sitemap(_Named(line, url) for line in _lines(body))


def _unpack(body: bytes) -> bytes:
    """Gunzipped as far as it goes and as far as is allowed; twice packed stays packed once."""
    if not body.startswith(_GZIP_MAGIC):
        return body[:MAX_SITEMAP_BYTES]
    stream = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    room = MAX_SITEMAP_BYTES
    try:
        # Chunk by chunk: a broken stream gives up what was whole before the break.
        for start in range(0, len(body), _CHUNK):
            parts.append(stream.decompress(body[start : start + _CHUNK], room))
            room -= len(parts[-1])
            if room <= 0 or stream.eof:
                break
            while stream.unconsumed_tail and room > 0:
                parts.append(stream.decompress(stream.unconsumed_tail, room))
                room -= len(parts[-1])
    except zlib.error:
        pass
    return b"".join(parts)


def _lines(body: bytes) -> Iterator[str]:
    """The lines that are absolute URLs."""
    lines = io.TextIOWrapper(io.BytesIO(body), "utf-8", "replace")
    for line in islice(lines, MAX_LINES):
        text = line.strip()
        if text[:8].lower().startswith(("http://", "https://")):
            yield text


def _sitemap(named: Iterable[_Named]) -> Sitemap:
    """Each URL once; of several dates the latest counts."""
    pages: dict[str, None] = {}
    children: dict[str, None] = {}
    dates: dict[str, float] = {}
    for place in named:
        url = normalise(place.text, place.base)
        if url is None:
            continue
        (children if place.is_sitemap else pages)[url] = None
        date = moment_of(place.date)
        if date is not None and date > dates.get(url, 0.0):
            dates[url] = date
        if len(pages) + len(children) >= MAX_SITEMAP_URLS:
            break
    return Sitemap(list(pages), list(children), dates)


class _XmlReader:
    """Collects what is named, whatever the namespaces are called."""

    def __init__(self, base: str) -> None:
        self.named: list[_Named] = []
        self._elements = 0
        self._path: list[str] = []
        self._bases = [base]  # of the elements on the path: xml:base
        self._text: list[str] | None = None
        self._room = 0
        self._first = 0  # what the holder at hand has named begins here
        self._dates: dict[str, str] = {}  # of the holder at hand
        self._guid = ""

    def read(self, body: bytes) -> None:
        """Read as far as the body is XML without a document type."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        try:
            parser.Parse(body, True)
        except (expat.ExpatError, _Enough, LookupError, ValueError):
            return  # an unknown encoding is a LookupError or a ValueError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if len(self._path) >= MAX_NESTING or self._elements > MAX_ELEMENTS:
            raise _Enough
        holder = self._path[-1] if self._path else ""
        tag = name.rpartition(":")[2].lower()
        self._path.append(tag)
        self._bases.append(self._base(attributes))
        if tag in _PLACES:
            self._first, self._dates, self._guid = len(self.named), {}, ""
        elif holder in _PLACES and self._is_wanted(holder, tag, attributes):
            self._text, self._room = [], _MAX_LOC

    def _base(self, attributes: dict[str, str]) -> str:
        given = attributes.get("xml:base", "")
        return (normalise(given, self._bases[-1]) if given else None) or self._bases[-1]

    def _is_wanted(self, holder: str, tag: str, attributes: dict[str, str]) -> bool:
        """Whether the text of an element is; an Atom link has none, it is taken at once."""
        if tag == "link" and tag in _PLACES[holder] and "href" in attributes:
            if attributes.get("rel", "alternate").lower() == "alternate":
                self._name(attributes["href"], holder)
            return False
        if tag == "guid" and holder == "item":
            return attributes.get("isPermaLink", "true").strip().lower() != "false"
        return tag in _PLACES[holder] or tag in _DATES[holder]

    def _data(self, data: str) -> None:
        if self._text is not None and self._room > 0:
            self._text.append(data[: self._room])
            self._room -= len(data)

    def _end(self, _name: str) -> None:
        tag = self._path.pop()
        self._bases.pop()
        holder = self._path[-1] if self._path else ""
        if tag in _PLACES:
            self._leave(tag)
        if self._text is None:
            return
        text = "".join(self._text).strip()
        self._text = None
        if not text or self._room <= 0 or holder not in _PLACES:
            return
        if tag == "guid":
            self._guid = text
        elif tag in _PLACES[holder]:
            self._name(text, holder)
        else:
            self._dates.setdefault(tag, text)

    def _name(self, text: str, holder: str) -> None:
        text = text.strip()
        if text and len(text) < _MAX_LOC:
            self.named.append(_Named(text, self._bases[-1], holder == "sitemap"))
        if len(self.named) >= MAX_SITEMAP_URLS:
            raise _Enough

    def _leave(self, holder: str) -> None:
        """An item without a link may have an address as its identity; and one date is for all."""
        if self._guid and len(self.named) == self._first:
            self._name(self._guid, holder)
        said = (self._dates[tag] for tag in _DATES[holder] if tag in self._dates)
        date = next(said, "")
        for place in self.named[self._first :]:
            place.date = date
        self._first = len(self.named)

    def _refuse(self, *_declaration: object) -> None:
        raise _Enough
