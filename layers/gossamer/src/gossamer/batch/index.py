"""INDEX over a whole collection: everything that is not indexed yet, or not as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from gossamer.batch.compact import compact, join
from gossamer.batch.inverters import Decided, InlineInverter, Written
from gossamer.batch.near_duplicates import Print, clusters_of, prints_of
from gossamer.bolts.index import Batch, analyzer_of, index, part_of, words_of
from gossamer.bolts.languages import languages_in
from gossamer.bolts.manifest import add_segment, replace_all, sweep
from gossamer.core.crawl.removal import is_no_document
from gossamer.core.ids import DocumentId, UrlId, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.postings import Words
from gossamer.core.index.segments.identities import as_ids
from gossamer.core.index.segments.manifest import SegmentInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gossamer.batch.compact import WriteTerms
    from gossamer.batch.inverters import Inverter
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.collection import IndexSchema
    from gossamer.ports.documents import DocumentStore, Stamp, Version
    from gossamer.ports.home import Home

    Tell = Callable[[int], None]

STAMPS = 10_000  # compared with the index at a time
# Text of a lot. In a larger one, words that are in many documents are analysed less often; it takes
# about twenty times as much memory.
LOT_BYTES = 4_000_000
FIRST_LOT, MOST_IN_LOT = 8, 8_000  # documents; the first ones may be books
# Documents whose parts become one segment. What is not published yet is done again after a kill.
SEGMENT_DOCUMENTS = 250_000


def index_batch(
    versions: Sequence[Version],
    home: Home,
    writer: IndexWriter,
    analyzer: Analyzer,
    schema: IndexSchema,
    gone: Mapping[UrlId, float] = {},
) -> int:
    """Index some documents as one segment; returns how many postings they have.

    All documents of a page are indexed together: they take the place of its older ones.
    """
    versions = sorted(versions, key=lambda version: version.id)
    words = words_of(versions, analyzer, schema.fields)
    clusters = clusters_of(prints_of(versions, words), home.contents, home.documents)
    levels = levels_of([version.id for version in versions], home)
    return index(writer, Batch(versions, words, clusters, levels, gone), analyzer, schema)


def levels_of(ids: Sequence[DocumentId], home: Home) -> dict[UrlId, int]:
    """The PageRank of the pages of some documents, as it was found last."""
    pages = list(set(map(page_of, ids)))
    return {page: links.level for page, links in home.edges.inlinks(pages).items()}


class Lot(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a lot of documents, before it is known what is similar."""

    prints: list[Print]
    text_bytes: int


Inverts: TypeAlias = "Inverter[Sequence[DocumentId], Lot]"


