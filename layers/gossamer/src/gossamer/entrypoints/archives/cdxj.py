"""The index of a WARC file (CDXJ): a line for each response, sorted by key and time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_without_www = re.compile(r"^www\d*\.").sub
_DEFAULT_PORTS = {"http": 80, "https": 443}
_encode = msgspec.json.Encoder().encode


class Captured(NamedTuple):
    """A response, and where it lies in a WARC file."""

    url: str
    date: str  # ISO 8601, as its record has it
    mime: str
    status: int
    digest: str
    offset: int
    length: int

    @property
    def timestamp(self) -> str:
        """The time to the second, in 14 digits."""
        return "".join(filter(str.isdigit, self.date[:19]))


def lines(captured: Iterable[Captured], file: str) -> Iterator[bytes]:
    """The lines of the index of a file."""
    made = ((f"{surt(each.url)} {each.timestamp} ".encode(), each) for each in captured)
    for key, each in sorted(made, key=lambda pair: (pair[0], pair[1].offset)):
        yield key + _encode(_fields(each, file)) + b"\n"


def _fields(each: Captured, file: str) -> dict[str, str]:
    said = {
        "url": each.url,
        "mime": each.mime,
        "status": str(each.status),
        "digest": each.digest,
        "length": str(each.length),
        "offset": str(each.offset),
        "filename": file,
    }
    return {name: value for name, value in said.items() if value}


def surt(url: str) -> str:
    """A URL as it is sorted by: `com,example)/path?a=1&b=2`, in small letters."""
    parts = urlsplit(url.lower())
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    query = "&".join(sorted(parts.query.split("&")))
    key = _reversed(parts.hostname or "") + port + ")" + (parts.path or "/")
    return (key + (f"?{query}" if query else "")).replace(" ", "%20")


def _reversed(host: str) -> str:
    labels = _without_www("", host).split(".")
    return host if labels[-1].isdecimal() or ":" in host else ",".join(reversed(labels))
