"""Index a folder: what is new or changed is read, what is gone leaves the index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from gossamer.batch.index_pages import Done, FoundPage, Place
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.folders.reading import FolderReader
from gossamer.entrypoints.folders.walking import MAX_FILES
from gossamer.entrypoints.local.index_workers import index_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.batch.index import Tell
    from gossamer.core.ids import UrlId
    from gossamer.entrypoints.folders.walking import FoundFile, Walk
    from gossamer.ports.home import Home
    from gossamer.settings import Settings

UNCHANGED = "unchanged"  # and without a document the last time
AT_ONCE = 500  # pages that are looked up together


@dataclass(slots=True)
class FolderDone:
    """What became of a folder."""

    files: int = 0  # that can be read
    removed: int = 0  # pages of files that are gone
    linked: bool = False  # whether links between its pages have changed
    done: Done = field(default_factory=Done)
    skipped: Counter[str] = field(default_factory=Counter)  # files without a document, by reason


def index_folder(walk: Walk, home: Home, settings: Settings, tell: Tell, now: float) -> FolderDone:
    """Keep and index the documents of a folder's files."""
    files = list(islice(walk, MAX_FILES))
    known, empty = {}, set()
    for stamp in home.documents.stamps():
        known[stamp.page] = stamp.fetched_at
        if not stamp.parts:
            empty.add(stamp.page)
    found = FolderDone(files=len(files))
    found.removed = _remove(walk.prefix, files, known, home, now)
    read = FolderReader(files, is_site=bool(walk.base))
    changed = [n for n, file in enumerate(files) if known.get(url_id(file.url)) != file.changed_at]
    size = sum(files[number].size for number in changed)
    pages = (_page(number, files[number], walk.max_bytes) for number in changed)
    found.done = index_found(pages, read, size, home, settings, tell)
    found.linked = bool(walk.base) and bool(found.removed or found.done.kept)
    found.skipped = walk.skipped + found.done.reasons
    same = {url_id(file.url) for file in files} - {url_id(files[n].url) for n in changed}
    found.skipped += Counter({UNCHANGED: len(same & empty)})
    return found


def _page(number: int, file: FoundFile, max_bytes: int) -> FoundPage:
    """A file as a page: its place is its number, and as much of it as is read."""
    place, host = Place(number, max_bytes + 1), host_of(file.url)
    return FoundPage(url_id(file.url), file.changed_at, place, file.size, host)


def _remove(
    prefix: str, files: list[FoundFile], known: Mapping[UrlId, float], home: Home, now: float
) -> int:
    """Take the documents of files that are gone; returns of how many.

    What lies below the prefix belongs to the folder, also if another command put it there.
    """
    present = {url_id(file.url) for file in files}
    others = [id for id in known if id not in present]
    removed = 0
    for at in range(0, len(others), AT_ONCE):
        for page in home.documents.pages(others[at : at + AT_ONCE]):
            if any(document.url.startswith(prefix) for document in page.documents.values()):
                home.documents.put(page.id, [], max(now, page.fetched_at))
                home.edges.put(page.id, [], 0, 1)
                removed += 1
    home.commit()
    return removed
