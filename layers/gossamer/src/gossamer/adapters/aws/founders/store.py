"""Keys of similar texts and their founders, in runs: one file for a whole batch of pages.

An item for each key would be four write units a page, the largest part of what a page costs. So
what a batch changes is one run, which the manifest names; of a key that several runs have, the
newest counts. Runs are merged sixteen at a time, as long as one function can; a run that no
manifest names any more is deleted an hour later, when no process reads it.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.founders import runs
from gossamer.adapters.aws.index.files import Files
from gossamer.core.index.segments.layout import Range
from gossamer.core.near_duplicates.runs import mergeable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.founders.runs import Entry, Footer
    from gossamer.ports.content_owners import Founder

MANIFEST = "similar"
LARGEST = 1 << 20  # entries; a larger run is not merged again
KEPT = 3600.0  # seconds that a run is kept which was merged: another function may be reading it


class Run(msgspec.Struct, frozen=True, array_like=True):
    """A file with keys and their founders."""

    name: str
    size: int
    footer_at: int
    count: int


class Manifest(msgspec.Struct, frozen=True, array_like=True):
    """The runs, oldest first; and those that were merged, with when."""

    runs: list[Run] = []
    retired: list[tuple[str, float]] = []


class FounderRuns:
    """The founders of a collection."""

    def __init__(
        self,
        clients: Clients,
        stack: str,
        collection: str,
        bucket: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._collection, self._clock = collection, clock
        self._table = Table(clients, stack, SegmentItem)
        self._files = Files(clients, bucket, f"similar/{collection}/")
        self._footers: dict[str, Footer] = {}

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """The founders under each of these keys; keys without founders are left out."""
        _, manifest = self._manifest()
        self._open(manifest.runs)
        wanted = [  # oldest run first, so that the newest is the last word
            (key, Range(run.name, *place))
            for run in manifest.runs
            for key in dict.fromkeys(keys)
            for place in [self._footers[run.name].place(key)]
            if place
        ]
        blocks = self._blocks(dict.fromkeys(place for _, place in wanted))
        found: dict[bytes, list[Founder]] = {}
        for key, place in wanted:
            found[key] = blocks[place].get(key, found.get(key, []))
        return {key: known for key, known in found.items() if known}

    def _blocks(self, places: Iterable[Range]) -> dict[Range, dict[bytes, list[Founder]]]:
        places = list(places)
        data = self._files.read(places)
        return {p: dict(runs.read_block(block)) for p, block in zip(places, data, strict=True)}

    def _open(self, known: Sequence[Run]) -> None:
        """Have the footers of these runs at hand, and of no others."""
        self._footers = {r.name: self._footers[r.name] for r in known if r.name in self._footers}
        new = [run for run in known if run.name not in self._footers]
        places = [Range(run.name, run.footer_at, run.size - run.footer_at) for run in new]
        for run, data in zip(new, self._files.read(places), strict=True):
            self._footers[run.name] = runs.read_footer(data)

    def put(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Replace the founders under these keys."""
        if not founders:
            return
        run = self._write((key, list(founders[key])) for key in sorted(founders))
        while True:
            version, before = self._manifest()
            after = msgspec.structs.replace(before, runs=[*before.runs, run])
            if self._publish(version, after):
                break
        while self._merge():
            pass

    def _merge(self) -> bool:
        """Merge the newest runs, if they are enough; a process that comes in between does it."""
        version, before = self._manifest()
        first = mergeable([run.count for run in before.runs], LARGEST)
        if first is None:
            return False
        old = before.runs[first:]
        entries: Iterable[Entry] = runs.merged([self._entries(run) for run in old])
        if first == 0:  # no older run has a key that was forgotten
            entries = ((key, known) for key, known in entries if known)
        now, late = self._clock(), self._clock() - KEPT
        gone = [name for name, at in before.retired if at < late]
        kept = [(name, at) for name, at in before.retired if at >= late]
        retired = kept + [(run.name, now) for run in old]
        if not self._publish(
            version, Manifest([*before.runs[:first], self._write(entries)], retired)
        ):
            return False
        self._files.delete(gone)
        return True

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, list[Founder]]]:
        """All keys behind one, in order, with their founders."""
        _, manifest = self._manifest()
        for key, known in runs.merged([self._entries(run) for run in manifest.runs]):
            if key > after and known:
                yield key, known

    def _entries(self, run: Run) -> Iterator[Entry]:
        (body,) = self._files.read([Range(run.name, 0, run.size)])
        return runs.read_all(body, run.footer_at)

    def _write(self, entries: Iterable[Entry]) -> Run:
        written = runs.written(entries)
        name = f"{int(self._clock() * 1000):014}-{os.urandom(6).hex()}"
        size = self._files.put(name, [written.body])
        return Run(name, size, written.footer_at, written.entries)

    def _manifest(self) -> tuple[int, Manifest]:
        item = self._table.get(self._collection, MANIFEST, newest=True)
        if item is None:
            return 0, Manifest()
        return item.version, msgspec.msgpack.decode(item.body, type=Manifest)

    def _publish(self, before: int, manifest: Manifest) -> bool:
        writer = os.urandom(8)
        body = msgspec.msgpack.encode(manifest)
        free = SegmentItem.version == before if before else SegmentItem.key.does_not_exist()
        item = SegmentItem(self._collection, MANIFEST, body=body, version=before + 1, writer=writer)
        written = self._table.put(item, free)
        # botocore repeats a call whose answer was lost: then what is there already is ours.
        return written.done or (written.item is not None and written.item.writer == writer)
