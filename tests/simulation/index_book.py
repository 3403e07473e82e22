"""Everything that was published of the index: laws that hold at every moment.

A model of one sentence stands beside the real index: of the versions of a page the newest can be
found, with all of its documents, unless it is gone since. Every manifest is compared with it as
soon as it is published, and every file with what the manifests named.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gossamer.bolts.manifest import ABANDONED, GRACE
from gossamer.core.ids import URL_ID_BYTES
from gossamer.core.index.segments.manifest import begun_at
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.search.memory import Memory
from gossamer.search.segment_view import SegmentView
from tests.simulation.kernel import current

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
    from tests.simulation.kernel import Kernel, Process
    from tests.simulation.observer import Observer


class Known(NamedTuple):
    """What is known last of a page."""

    version: float
    is_gone: bool
    documents: frozenset[bytes] = frozenset()


class IndexBook:
    """Keeps the book of one index, whichever process changes it."""

    def __init__(
        self, kernel: Kernel, observer: Observer, probe: str, grace: float = GRACE
    ) -> None:
        self._kernel, self.observer, self._grace = kernel, observer, grace
        self.probe = probe  # a term that searchers ask for
        self.version = 0
        self.answers: dict[int, frozenset[str]] = {0: frozenset()}  # to the probe, by version
        self._pages: dict[bytes, Known] = {}
        self._having: dict[str, list[bool]] = {}  # by segment and document: whether it has it
        self._used: set[str] = set()
        self._parts: set[str] = set()  # that merges under way have made or will make
        self._unused_since: dict[str, float] = {}
        self._writers: dict[str, Process | None] = {}

    def watch(self, store: Any) -> None:
        """Write down what happens to the files of a store."""
        opened = OpenSegments(store.read)
        put, publish, delete = store.put, store.publish, store.delete

        def watched_put(name: str, pieces: Iterable[bytes]) -> int:
            size: int = put(name, pieces)
            self._is_written(name)
            return size

        def watched_publish(manifest: Manifest) -> bool:
            published: bool = publish(manifest)
            if published:
                self._is_published(manifest, set(store.names()), opened)
            return published

        def watched_delete(names: Sequence[str]) -> None:
            for name in names:
                self._is_deleted(name)
            delete(names)

        store.put, store.publish, store.delete = watched_put, watched_publish, watched_delete

    def can_be_found(self, document: bytes) -> bool:
        """Whether the page of a document is live."""
        known = self._pages.get(page_id(document))
        return known is not None and not known.is_gone

    def check_swept(self, names: Iterable[str]) -> None:
        """Whether these are exactly the files in use."""
        found = set(names)
        if found != self._used:
            left, missing = sorted(found - self._used), sorted(self._used - found)
            self.observer.violate("files", f"left {left}, missing {missing}")

    def _is_written(self, name: str) -> None:
        task = current()
        if name in self._writers:
            self.observer.violate("files", f"{name} was written twice")
        self._writers[name] = task.process if task else None

    def _is_deleted(self, name: str) -> None:
        task, now = current(), self._kernel.now
        if name in self._used | self._parts:
            self.observer.violate("files", f"{name} was deleted, and a manifest names it")
        elif task is None:
            return  # by hand, while there are no searches
        elif name in self._unused_since:
            if (age := now - self._unused_since[name]) < self._grace:
                self.observer.violate("files", f"{name} was deleted {age:.0f} s after its use")
        elif self._writers.get(name) is not task.process and now - begun_at(name) < ABANDONED:
            self.observer.violate("files", f"{name} was deleted while it was written")

    def _is_published(self, manifest: Manifest, files: set[str], opened: OpenSegments) -> None:
        self._use(manifest, files)
        for info in manifest.segments:
            if info.name not in self._having:
                self._learn(info, opened)
        live = [entry for info in manifest.segments for entry in self._live(info, opened)]
        self.version = manifest.version
        self.answers[manifest.version] = frozenset(
            id.hex() for id, _, has_probe in live if has_probe
        )
        self._compare(manifest, Counter((id, version) for id, version, _ in live))

    def _use(self, manifest: Manifest, files: set[str]) -> None:
        used = manifest.names() - {retired.name for retired in manifest.retired}
        if used - files:
            self.observer.violate("files", f"{sorted(used - files)} are named and not there")
        left = (self._used | self._parts) - (used | manifest.parts())
        self._unused_since |= dict.fromkeys(left, self._kernel.now)
        self._used, self._parts = used, manifest.parts()

    def _learn(self, info: SegmentInfo, opened: OpenSegments) -> None:
        """A segment that no manifest named before: newer versions of pages, or the same again."""
        segment = opened.segment(info)
        ids = [id.ljust(20, b"\0") for id in segment.identities.ids.tolist()]
        if any(second <= first for first, second in pairwise(ids)):
            self.observer.violate("index", f"{info.name} has a document twice")
        for page, known in _by_page(segment.identities).items():
            self._pages[page] = _newer(self._pages.get(page), known)
        having = np.zeros(len(ids), np.bool_)
        for layer in SegmentView(segment, Memory()).term(self.probe).layers():
            having[layer.documents] = True
        self._having[info.name] = having.tolist()

    def _live(self, info: SegmentInfo, opened: OpenSegments) -> list[tuple[bytes, float, bool]]:
        known, live = opened.segment(info).identities, opened.live(info)
        numbers = np.flatnonzero(live).tolist()
        if len(numbers) != info.live:
            told = f"{info.name} has {len(numbers)} live documents, not {info.live}"
            self.observer.violate("index", told)
        having = self._having[info.name]
        return [(bytes(known.id(n)), float(known.versions[n]), having[n]) for n in numbers]

    def _compare(self, manifest: Manifest, live: Counter[tuple[bytes, float]]) -> None:
        wanted = Counter(
            (id, known.version)
            for known in self._pages.values()
            if not known.is_gone
            for id in known.documents
        )
        if live != wanted:
            lost, added = sorted(wanted - live), sorted(live - wanted)
            self.observer.violate(
                "index", f"version {manifest.version} of the manifest: lost {lost}, added {added}"
            )


def page_id(document: bytes) -> bytes:
    """The page of a document."""
    return document[:URL_ID_BYTES]


def _by_page(identities: Identities) -> dict[bytes, Known]:
    """What a segment says of each page. It may have a removal beside a newer version."""
    found: dict[bytes, Known] = {}
    for number, version in enumerate(identities.versions.tolist()):
        id = bytes(identities.id(number))
        known = Known(version, bool(identities.gone[number]), frozenset([id]))
        before = found.get(page_id(id))
        if before is not None and before[:2] == known[:2]:
            known = known._replace(documents=before.documents | known.documents)
        found[page_id(id)] = _newer(before, known)
    return found


def _newer(before: Known | None, now: Known) -> Known:
    """Of equal versions the one that comes now counts, but what is gone stays so."""
    if before is None or now.version > before.version:
        return now
    is_equal = now.version == before.version
    return now if is_equal and (now.is_gone or not before.is_gone) else before
