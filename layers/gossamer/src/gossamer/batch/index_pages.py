"""INDEX straight from pages in files: parsed, analysed and inverted in one pass.

A lot of pages is parsed and analysed where its segment is written, in this process or in another.
What must be durable comes here: documents are kept first, then it is decided what is similar, then
the segment is written and published. A crash in between leaves documents that are not indexed yet;
the next run finds them so. Which of two versions of a page counts is decided, as always, by the
document store and by the manifest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from gossamer.batch.compact import compact
from gossamer.batch.index import (
    FIRST_LOT,
    LOT_BYTES,
    MOST_IN_LOT,
    Decided,
    Lot,
    LotInverter,
    Written,
    are_current,
    levels_of,
    publish,
)
from gossamer.batch.near_duplicates import clusters_of
from gossamer.bolts.index import analyzer_of
from gossamer.bolts.manifest import sweep
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import DocumentId, page_of
from gossamer.core.index.anchors import digest
from gossamer.core.index.segments.identities import as_ids
from gossamer.ports.documents import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.batch.compact import WriteTerms
    from gossamer.batch.index import Tell
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.collection import Weights
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.home import Home

    ReadPage = Callable[["Place"], Version | None]


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a page lies in a file."""

    offset: int
    size: int


class FoundPage(NamedTuple):
    """A page in a file, before it is parsed: perhaps it is none, or closed to search."""

    id: DocumentId
    fetched_at: float
    place: Place


class PageLot(msgspec.Struct, frozen=True, array_like=True):
    """Pages that become a segment."""

    places: list[Place]
    kept_only: set[int] = set()  # numbers of those that are not to be indexed
    anchors: dict[int, tuple[str, ...]] = {}  # what other pages call them, by number


