"""Which URLs does a sitemap name? (sitemaps.org, plain text and gzip included)

Expat reads the XML because it streams, so that a broken file keeps what came before the break, and
because it reports a document type before acting on it: there the reading ends, nothing is expanded.
"""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from xml.parsers import expat

from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # sitemaps.org: uncompressed
MAX_SITEMAP_URLS = 50_000
MAX_LINES = 2 * MAX_SITEMAP_URLS  # of a plain one; 50 KB of gzip hold six million
MAX_NESTING = 32  # a sitemap is three levels deep

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 64 * 1024
_MAX_LOC = 8192  # characters; longer is no URL
_HOLDERS = frozenset({"url", "sitemap"})


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Pages, and further sitemaps."""

    urls: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)


class _Enough(Exception):
    """Nothing more is to be read. No fault: it only leaves expat's loop."""


def parse_sitemap(body: bytes, url: str) -> Sitemap:
    """The URLs that a sitemap found at `url` names, normalised, each once. Never raises."""
    body = _unpack(body).lstrip(b"\xef\xbb\xbf \t\r\n")
    if body[:1] == b"<" or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        reader = _XmlReader()
        reader.read(body)
        return Sitemap(_normalised(reader.pages, url), _normalised(reader.sitemaps, url))
    return Sitemap(_normalised(_lines(body), url))


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


def _normalised(found: list[str] | Iterator[str], base: str) -> list[str]:
    urls: dict[str, None] = {}
    for text in found:
        url = normalise(text, base)
        if url is not None:
            urls[url] = None
        if len(urls) >= MAX_SITEMAP_URLS:
            break
    return list(urls)


class _XmlReader:
    """Collects `loc` of `url` and of `sitemap`, whatever the namespace is called."""

    def __init__(self) -> None:
        self.pages: list[str] = []
        self.sitemaps: list[str] = []
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._room = 0

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

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        if len(self._path) >= MAX_NESTING:
            raise _Enough
        self._path.append(name.rpartition(":")[2].lower())
        if self._path[-1] == "loc" and len(self._path) > 1 and self._path[-2] in _HOLDERS:
            self._text, self._room = [], _MAX_LOC

    def _data(self, data: str) -> None:
        if self._text is not None and self._room > 0:
            self._text.append(data[: self._room])
            self._room -= len(data)

    def _end(self, _name: str) -> None:
        self._path.pop()
        if self._text is None:
            return
        loc = "".join(self._text).strip()
        self._text = None
        if loc and self._room > 0:
            (self.sitemaps if self._path[-1] == "sitemap" else self.pages).append(loc)
        if len(self.pages) + len(self.sitemaps) >= MAX_SITEMAP_URLS:
            raise _Enough

    def _refuse(self, *_declaration: object) -> None:
        raise _Enough
