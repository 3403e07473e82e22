"""INDEX straight from pages in files: parsed, analysed and inverted in one pass.

A lot of pages is parsed and analysed where its segment is written, in this process or in another.
What must be durable comes here: documents are kept first, then it is decided what is similar, then
the segment is written and published. A crash in between leaves documents that are not indexed yet;
the next run finds them so. Which of two versions of a page counts is decided, as always, by the
document store and by the manifest. A file may have a page several times.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
import numpy as np

from gossamer.batch.compact import compact, join
from gossamer.batch.index import (
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
from gossamer.bolts.languages import languages_in
from gossamer.bolts.manifest import add_segment, sweep
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.index.anchors import digest
from gossamer.core.index.segments.identities import as_ids
from gossamer.core.index.segments.tombstones import Bits, pack_bits
from gossamer.core.page.document import Document
from gossamer.core.page.host_language import in_language_of_host, told_language
from gossamer.core.page.parts import parts_of
from gossamer.core.urls import host_of, url_id
from gossamer.messages import Link
from gossamer.ports.documents import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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

# Text of a lot: half of what is best for stored documents. Pages take longer to parse than to
# analyse, and not all equally long: the larger the lots, the longer one process waits for another.
LOT_BYTES = 2_000_000
FIRST_LOT = 200  # pages, while nothing is known of their text
FIRST_LOT_FILE_BYTES = 2_000_000  # as they lie in files: of a PDF, a thousand pages
MAX_LOT_FILE_BYTES = 32_000_000


class TooLarge(ConfigurationError):
    """A page has more bytes than a page may have."""


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a page lies in a file."""

    offset: int
    size: int
    about: int = 0  # bytes behind it that say what it was fetched for


class FoundPage(NamedTuple):
    """A page in a file, before it is parsed: perhaps it is none, or closed to search."""

    id: UrlId
    fetched_at: float
    place: Place
    file_bytes: int = 0  # to be read of it, if that is not the size of its place
    host: str = ""


class PageRead(msgspec.Struct, frozen=True, array_like=True):
    """What a page says: none, one or many documents."""

    id: UrlId
    fetched_at: float
    documents: list[Document]
    url: str = ""
    md5: bytes = b""  # of its bytes, which only one URL may have
    reason: str = ""  # why there is no document, if reasons are counted
    links: list[Link] | None = None  # to be kept, in place of those that were known


class PageLot(msgspec.Struct, frozen=True, array_like=True):
    """Pages that become a part of a segment."""

    places: list[Place]
    kept_only: set[int] = set()  # numbers of those that are not to be indexed
    anchors: dict[int, tuple[str, ...]] = {}  # what other pages call them, by number
    languages: dict[str, dict[str, int]] = {}  # of pages counted before: by host, by language


