"""Write a WACZ file (1.1.1): a WARC file with its index and its pages in a zip, for replay.

What is in it is not compressed again, so that a reader finds any page by a range of bytes.
"""

from __future__ import annotations

import hashlib
import struct
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import msgspec

from gossamer import __version__
from gossamer.entrypoints.archives.cdxj import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO

    from gossamer.entrypoints.archives.cdxj import Captured

    Write = Callable[[bytes], object]

WARC = "data.warc.gz"
# A field without content. What may be longer than 4 GB has a field for its size in its own header,
# but in the directory only if it is so long. Without one there, ReplayWeb.page takes the header for
# one without fields, and misses every record by 20 bytes.
_EXTRA = struct.pack("<HH", 0x6F47, 0)
_FIRST_LINE = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
_encode = msgspec.json.Encoder().encode


class PageLine(NamedTuple):
    """A page that a reader may begin at."""

    url: str
    date: str
    title: str


class Wacz:
    """A WACZ file that is being written."""

    def __init__(self, out: BinaryIO, title: str, now: float) -> None:
        self._zip = ZipFile(out, "w", ZIP_STORED, allowZip64=True)
        self._title = title
        self._at = datetime.fromtimestamp(now, UTC)
        self._resources: list[dict[str, str | int]] = []

    @contextmanager
    def warc(self) -> Iterator[Write]:
        """What writes the WARC file."""
        with self._member(f"archive/{WARC}") as write:
            yield write

    def finish(self, captured: Sequence[Captured], pages: Sequence[PageLine]) -> None:
        """Write all but the WARC file, and close the zip."""
        with self._member("indexes/index.cdxj") as write:
            for line in lines(captured, WARC):
                write(line)
        with self._member("pages/pages.jsonl") as write:
            write(_encode(_FIRST_LINE) + b"\n")
            for number, page in enumerate(pages, 1):
                write(_encode(_page(number, page)) + b"\n")
        package = msgspec.json.format(_encode(self._package(pages)), indent=2)
        digest = "sha256:" + hashlib.sha256(package).hexdigest()
        with self._open("datapackage.json") as file:
            file.write(package)
        with self._open("datapackage-digest.json") as file:
            file.write(_encode({"path": "datapackage.json", "hash": digest}))
        self._zip.close()

    def _package(self, pages: Sequence[PageLine]) -> dict[str, object]:
        said: dict[str, object] = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "software": f"Gossamer {__version__}",
            "created": self._at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "title": self._title,
            "resources": self._resources,
        }
        if pages:
            said |= {"mainPageUrl": pages[0].url, "mainPageDate": pages[0].date}
        return said

    @contextmanager
    def _member(self, path: str) -> Iterator[Write]:
        """A resource, whose length and digest the package names."""
        digest, size = hashlib.sha256(), 0
        with self._open(path) as file:

            def write(data: bytes) -> None:
                nonlocal size
                size += file.write(data)
                digest.update(data)

            yield write
        name = path.rpartition("/")[2]
        known = f"sha256:{digest.hexdigest()}"
        self._resources.append({"name": name, "path": path, "hash": known, "bytes": size})

    def _open(self, path: str) -> IO[bytes]:
        info = ZipInfo(path, self._at.timetuple()[:6])
        is_long = path.startswith("archive/")
        if is_long:
            info.extra = _EXTRA
        return self._zip.open(info, "w", force_zip64=is_long)


def _page(number: int, page: PageLine) -> dict[str, str]:
    return {"id": str(number), "url": page.url, "ts": page.date, "title": page.title or page.url}