class PagesRead(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a lot: every document, and the prints of those that are indexed."""

    versions: list[Version]
    lot: Lot
    damage: str = ""  # why the rest could not be read


class PageLotInverter:
    """Works on one lot of pages: parses, analyses and writes its segment."""

    def __init__(self, read_page: ReadPage, inverter: LotInverter) -> None:
        self._read_page, self._inverter = read_page, inverter

    def read(self, lot: PageLot) -> PagesRead:
        """Parse and analyse the pages of a lot."""
        found: dict[int, Version] = {}
        damage = ""
        try:
            for number, place in enumerate(lot.places):
                if version := self._read_page(place):
                    anchors = lot.anchors.get(number, ())
                    found[number] = msgspec.structs.replace(version, anchors=anchors)
        except ConfigurationError as error:
            damage = str(error)
        indexed = newest(v for number, v in found.items() if number not in lot.kept_only)
        return PagesRead(list(found.values()), self._inverter.analyse(indexed), damage)

    def write(self, decided: Decided) -> Written:
        """Write the segment of the lot that was read."""
        return self._inverter.write(decided)


def newest(versions: Iterable[Version]) -> list[Version]:
    """The newest version of each document, of equal ones the last, by id."""
    found: dict[DocumentId, Version] = {}
    for version in versions:
        known = found.get(version.id)
        if known is None or version.fetched_at >= known.fetched_at:
            found[version.id] = version
    return [found[id] for id in sorted(found)]


class PageInverter(Protocol):
    """Turns lots of pages into segment files, one after another or several at once.

    Lots are read, decided and written in the order in which they are begun.
    """

    @property
    def width(self) -> int:
        """How many lots are worked on at once."""

    def begin(self, lot: PageLot, /) -> None:
        """Begin a lot."""

    def read(self) -> PagesRead:
        """The next lot that was read."""

    def decide(self, decided: Decided) -> None:
        """Go on with that lot."""

    def written(self) -> Written:
        """The next segment that was written."""


class InlinePageInverter:
    """A page inverter in this process."""

    width = 1

    def __init__(self, worker: PageLotInverter) -> None:
        self._worker = worker
        self._lot = PageLot([])
        self._done = Written("", 0, 0)

    def begin(self, lot: PageLot) -> None:
        """Begin a lot."""
        self._lot = lot

    def read(self) -> PagesRead:
        """The lot that was begun."""
        return self._worker.read(self._lot)

    def decide(self, decided: Decided) -> None:
        """Write it."""
        self._done = self._worker.write(decided)

    def written(self) -> Written:
        """What was written."""
        return self._done


@dataclass(frozen=True, slots=True)
class PageHands:
    """Who does the work: parses and inverts pages, and merges segments."""

    open_inverter: Callable[[Analyzer, Weights], PageInverter]
    write_terms: WriteTerms | None = None


@dataclass(slots=True)
class Done:
    """What has become of pages so far."""

    kept: int = 0  # documents
    indexed: int = 0


def index_pages(
    pages: Iterator[FoundPage],
    home: Home,
    writer: IndexWriter,
    hands: PageHands,
    tell: Tell = lambda _: None,
) -> Done:
    """Keep and index the documents of pages in a file.

    Raises ConfigurationError if the file is damaged; what comes before that is kept and indexed.
    """
    analyzer, weights = analyzer_of(home), home.settings.get().weights
    work = _Work(home, writer, _Lots(pages, home, writer))
    for written in work.lots(hands.open_inverter(analyzer, weights)):
        if written.documents:
            publish(written, writer, analyzer)
        home.commit()
        work.done.indexed += written.documents
        tell(work.done.indexed)
    if work.done.indexed:
        compact(writer, write_terms=hands.write_terms)
        sweep(writer, grace=0.0)
        home.commit()
    if work.damage:
        raise ConfigurationError(work.damage)
    return work.done


@dataclass(slots=True)
class _Work:
    """Lots under way."""

    home: Home
    writer: IndexWriter
    cut: _Lots
    done: Done = field(default_factory=Done)
    damage: str = ""

    def lots(self, inverter: PageInverter) -> Iterator[Written]:
        """Read, keep, decide and write lot after lot; their segments are not published."""
        begun = sum(self._begin(inverter) for _ in range(inverter.width))
        decided = 0  # lots whose segments are being written
        while begun or decided:
            if not begun or decided == inverter.width:
                yield inverter.written()
                decided -= 1
                continue
            inverter.decide(self._keep(inverter.read()))
            begun, decided = begun - 1 + self._begin(inverter), decided + 1

    def _begin(self, inverter: PageInverter) -> int:
        try:
            lot = None if self.damage else self.cut.next()
        except ConfigurationError as error:
            self.damage, lot = str(error), None
        if lot is not None:
            inverter.begin(lot)
        return 0 if lot is None else 1

    def _keep(self, read: PagesRead) -> Decided:
        """Keep the documents of a lot, and decide what they are similar to."""
        for version in read.versions:
            self.home.documents.put(version.id, version.document, version.fetched_at)
        self.done.kept += len(read.versions)
        self.damage = self.damage or read.damage
        self.cut.learn(read)
        ids = [page.id for page in read.lot.prints]
        clusters = clusters_of(read.lot.prints, self.home.contents, self.home.documents)
        return Decided(self.writer.name(), clusters, levels_of(ids, self.home))


class _Lots:
    """Cuts pages into lots of about as much text, and says what of them is known already."""

    def __init__(self, pages: Iterator[FoundPage], home: Home, writer: IndexWriter) -> None:
        self._pages, self._home, self._writer = pages, home, writer
        self._closed: set[bytes] = {record.id for record in home.urls.closed()}
        self._is_new = next(iter(home.documents.stamps()), None) is None  # the collection
        self._read = self._bytes = 0

    def learn(self, read: PagesRead) -> None:
        """Take a lot's size into account."""
        self._read += len(read.lot.prints)
        self._bytes += read.lot.text_bytes

    def next(self) -> PageLot | None:
        """The next lot; None at the end."""
        mean = max(1, self._bytes // max(1, self._read))
        size = min(MOST_IN_LOT, max(1, LOT_BYTES // mean)) if self._read else FIRST_LOT
        pages = list(islice(self._pages, size))
        return self._lot(pages) if pages else None

    def _lot(self, pages: Sequence[FoundPage]) -> PageLot:
        ids = [] if self._is_new else list(dict.fromkeys(page.id for page in pages))
        known = {version.id: version for version in self._home.documents.read(ids)}
        again = [n for n, page in enumerate(pages) if page.id in known]
        closed = {n for n, page in enumerate(pages) if page_of(page.id) in self._closed}
        current = self._current([(n, pages[n], known[pages[n].id]) for n in again])
        anchors = {n: known[pages[n].id].anchors for n in again}
        named = {n: names for n, names in anchors.items() if names}
        return PageLot([page.place for page in pages], closed | current, named)

    def _current(self, again: Sequence[tuple[int, FoundPage, Version]]) -> set[int]:
        """Which of some pages need not be indexed: they are, or a newer version is there."""
        ids = as_ids([page.id for _, page, _ in again])
        versions = np.array([page.fetched_at for _, page, _ in again])
        anchors = np.array([digest(stored.anchors) for _, _, stored in again], "S16")
        found = np.array([stored.fetched_at > page.fetched_at for _, page, stored in again], bool)
        for info in self._writer.store.manifest().segments if again else ():
            found |= are_current(self._writer, info, ids, versions, anchors)
        return {again[place][0] for place in np.flatnonzero(found).tolist()}
