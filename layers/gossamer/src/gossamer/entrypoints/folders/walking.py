"""Which files of a folder are read, under which URLs, and why others are not."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, urljoin

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.read_response import OFFICE_TYPES
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

_OFFICE = dict(zip(("docx", "pptx", "xlsx", "odt", "odp", "ods"), OFFICE_TYPES, strict=True))
TYPES: Final = {
    **dict.fromkeys(("html", "htm"), "text/html"),
    **dict.fromkeys(("xhtml", "xht"), "application/xhtml+xml"),
    **dict.fromkeys(("md", "markdown", "mkd"), "text/markdown"),
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "pdf": "application/pdf",
    "epub": "application/epub+zip",
    "txt": "text/plain",
    **_OFFICE,
}
_INDEX_PAGES = ("index.html", "index.htm", "index.xhtml")
HIDDEN, LINK, HUGE, UNREADABLE = "hidden", "symbolic-link", "too-large", "unreadable"
SPECIAL, ARCHIVE, UNNAMED = "no-file", "archive", "name"
ARCHIVE_ENDINGS: Final = (".warc", ".warc.gz", ".wacz")
MAX_FILES: Final = 5_000_000


class FoundFile(NamedTuple):
    """A file that is to be read."""

    path: str
    url: str
    changed_at: float
    size: int = 0  # bytes


@dataclass(slots=True)
class Walk:
    """A walk through a folder; what it skips is counted by reason."""

    folder: Path
    base: str = ""  # of a static site, whose files have URLs of the web
    max_bytes: int = 10_000_000
    skipped: Counter[str] = field(default_factory=Counter)
    archives: list[Path] = field(default_factory=list)  # WARC and WACZ files that were passed

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()
        if self.base:
            self.base = _checked(self.base)

    @property
    def prefix(self) -> str:
        """What the URLs of all files begin with."""
        return self.base or self.folder.as_uri().rstrip("/") + "/"

    def __iter__(self) -> Iterator[FoundFile]:
        return self._files(str(self.folder), "")

    def _files(self, folder: str, inside: str) -> Iterator[FoundFile]:
        """The files below a folder, in the order of their names."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            self.skipped[UNREADABLE] += 1
            return
        for entry in entries:
            if entry.name.startswith("."):
                self.skipped[HIDDEN] += 1
            elif entry.is_symlink():  # it may lead out of the folder, or in a circle
                self.skipped[LINK] += 1
            elif entry.is_dir(follow_symlinks=False):
                yield from self._files(entry.path, f"{inside}{entry.name}/")
            elif found := self._file(entry, inside + entry.name):
                yield found

    def _file(self, entry: os.DirEntry[str], inside: str) -> FoundFile | None:
        try:
            known = entry.stat(follow_symlinks=False)
        except OSError:
            self.skipped[UNREADABLE] += 1
            return None
        url = self._url(inside)
        if reason := self._reason(known, inside, url):
            self.skipped[reason] += 1
            return None
        if inside.endswith(ARCHIVE_ENDINGS):
            self.archives.append(Path(entry.path))
            return None
        # A file that was put in the place of another may be older, but not its entry.
        return FoundFile(entry.path, url, max(known.st_mtime, known.st_ctime), known.st_size)

    def _reason(self, known: os.stat_result, inside: str, url: str) -> str:
        if not stat.S_ISREG(known.st_mode):
            return SPECIAL
        if self.base and inside.endswith(ARCHIVE_ENDINGS):
            return ARCHIVE
        if self.base and inside == "robots.txt":
            return HIDDEN
        if not url:
            return UNNAMED
        is_huge = known.st_size > self.max_bytes and not inside.endswith(ARCHIVE_ENDINGS)
        return HUGE if is_huge else ""

    def _url(self, inside: str) -> str:
        """What a file is known by; "" if its name cannot be written."""
        name = inside.rpartition("/")[2]
        if self.base and name in _INDEX_PAGES:
            inside = inside.removesuffix(name)
        try:
            url = self.prefix + quote(inside)
        except UnicodeEncodeError:  # a name in bytes of no charset
            return ""
        return (normalise(url) or "") if self.base else url


def _checked(base: str) -> str:
    url = normalise(urljoin(base, ".") if not base.endswith("/") else base)
    if url is None or "?" in url:
        raise ConfigurationError(
            f"--base {base}: give the address where the site is published, as https://example.org/"
        )
    return url if url.endswith("/") else url + "/"


def ending(path: str) -> str:
    """The extension of a file, without the dot, in small letters."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
