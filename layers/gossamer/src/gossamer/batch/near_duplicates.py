"""Assign each page of a batch to a cluster of nearly equal pages.

A page whose text resembles that of a founder is in the founder's cluster; any other founds one.
What was noted of a founder may be old: its page was changed, or is gone. So its text is read and
compared, always; what was noted only says which texts are worth it, and what is found to be old is
forgotten. A page that comes twice finds itself.

A cluster is named after its founder and what that said. By the SimHash alone, pages would be
together that have the same one by chance, as pages of one form do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

import msgspec
from xxhash import xxh3_64_intdigest

from gossamer.core.ids import DocumentId
from gossamer.core.near_duplicates import hashing
from gossamer.core.near_duplicates.distinguishing import distinguishing
from gossamer.core.near_duplicates.hashing import MAX_DISTANCE, are_similar, distance, shingles
from gossamer.core.near_duplicates.hashing_many import hashed
from gossamer.core.near_duplicates.same_item import item_of
from gossamer.ports.content_owners import MAX_FOUNDERS, Founder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.index.postings import Words
    from gossamer.core.near_duplicates.hashing import Shingles
    from gossamer.core.page.document import Document
    from gossamer.ports.documents import Version

MAX_TEXTS = 4  # of founders, read for one page: the nearest
# A founder that is edited so little stays what it was. Its old text is not there to be compared.
SAME = 3  # bits


class Texts(Protocol):
    """What is asked of a document store: the texts of founders."""

    def read(self, ids: Sequence[DocumentId]) -> list[Version]:
        """Some documents; those that are not there are left out."""


class Founders(Protocol):
    """What is asked of a content store."""

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """The founders under each of these keys."""

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Replace the founders under these keys."""


class Print(msgspec.Struct, frozen=True, array_like=True):
    """What a page is compared by; texts themselves are compared only if these are near."""

    id: DocumentId
    value: int | None  # its SimHash; None for a text too short to judge
    keys: tuple[bytes, ...]
    name: int = 0  # of its cluster, if it is too short
    said: int = 0  # other than that of documents with other values; 0 if it has none that tell


def prints_of(versions: Sequence[Version], words: Words) -> list[Print]:
    """The prints of some pages, whose words were read."""
    bodies, starts = words.bodies()
    found = hashed(hashing.hashes(words.written)[bodies], starts)
    return [
        _print_of_item(version) if version.document.item else _print(version, value, keys)
        for version, (value, keys) in zip(versions, found, strict=True)
    ]


def _print(version: Version, value: int | None, keys: tuple[bytes, ...]) -> Print:
    document = version.document
    return Print(version.id, value, keys, 0 if keys else _named(document), distinguishing(document))


def _print_of_item(version: Version) -> Print:
    """Of an item that has a name: it is the same wherever it stands, whatever is said of it."""
    return Print(version.id, None, (), item_of(version.document))


def clusters_of(
    prints: Sequence[Print], contents: Founders, documents: Texts
) -> dict[DocumentId, int]:
    """The cluster of each page, by id: equal for similar ones.

    Three calls for the whole batch. Of a page, four keys are read, and written if it founds a
    cluster; and the texts of those that it may be similar to are read.
    """
    known = _Founders(prints, contents, documents)
    clusters = {page.id: _apart(known.cluster(page), page.said) for page in prints}
    known.keep()
    return clusters


def _apart(cluster: int, said: int) -> int:
    """The cluster within a cluster: documents of one text that have other values are others."""
    both = cluster.to_bytes(8, "big") + said.to_bytes(8, "big")
    return _name(both) if cluster and said else cluster


class _Founders:
    """Who is known under the keys of a batch, and what they say now."""

    def __init__(self, prints: Sequence[Print], contents: Founders, documents: Texts) -> None:
        self._contents, self._documents = contents, documents
        keys = [key for page in prints for key in page.keys]
        self._known = contents.founders(keys)
        # Most pages share no key with any: they need not be looked at.
        self._shared = {key for key, times in Counter(keys).items() if times > 1}
        self._shared |= self._known.keys()
        self._changed: set[bytes] = set()
        self._new: dict[bytes, Sequence[Founder]] = {}  # under keys that are not shared
        self._values: dict[DocumentId, int | None] = {page.id: page.value for page in prints}
        self._texts: dict[DocumentId, Shingles | None] = {}
        near = {
            page.id: [founder.id for founder in self._near(page) if founder.id != page.id]
            for page in prints
            if not self._is_alone(page)
        }
        self._read([id for founders in near.values() for id in founders])
        self._read([id for id, founders in near.items() if founders])

    def _is_alone(self, page: Print) -> bool:
        return self._shared.isdisjoint(page.keys)

    def cluster(self, page: Print) -> int:
        """The cluster of the founder that a page is similar to, or its own."""
        if page.value is None:
            return page.name
        if self._is_alone(page):
            self._new |= dict.fromkeys(page.keys, (Founder(page.id, page.value),))
            return _name(page.id, page.value.to_bytes(8, "big"))
        for founder in self._near(page):
            if not self._is_still(founder):
                self._forget(founder, page.keys)
            elif founder.id == page.id or self._are_similar(page.id, founder.id):
                return _name(founder.id, founder.value.to_bytes(8, "big"))
        self._add(Founder(page.id, page.value), page.keys)
        return _name(page.id, page.value.to_bytes(8, "big"))

    def _near(self, page: Print) -> list[Founder]:
        """Those worth reading: the page itself before others, then the nearest."""
        value = page.value
        known = [self._known[key] for key in page.keys if key in self._known]
        if value is None or not known:
            return []
        found = {founder for founders in known for founder in founders}
        near = [founder for founder in found if distance(founder.value, value) <= MAX_DISTANCE]
        near.sort(key=lambda f: (f.id != page.id, distance(f.value, value), f.id, f.value))
        return near[:MAX_TEXTS]

    def _is_still(self, founder: Founder) -> bool:
        """Whether its page is there and says what it said, or nearly so."""
        if founder.id not in self._values:
            self._read([founder.id])
        value = self._values[founder.id]
        return value is not None and distance(value, founder.value) <= SAME

    def _are_similar(self, one: DocumentId, other: DocumentId) -> bool:
        self._read([one, other])
        ours, theirs = self._texts[one], self._texts[other]
        return ours is not None and theirs is not None and are_similar(ours, theirs)

    def _read(self, ids: Iterable[DocumentId]) -> None:
        """Have the texts of these pages at hand, as far as they exist."""
        missing = [id for id in dict.fromkeys(ids) if id not in self._texts]
        self._texts |= dict.fromkeys(missing)
        for version in self._documents.read(missing) if missing else ():
            self._texts[version.id] = shingles(version.document.text)
        for id in missing:
            text = self._texts[id]
            self._values.setdefault(id, None if text is None else hashing.simhash(text))

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
        changed = self._new | {key: self._known[key] for key in self._changed}
        if changed:
            self._contents.put_founders(changed)


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