class LotInverter:
    """Works on one lot: what an inverter does, in this process or in another."""

    def __init__(
        self,
        documents: DocumentStore,
        put: Callable[[str, Iterable[bytes]], int],
        analyzer: Analyzer,
        schema: IndexSchema,
    ) -> None:
        self._documents, self._put = documents, put
        self._analyzer, self._schema = analyzer, schema
        self._versions: list[Version] = []
        self._words = Words([])

    def read(self, ids: Sequence[DocumentId]) -> Lot:
        """Read and analyse the documents of a lot."""
        return self.analyse(self._documents.read(ids))

    def analyse(self, versions: list[Version]) -> Lot:
        """Analyse documents that are at hand, in the order of their ids."""
        self._versions = versions
        self._words = words_of(versions, self._analyzer, self._schema.fields)
        size = sum(len(version.document.text) for version in versions)
        return Lot(prints_of(versions, self._words), size)

    def write(self, decided: Decided) -> Written:
        """Write the part of the lot that was read; of an empty lot there is none."""
        if not self._versions:
            return Written("", 0, 0)
        batch = Batch(self._versions, self._words, decided.clusters, decided.levels)
        pieces = part_of(batch, self._analyzer, self._schema)
        return Written(decided.name, self._put(decided.name, pieces), len(self._versions))


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work of indexing much: this process, or others."""

    # By the analyzer, the schema and the number of documents; None: this process.
    open_inverter: Callable[[Analyzer, IndexSchema, int], Inverts | None] = lambda *_: None
    write_terms: WriteTerms | None = None  # when segments are merged

    def inverter(self, home: Home, analyzer: Analyzer, schema: IndexSchema, count: int) -> Inverts:
        """Who turns so many documents into segments."""
        here = LotInverter(home.documents, home.index.put, analyzer, schema)
        return self.open_inverter(analyzer, schema, count) or InlineInverter(here)


def index_pending(
    home: Home, writer: IndexWriter, tell: Tell = lambda _: None, hands: Hands | None = None
) -> int:
    """Index every document whose present version is not in the index; returns how many."""
    hands = hands or Hands()
    analyzer, schema = analyzer_of(home), home.settings.get().schema
    if gone := vanished(home, writer):
        index(writer, Batch([], words_of([], analyzer), gone=gone), analyzer, schema)
        home.commit()
    pending = unindexed(home, writer)
    if pending:
        inverter = hands.inverter(home, analyzer, schema, len(pending))
        described = analyzer.describe()
        made = schema.digest(described)
        for info in _segments(pending, home, writer, inverter, tell, hands.write_terms):
            known = writer.opened.segment(info).identities
            languages = languages_in(writer.opened, [info], described)
            add_segment(writer, info.name, info.size, known, described, made, languages)
            home.commit()
    if pending or gone:
        compact(writer, write_terms=hands.write_terms)
        sweep(writer, grace=0.0)
        home.commit()
    return len(pending)


def index_again(
    home: Home, writer: IndexWriter, tell: Tell = lambda _: None, hands: Hands | None = None
) -> int:
    """Index every document anew by the present settings; returns how many.

    The old index answers until the new one takes its place as a whole. No other process may index
    meanwhile.
    """
    hands, settings = hands or Hands(), home.settings.get()
    analyzer = Analyzer(**msgspec.structs.asdict(settings.analyzer))
    pending = _open_to_search(home)
    segments: list[SegmentInfo] = []
    if pending:
        inverter = hands.inverter(home, analyzer, settings.schema, len(pending))
        segments += _segments(pending, home, writer, inverter, tell, hands.write_terms)
    described = analyzer.describe()
    replace_all(writer, segments, described, settings.schema.digest(described))
    compact(writer, write_terms=hands.write_terms)
    sweep(writer, grace=0.0)
    home.commit()
    return len(pending)


def _open_to_search(home: Home) -> list[DocumentId]:
    closed = {record.id for record in home.urls.closed()}
    stamps = home.documents.stamps()
    return sorted(id for stamp in stamps if stamp.page not in closed for id in stamp.ids())


def _segments(
    pending: Sequence[DocumentId],
    home: Home,
    writer: IndexWriter,
    inverter: Inverts,
    tell: Tell,
    write_terms: WriteTerms | None,
) -> Iterator[SegmentInfo]:
    """Write documents as segments, which are not published."""
    parts: list[SegmentInfo] = []
    done = 0
    for written in _write(pending, home, writer, inverter):
        parts.append(info_of(written, writer.clock()))
        done += written.documents
        tell(done)
        if sum(part.documents for part in parts) >= SEGMENT_DOCUMENTS:
            yield join(writer, parts, write_terms)
            parts = []
    if parts:
        yield join(writer, parts, write_terms)


def _write(
    pending: Sequence[DocumentId], home: Home, writer: IndexWriter, inverter: Inverts
) -> Iterator[Written]:
    """Write lot after lot as parts."""
    lots = _Lots(pending, inverter.width)
    begun = sum(_begin(inverter, lots) for _ in range(inverter.width))
    decided = 0  # lots whose parts are being written
    while begun or decided:
        if not begun or decided == inverter.width:
            yield inverter.written()
            decided -= 1
            continue
        lot = inverter.read()
        lots.learn(lot)
        ids = [page.id for page in lot.prints]
        clusters = clusters_of(lot.prints, home.contents, home.documents)
        inverter.decide(Decided(writer.name(), clusters, levels_of(ids, home)))
        begun, decided = begun - 1 + _begin(inverter, lots), decided + 1


def _begin(inverter: Inverts, lots: _Lots) -> int:
    ids = lots.next()
    if ids:
        inverter.begin(ids)
    return 1 if ids else 0


class _Lots:
    """Cuts documents into lots of about as much text, for so many who work on them."""

    def __init__(self, pending: Sequence[DocumentId], width: int) -> None:
        self._pending, self._at, self._width = pending, 0, width
        self._documents = self._bytes = 0

    def learn(self, lot: Lot) -> None:
        """Take a lot's size into account."""
        self._documents += len(lot.prints)
        self._bytes += lot.text_bytes

    def next(self) -> Sequence[DocumentId]:
        """The next lot; empty at the end."""
        mean = max(1, self._bytes // max(1, self._documents))
        size = min(MOST_IN_LOT, max(1, LOT_BYTES // mean)) if self._documents else FIRST_LOT
        fair = -(-(len(self._pending) - self._at) // self._width)  # so that none waits at the end
        end = self._at + min(size, fair)
        while 0 < end < len(self._pending) and self._is_inside_a_page(end):
            end += 1
        lot = self._pending[self._at : end]
        self._at = end
        return lot

    def _is_inside_a_page(self, place: int) -> bool:
        """All documents of a page are published together, or they would replace each other."""
        return page_of(self._pending[place]) == page_of(self._pending[place - 1])


def info_of(written: Written, now: float) -> SegmentInfo:
    """A part that was written, as if it were a segment of its own."""
    count = written.documents
    return SegmentInfo(name=written.name, size=written.size, documents=count, live=count, at=now)


def unindexed(home: Home, writer: IndexWriter) -> list[DocumentId]:
    """Documents of pages that are not in the index as they are now, by id.

    A document of the present version is not there, or it was indexed with other anchors.
    """
    closed = as_ids(sorted({record.id for record in home.urls.closed()}))
    segments = writer.store.manifest().segments
    found: list[DocumentId] = []
    for stamps in _lots(home.documents.stamps()):
        by_place = [(place, id) for place, stamp in enumerate(stamps) for id in stamp.ids()]
        places = np.array([place for place, _ in by_place], np.int64)
        ids = as_ids([id for _, id in by_place])
        versions = np.array([stamp.fetched_at for stamp in stamps])[places]
        anchors = np.array([stamp.anchors for stamp in stamps], "S16")[places]
        missing = ~_are_in(closed, as_ids([stamp.page for stamp in stamps]))[places]
        for info in segments:
            missing &= ~are_current(writer, info, ids, versions, anchors)
        for place in np.unique(places[missing]).tolist():
            found += stamps[place].ids()
    return sorted(found)


def are_current(
    writer: IndexWriter,
    info: SegmentInfo,
    ids: np.ndarray,
    versions: np.ndarray,
    anchors: np.ndarray,
) -> np.ndarray:
    """Which documents a segment has in this version or a newer one, with these anchors."""
    known, live = writer.opened.segment(info).identities, writer.opened.live(info)
    places = known.find(ids)
    there = (places >= 0) & live[places]
    newer = known.versions[places] > versions
    same = (known.versions[places] == versions) & (known.anchors[places] == anchors)
    current: np.ndarray = there & (newer | same)
    return current


def _are_in(known: np.ndarray, ids: np.ndarray) -> np.ndarray:
    if not len(known):
        return np.zeros(len(ids), np.bool_)
    places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    found: np.ndarray = known[places] == ids
    return found


def _lots(stamps: Iterator[Stamp]) -> Iterator[list[Stamp]]:
    lot = []
    for stamp in stamps:
        lot.append(stamp)
        if len(lot) == STAMPS:
            yield lot
            lot = []
    if lot:
        yield lot


def vanished(home: Home, writer: IndexWriter) -> dict[UrlId, float]:
    """Pages of live documents that a later crawl found gone, moved, repeated or closed to search.

    Or it read them, and found no document any more. With the versions that are in the index: a
    newer one may come back.
    """
    gone = {r.id for r in home.urls.closed() if is_no_document(r.state, r.reason, r.history)}
    gone |= set(home.documents.empty())
    pages = as_ids(sorted(gone))
    found: dict[UrlId, float] = {}
    for info in writer.store.manifest().segments:
        known, live = writer.opened.segment(info).identities, writer.opened.live(info)
        own = as_ids([bytes(id)[:16] for id in known.ids.tolist()])
        for place in np.flatnonzero(live & _are_in(pages, own)).tolist():
            found[page_of(known.id(place))] = float(known.versions[place])
    return found