class PagesRead(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a lot: every page, and the prints of the documents that are indexed."""

    pages: list[PageRead]
    lot: Lot
    damaged: int = 0  # pages that could not be read
    too_large: int = 0
    languages: dict[str, dict[str, int]] = {}  # that pages tell: by host, by language


class PageLotInverter:
    """Works on one lot of pages: parses, analyses and writes its part of a segment."""

    def __init__(self, read_page: ReadPage, inverter: LotInverter) -> None:
        self._read_page, self._inverter = read_page, inverter

    def read(self, lot: PageLot) -> PagesRead:
        """Parse and analyse the pages of a lot."""
        found: dict[int, PageRead] = {}
        damaged = too_large = 0
        for number, place in enumerate(lot.places):
            try:
                page = self._read_page(place)
            except ConfigurationError as error:
                too_large += isinstance(error, TooLarge)
                damaged += not isinstance(error, TooLarge)
                continue
            if page is not None:
                found[number] = page
        languages = _told_languages(found.values())
        _set_languages(found, languages, lot.languages)
        indexed = newest(
            PageVersion(p.id, p.fetched_at, parts_of(p.documents), lot.anchors.get(number, ()))
            for number, p in found.items()
            if number not in lot.kept_only
        )
        analysed = self._inverter.analyse(indexed)
        return PagesRead(list(found.values()), analysed, damaged, too_large, languages)

    def write(self, decided: Decided) -> Written:
        """Write the part of the lot that was read."""
        return self._inverter.write(decided)


def _told_languages(pages: Iterable[PageRead]) -> dict[str, dict[str, int]]:
    """Count the pages that tell a language, by host and language."""
    counts: dict[str, dict[str, int]] = {}
    for page in pages:
        if language := told_language(page.documents):
            by_language = counts.setdefault(host_of(page.url), {})
            by_language[language] = by_language.get(language, 0) + 1
    return counts


def _set_languages(
    pages: dict[int, PageRead],
    told: Mapping[str, Mapping[str, int]],
    before: Mapping[str, Mapping[str, int]],
) -> None:
    """Give pages that tell no language that of most pages of their host.

    All pages of the lot count for each of them, and what was counted before it was cut.
    """
    for number, page in pages.items():
        if page.documents and not told_language(page.documents):
            host = host_of(page.url)
            counts = Counter(told.get(host, {})) + Counter(before.get(host, {}))
            documents = in_language_of_host(page.documents, counts)
            pages[number] = msgspec.structs.replace(page, documents=documents)


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
    damaged: int = 0  # records that could not be read
    too_large: int = 0  # pages that have more bytes than a page may have
    reasons: Counter[str] = field(default_factory=Counter)  # why pages have no document


def index_pages(
    pages: Iterator[FoundPage],
    home: Home,
    writer: IndexWriter,
    hands: PageHands,
    tell: Tell = lambda _: None,
) -> Done:
    """Keep and index the documents of pages in a file.

    Of pages with the same bytes the first is kept, as in a crawl.
    """
    analyzer, schema = analyzer_of(home), home.settings.get().schema
    described = analyzer.describe()
    made = schema.digest(described)
    work = _Work(home, writer, _Lots(pages, home, writer))
    for info in _segments(work, hands.open_inverter(analyzer, schema), hands.write_terms, tell):
        known = writer.opened.segment(info).identities
        languages = languages_in(writer.opened, [info], described)
        add_segment(writer, info.name, info.size, known, described, made, languages)
        home.commit()
        work.done.indexed += info.documents
    home.commit()
    if work.done.indexed:
        compact(writer, write_terms=hands.write_terms)
        sweep(writer, grace=0.0)
        home.commit()
    return work.done


def _segments(
    work: _Work, inverter: PageInverter, write_terms: WriteTerms | None, tell: Tell
) -> Iterator[SegmentInfo]:
    """Write pages as segments, which are not published."""
    parts: list[SegmentInfo] = []
    done = 0
    for part in work.lots(inverter):
        parts += [part] if part.live else []
        done += part.live
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
    twins: deque[Bits] = field(default_factory=deque)  # of lots under way: documents to leave out

    def lots(self, inverter: PageInverter) -> Iterator[SegmentInfo]:
        """Read, keep, decide and write lot after lot, each as a part of a segment."""
        begun = sum(self._begin(inverter) for _ in range(inverter.width))
        decided = 0  # lots whose parts are being written
        while begun or decided:
            if not begun or decided == inverter.width:
                yield self._part(inverter.written())
                decided -= 1
                continue
            inverter.decide(self._keep(inverter.read()))
            begun, decided = begun - 1 + self._begin(inverter), decided + 1

    def _part(self, written: Written) -> SegmentInfo:
        """A part as it was written; what has the bytes of another page is dead in it."""
        info, twins = info_of(written, self.writer.clock()), self.twins.popleft()
        if not twins.any():
            return info
        if twins.all():
            self.writer.store.delete([info.name])
            return msgspec.structs.replace(info, live=0)
        dead = self.writer.put_side(pack_bits(twins))
        return msgspec.structs.replace(info, live=int(np.count_nonzero(~twins)), dead=dead)

    def _begin(self, inverter: PageInverter) -> int:
        lot = self.cut.next()
        if lot is not None:
            inverter.begin(lot)
        return 0 if lot is None else 1

    def _keep(self, read: PagesRead) -> Decided:
        """Keep the documents of a lot, and decide what they are similar to."""
        newest: dict[UrlId, tuple[float, bool]] = {}  # versions, and whether their bytes are theirs
        for page in read.pages:
            owns = self._owns(page)
            if owns:
                self._put(page)
            if page.fetched_at >= newest.get(page.id, (page.fetched_at, owns))[0]:
                newest[page.id] = page.fetched_at, owns
        twins = {id for id, (_, owns) in newest.items() if not owns}
        for host, languages in read.languages.items():
            self.home.host_languages.add(host, languages)
        self.done.damaged += read.damaged
        self.done.too_large += read.too_large
        self.cut.learn(read)
        prints = [each for each in read.lot.prints if page_of(each.id) not in twins]
        self.twins.append(np.array([page_of(each.id) in twins for each in read.lot.prints], bool))
        clusters = clusters_of(prints, self.home.contents, self.home.documents)
        levels = levels_of([each.id for each in prints], self.home)
        return Decided(self.writer.name(), clusters, levels)

    def _put(self, page: PageRead) -> None:
        self.home.documents.put(page.id, page.documents, page.fetched_at)
        self.done.kept += len(page.documents)
        if page.links is not None:
            self.home.edges.put(page.id, page.links, 0, 1)
        if page.reason:
            self.done.reasons[page.reason] += 1

    def _owns(self, page: PageRead) -> bool:
        """Whether no other page has the same bytes, or another had them and has others by now."""
        if not page.md5 or not page.documents:
            return True
        contents = self.home.contents
        owner = contents.own(page.md5, page.url)
        if owner != page.url and self._says(owner, page):
            return False
        return owner == page.url or contents.own(page.md5, page.url, owner) == page.url

    def _says(self, url: str, page: PageRead) -> bool:
        """Whether the documents of a URL say what those of a page do."""
        said = [(document.title, document.text) for document in page.documents]
        stored = self.home.documents.pages([url_id(url)])
        return said in [[(d.title, d.text) for d in each.documents.values()] for each in stored]


class _Lots:
    """Cuts pages into lots of about as much text, and says what of them is known already."""

    def __init__(self, pages: Iterator[FoundPage], home: Home, writer: IndexWriter) -> None:
        self._pages, self._home, self._writer = pages, home, writer
        self._closed: set[bytes] = {record.id for record in home.urls.closed()}
        self._is_new = next(iter(home.documents.stamps()), None) is None  # the collection
        self._file_bytes: deque[int] = deque()  # of lots that are being read
        self._read_bytes = self._text_bytes = 0
        self._next = next(pages, None)

    def learn(self, read: PagesRead) -> None:
        """Take a lot's size into account."""
        self._read_bytes += self._file_bytes.popleft()
        self._text_bytes += read.lot.text_bytes

    def next(self) -> PageLot | None:
        """The next lot; None at the end."""
        limit, count = FIRST_LOT_FILE_BYTES, FIRST_LOT
        if self._read_bytes:
            limit = LOT_BYTES * self._read_bytes // max(1, self._text_bytes)
            count = MOST_IN_LOT
        pages, size = self._take(count, min(limit, MAX_LOT_FILE_BYTES))
        if not pages:
            return None
        self._file_bytes.append(size)
        return self._lot(pages)

    def _take(self, count: int, limit: int) -> tuple[list[FoundPage], int]:
        """Return up to `count` pages of up to `limit` bytes, one at least, and their bytes."""
        pages: list[FoundPage] = []
        total = 0
        while (page := self._next) is not None and len(pages) < count:
            size = page.file_bytes or page.place.size
            if pages and total + size > limit:
                break
            pages.append(page)
            total += size
            self._next = next(self._pages, None)
        return pages, total

    def _lot(self, pages: Sequence[FoundPage]) -> PageLot:
        ids = [] if self._is_new else list(dict.fromkeys(page.id for page in pages))
        known = {page.id: page for page in self._home.documents.pages(ids)}
        again = {n: known[page.id] for n, page in enumerate(pages) if page.id in known}
        kept_only = {n for n, page in enumerate(pages) if page.id in self._closed}
        kept_only |= {n for n, page in again.items() if self._is_done(pages[n], page)}
        anchors = {n: page.anchors for n, page in again.items() if page.anchors}
        hosts = dict.fromkeys(page.host for page in pages)
        languages = {host: dict(self._home.host_languages.pages(host)) for host in hosts}
        return PageLot([page.place for page in pages], kept_only, anchors, languages)

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
