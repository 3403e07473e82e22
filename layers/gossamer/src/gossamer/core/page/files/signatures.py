"""What a body is by its first bytes, whatever type its server says."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Final

PDF, ZIP, OTHER = "pdf", "zip", "other"
_PDF_WITHIN: Final = 1024  # bytes: some write a line before it
# Pictures, sounds, films, fonts, archives and programs.
_is_other = re.compile(
    rb"\x89PNG\r\n\x1a\n|GIF8[79]a|\xff\xd8\xff|RIFF....(?:WEBP|WAVE|AVI )|(?:II\*\0|MM\0\*)"
    rb"|\0\0[\x01\x02]\0[\x01-\xff]\0|ID3[\x02-\x04]\0|OggS\0|fLaC\0|....ftyp|\x1aE\xdf\xa3"
    rb"|\x1f\x8b\x08|BZh[1-9]1AY|\xfd7zXZ\0|7z\xbc\xaf|Rar!\x1a\x07|\x28\xb5\x2f\xfd"
    rb"|wOF[F2]\0|\0\x01\0\0\0|OTTO\0|\x7fELF|\xca\xfe\xba\xbe\0|\0asm|SQLite format 3\0"
    rb"|BM.{4}\0\0\0\0|\xd0\xcf\x11\xe0\xa1\xb1|MZ.\0.\0",
    re.DOTALL,
).match


def kind_of(body: bytes) -> str:
    """pdf, zip, or other for what is no text either; "" for what may be a page."""
    start = body[:_PDF_WITHIN]
    if start.lstrip(b"\xef\xbb\xbf\0\t\r\n ").startswith(b"%PDF-"):
        return PDF
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ZIP
    return OTHER if _is_other(start) else ""


def picture_type(body: bytes) -> str:
    """The media type of a picture that browsers show and that runs nothing; "" for all else."""
    for start, kind in _PICTURES:
        if body.startswith(start):
            return kind
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return "image/avif" if body[4:12] in (b"ftypavif", b"ftypavis") else ""


_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def type_of_archive(body: bytes) -> str:
    """The media type of an office file or a book; "" for other archives."""
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            names = frozenset(archive.namelist()[:10_000])
            said = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        return ""
    for part, kind in _MICROSOFT_PARTS:
        if part in names:
            return f"application/vnd.openxmlformats-officedocument.{kind}"
    return said.decode("ascii", "replace").strip()


_MICROSOFT_PARTS: Final = (
    ("word/document.xml", "wordprocessingml.document"),
    ("ppt/presentation.xml", "presentationml.presentation"),
    ("xl/workbook.xml", "spreadsheetml.sheet"),
)
