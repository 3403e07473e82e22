"""INDEX straight from pages in files: parsed, analysed and inverted in one pass.

A lot of pages is parsed and analysed where its segment is written, in this process or in another.
What must be durable comes here: documents are kept first, then it is decided what is similar, then
the segment is written and published. A crash in between leaves documents that are not indexed yet;
the next run finds them so. Which of two versions of a page counts is decided, as always, by the
document store and by the manifest. A file may have a page several times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
import numpy as np

from gossamer.batch.compact import compact, join
from gossamer.batch.index import (
    FIRST_LOT,
    LOT_BYTES,
    MOST_IN_LOT,
    SEGMENT_DOCUMENTS,
    Lot,
    LotInverter,
    are_current,
    info_of,
    levels_of,
)
from gossamer.batch.inverters import Decided, Written
from gossamer.batch.near_duplicates import clusters_of
from gossamer.bolts.index import analyzer_of
from gossamer.bolts.manifest import add_segment, sweep
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.anchors import digest
from gossamer.core.index.segments.identities import as_ids
from gossamer.core.page.document import Document
from gossamer.core.page.parts import parts_of
from gossamer.ports.documents import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.batch.compact import WriteTerms
    from gossamer.batch.index import Tell
    from gossamer.batch.inverters import Inverter
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.collection import IndexSchema
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

    ReadPage = Callable[["Place"], "PageRead | None"]


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a page lies in a file."""

    offset: int
    size: int


class FoundPage(NamedTuple):
    """A page in a file, before it is parsed: perhaps it is none, or closed to search."""

    id: UrlId
    fetched_at: float
    place: Place


class PageRead(msgspec.Struct, frozen=True, array_like=True):
    """What a page says: none, one or many documents."""

    id: UrlId
    fetched_at: float
    documents: list[Document]


class PageLot(msgspec.Struct, frozen=True, array_like=True):
    """Pages that become a part of a segment."""

    places: list[Place]
    kept_only: set[int] = set()  # numbers of those that are not to be indexed
    anchors: dict[int, tuple[str, ...]] = {}  # what other pages call them, by number


class PagesRead(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a lot: every page, and the prints of the documents that are indexed."""

    pages: list[PageRead]
    lot: Lot
    damage: str = ""  # why the rest could not be read


class PageLotInverter:
    """Works on one lot of pages: parses, analyses and writes its part of a segment."""

    def __init__(self, read_page: ReadPage, inverter: LotInverter) -> None:
        self._read_page, self._inverter = read_page, inverter

    def read(self, lot: PageLot) -> PagesRead:
        """Parse and analyse the pages of a lot."""
        found: dict[int, PageRead] = {}
        damage = ""
        try:
            for number, place in enumerate(lot.places):
                if page := self._read_page(place):
                    found[number] = page
        except ConfigurationError as error:
            damage = str(error)
        indexed = newest(
            PageVersion(p.id, p.fetched_at, parts_of(p.documents), lot.anchors.get(number, ()))
            for number, p in found.items()
            if number not in lot.kept_only
        )
        return PagesRead(list(found.values()), self._inverter.analyse(indexed), damage)

    def write(self, decided: Decided) -> Written:
        """Write the part of the lot that was read."""
        return self._inverter.write(decided)


def newest(pages: Iterable[PageVersion]) -> list[Version]:
    """The documents of the newest version of each page, of equal ones the last, by id."""
    found: dict[UrlId, PageVersion] = {}
    for page in pages:
        known = found.get(page.id)
        if known is None or page.fetched_at >= known.fetched_at:
            found[page.id] = page
    return [version for id in sorted(found) for version in found[id].versions()]


PageInverter: TypeAlias = "Inverter[PageLot, PagesRead]"


@dataclass(frozen=True, slots=True)
class PageHands:
    """Who does the work: parses and inverts pages, and merges segments."""

    open_inverter: Callable[[Analyzer, IndexSchema], PageInverter]
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
    analyzer, schema = analyzer_of(home), home.settings.get().schema
    described = analyzer.describe()
    made = schema.digest(described)
    work = _Work(home, writer, _Lots(pages, home, writer))
    for info in _segments(work, hands.open_inverter(analyzer, schema), hands.write_terms, tell):
        known = writer.opened.segment(info).identities
        add_segment(writer, info.name, info.size, known, described, made)
        home.commit()
        work.done.indexed += info.documents
    home.commit()
    if work.done.indexed:
        compact(writer, write_terms=hands.write_terms)
        sweep(writer, grace=0.0)
        home.commit()
    if work.damage:
        raise ConfigurationError(work.damage)
    return work.done


def _segments(
    work: _Work, inverter: PageInverter, write_terms: WriteTerms | None, tell: Tell
) -> Iterator[SegmentInfo]:
    """Write pages as segments, which are not published."""
    parts: list[SegmentInfo] = []
    done = 0
    for written in work.lots(inverter):
        parts += [info_of(written, work.writer.clock())] if written.documents else []
        done += written.documents
        tell(done)
        if sum(part.documents for part in parts) >= SEGMENT_DOCUMENTS:
            yield join(work.writer, parts, write_terms, may_repeat=True)
            parts = []
    if parts:
        yield join(work.writer, parts, write_terms, may_repeat=True)


@dataclass(slots=True)
class _Work:
    """Lots under way."""

    home: Home
    writer: IndexWriter
    cut: _Lots
    done: Done = field(default_factory=Done)
    damage: str = ""

    def lots(self, inverter: PageInverter) -> Iterator[Written]:
        """Read, keep, decide and write lot after lot."""
        begun = sum(self._begin(inverter) for _ in range(inverter.width))
        decided = 0  # lots whose parts are being written
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
        for page in read.pages:
            self.home.documents.put(page.id, page.documents, page.fetched_at)
            self.done.kept += len(page.documents)
        self.damage = self.damage or read.damage
        self.cut.learn(read)
        ids = [print.id for print in read.lot.prints]
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
        known = {page.id: page for page in self._home.documents.pages(ids)}
        again = {n: known[page.id] for n, page in enumerate(pages) if page.id in known}
        kept_only = {n for n, page in enumerate(pages) if page.id in self._closed}
        kept_only |= {n for n, page in again.items() if self._is_done(pages[n], page)}
        anchors = {n: page.anchors for n, page in again.items() if page.anchors}
        return PageLot([page.place for page in pages], kept_only, anchors)

    def _is_done(self, page: FoundPage, stored: PageVersion) -> bool:
        """Whether a page need not be indexed: it is, or a newer version of it is there."""
        if stored.fetched_at != page.fetched_at:
            return stored.fetched_at > page.fetched_at
        ids = as_ids([document_id(stored.id, part) for part in stored.documents])
        versions = np.full(len(ids), stored.fetched_at)
        anchors = np.full(len(ids), digest(stored.anchors), "S16")
        missing = np.ones(len(ids), np.bool_)
        for info in self._writer.store.manifest().segments:
            missing &= ~are_current(self._writer, info, ids, versions, anchors)
        return not missing.any()
