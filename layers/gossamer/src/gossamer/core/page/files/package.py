"""Files that are ZIP archives of XML: read member by member, within limits.

What an archive says of its own sizes is not believed: bytes are counted as they are unpacked.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from gossamer.core.page.files.file_text import DAMAGED, PROTECTED, TOO_LARGE, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

MAX_MEMBERS: Final = 20_000
MAX_UNPACKED: Final = 100_000_000  # bytes of all members that are read
MAX_ELEMENTS: Final = 3_000_000  # of all XML that is read: about ten seconds
MAX_DEPTH: Final = 1_000  # elements inside each other
_CHUNK: Final = 256 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError)


class Package:
    """An archive and how much of it may still be read."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN as error:
            raise Unreadable(DAMAGED) from error
        self.names = self._zip.namelist()
        if len(self.names) > MAX_MEMBERS:
            raise Unreadable(TOO_LARGE)
        self._known = frozenset(self.names)
        self._room = MAX_UNPACKED
        self._elements = MAX_ELEMENTS

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def read(self, name: str) -> bytes:
        """The bytes of a member; none if there is no such member."""
        if name not in self._known:
            return b""
        parts: list[bytes] = []
        try:
            with self._zip.open(name) as member:
                while part := member.read(_CHUNK):
                    self._room -= len(part)
                    if self._room < 0:
                        raise Unreadable(TOO_LARGE)
                    parts.append(part)
        except RuntimeError as error:  # what zipfile raises for a member with a password
            raise Unreadable(PROTECTED) from error
        except _BROKEN as error:
            raise Unreadable(DAMAGED) from error
        return b"".join(parts)

    def elements(
        self, name: str, whole: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, str, Element]]:
        """What begins and ends in a member that is XML: "start" or "end", local name, element.

        An element that has ended is emptied, so memory follows the depth and not the size; what is
        in elements of the names `whole` stays until the outermost of them has ended.
        """
        body, depth, level = self.read(name), 0, 0
        if not body:
            return
        try:
            for event, element in iterparse(io.BytesIO(body), ("start", "end"), forbid_dtd=True):
                level += 1 if event == "start" else -1
                self._elements -= 1
                if self._elements < 0 or level > MAX_DEPTH:
                    raise Unreadable(TOO_LARGE)
                tag = local(element.tag)
                if tag in whole:
                    depth += 1 if event == "start" else -1
                yield event, tag, element
                if event == "end" and not depth:
                    element.clear()
        except (ParseError, DefusedXmlException, LookupError, ValueError) as error:
            raise Unreadable(DAMAGED) from error

    def texts(self, name: str) -> dict[str, str]:
        """The text of each element of a small member, by local name; the first one counts."""
        found: dict[str, str] = {}
        for event, tag, element in self.elements(name):
            if event == "end" and element.text and element.text.strip():
                found.setdefault(tag, element.text.strip())
        return found


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """An attribute by its local name; "" if there is none."""
    return next((value for key, value in element.items() if local(key) == name), "")
