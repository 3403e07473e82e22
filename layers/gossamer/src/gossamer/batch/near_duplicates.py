"""Assign each page of a batch to a cluster of nearly equal pages.

A page whose text resembles that of a founder is in the founder's cluster; any other founds one.
What was noted of a founder may be old: its page was changed, or is gone. So its text is read and
compared, always; what was noted only says which texts are worth it, and what is found to be old is
forgotten. A page that comes twice finds itself.

A cluster is named after its founder and what that said. By the SimHash alone, pages would be
together that have the same one by chance, as pages of one form do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest

from gossamer.core.near_duplicates import hashing
from gossamer.core.near_duplicates.hashing import MAX_DISTANCE, are_similar, distance, shingles
from gossamer.ports.content_owners import MAX_FOUNDERS, Founder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.postings import Words
    from gossamer.core.near_duplicates.hashing import Hashes, Shingles
    from gossamer.core.page.document import Document
    from gossamer.ports.content_owners import ContentStore
    from gossamer.ports.documents import DocumentStore, Version

MAX_TEXTS = 4  # of founders, read for one page: the nearest
# A founder that is edited so little stays what it was. Its old text is not there to be compared.
SAME = 3  # bits


@dataclass
class _Page:
    """A page of the batch. What is expensive is computed once, or never."""

    id: DocumentId
    document: Document
    hashes: Callable[[], Hashes] | None = None  # of its words, if they were read already

    @cached_property
    def shingles(self) -> Shingles:
        return shingles(self.hashes() if self.hashes else self.document.text)

    @cached_property
    def value(self) -> int | None:
        return hashing.simhash(self.shingles)

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        return hashing.keys(self.shingles)


def clusters_of(
    versions: Sequence[Version], words: Words, contents: ContentStore, documents: DocumentStore
) -> dict[DocumentId, int]:
    """The cluster of each page, by id: equal for similar ones.

    Three calls for the whole batch. Of a page, four keys are read, and written if it founds a
    cluster; and the texts of those that it may be similar to are read.
    """
    table = hashing.hashes(words.written)
    pages = [
        _Page(version.id, version.document, partial(_hashes, table, words, number))
        for number, version in enumerate(versions)
    ]
    known = _Founders(pages, contents, documents)
    clusters = {page.id: known.cluster(page) for page in pages}
    known.keep()
    return clusters


def _hashes(table: Hashes, words: Words, document: int) -> Hashes:
    hashed: Hashes = table[words.body(document)]
    return hashed


class _Founders:
    """Who is known under the keys of a batch, and what they say now."""

    def __init__(
        self, pages: Sequence[_Page], contents: ContentStore, documents: DocumentStore
    ) -> None:
        self._contents, self._documents = contents, documents
        self._known = contents.founders([key for page in pages for key in page.keys])
        self._changed: set[bytes] = set()
        self._pages: dict[DocumentId, _Page | None] = {page.id: page for page in pages}
        self._read([founder.id for page in pages for founder in self._near(page)])

    def cluster(self, page: _Page) -> int:
        """The cluster of the founder that a page is similar to, or its own."""
        if page.value is None:
            return _named(page.document)
        for founder in self._near(page):
            now = self._now(founder)
            if now is None:
                self._forget(founder, page.keys)
            elif now is page or are_similar(page.shingles, now.shingles):
                return _name(founder.id, founder.value.to_bytes(8, "big"))
        self._add(Founder(page.id, page.value), page.keys)
        return _name(page.id, page.value.to_bytes(8, "big"))

    def _near(self, page: _Page) -> list[Founder]:
        """Those worth reading: the page itself before others, then the nearest."""
        value = page.value
        if value is None:
            return []
        found = {founder for key in page.keys for founder in self._known.get(key, ())}
        near = [founder for founder in found if distance(founder.value, value) <= MAX_DISTANCE]
        near.sort(key=lambda f: (f.id != page.id, distance(f.value, value), f.id, f.value))
        return near[:MAX_TEXTS]

    def _now(self, founder: Founder) -> _Page | None:
        """Its page, unless that is gone or has another text by now."""
        self._read([founder.id])
        page = self._pages[founder.id]
        value = page.value if page else None
        return None if value is None or distance(value, founder.value) > SAME else page

    def _read(self, ids: Iterable[DocumentId]) -> None:
        """Have these pages at hand, as far as they exist."""
        missing = [id for id in dict.fromkeys(ids) if id not in self._pages]
        self._pages |= dict.fromkeys(missing)
        for version in self._documents.read(missing) if missing else ():
            self._pages[version.id] = _Page(version.id, version.document)

    def _forget(self, founder: Founder, keys: Iterable[bytes]) -> None:
        for key in keys:
            if founder in self._known.get(key, ()):
                self._known[key].remove(founder)
                self._changed.add(key)

    def _add(self, founder: Founder, keys: Iterable[bytes]) -> None:
        """Under a key that has enough of them it is not known: it has three more."""
        for key in keys:
            known = self._known.setdefault(key, [])
            if len(known) < MAX_FOUNDERS and founder not in known:
                known.append(founder)
                self._changed.add(key)

    def keep(self) -> None:
        """Write what has changed."""
        if self._changed:
            self._contents.put_founders({key: self._known[key] for key in self._changed})


def _named(document: Document) -> int:
    """The cluster of a text too short to judge: pages of the same words and canonical URL.

    A page that names none means itself. Without any words there is nothing to be sure by: sites
    name their home as the canonical URL of everything.
    """
    if not document.text.strip():
        return 0
    parts = (document.canonical or document.url, document.title, document.text)
    return _name(*(part.encode("utf-8", "surrogatepass") for part in parts))


def _name(*parts: bytes) -> int:
    """64 bits, not all of them 0: that means no cluster."""
    return xxh3_64_intdigest(b"\0".join(parts)) or 1
