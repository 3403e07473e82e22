"""Cut a collection, or what a query finds in it, into one WARC or WACZ file.

Of every URL the response that the ledger has goes in, with its metadata and its request: the newest
one that brought something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from gossamer.adapters.warc import file_member
from gossamer.adapters.warc_reading import read_member, read_original
from gossamer.core.errors import CorruptRecord
from gossamer.core.ids import DocumentId, UrlId, page_of
from gossamer.core.page.parts import main_part
from gossamer.entrypoints.archives.cdxj import Captured
from gossamer.entrypoints.archives.wacz import PageLine, Wacz

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.entrypoints.archives.wacz import Write
    from gossamer.ports.documents import PageVersion
    from gossamer.ports.home import Home
    from gossamer.search.searcher import Searcher

AT_ONCE = 500  # pages whose titles are looked up together
MOST_HITS = 1000  # of a page of results


@dataclass(slots=True)
class Cut:
    """What went into a file."""

    captured: list[Captured] = field(default_factory=list)
    of: dict[UrlId, Captured] = field(default_factory=dict)  # those of pages
    missing: int = 0  # responses that could not be read


def hits(searcher: Searcher, query: str) -> list[UrlId]:
    """The pages of all results of a query, the best first."""
    found: dict[UrlId, None] = {}
    number, total = 1, 1
    while (number - 1) * MOST_HITS < total:
        page = searcher.search(query, page=number, limit=MOST_HITS, similar="all", fill=False)
        found |= dict.fromkeys(page_of(DocumentId(bytes.fromhex(hit.id))) for hit in page.hits)
        number, total = number + 1, page.total if page.hits else 0
    return list(found)


def write_warc(home: Home, wanted: Collection[UrlId] | None, out: BinaryIO, name: str) -> Cut:
    """Write a WARC file; without `wanted` pages of the whole collection."""
    return _write(home, _chosen(home, wanted), out.write, name)


def write_wacz(home: Home, wanted: Collection[UrlId] | None, out: BinaryIO, now: float) -> Cut:
    """Write a WACZ file; what is wanted first is its main page, else the page nearest to a seed."""
    records = _chosen(home, wanted)
    file = Wacz(out, home.collection, now)
    with file.warc() as write:
        cut = _write(home, records, write, "data.warc.gz")
    depths = {UrlId(record.id): record.depth for record in records}
    order = wanted if wanted is not None else sorted(depths, key=lambda id: depths[id])
    file.finish(cut.captured, list(_pages(home, cut, order)))
    return cut


def _chosen(home: Home, wanted: Collection[UrlId] | None) -> list[UrlRecord]:
    """The URLs that brought something, by the place where it lies: neighbours are read at once."""
    if wanted is None:
        records: Iterable[UrlRecord | None] = home.urls.all()
    else:
        records = map(home.urls.get, wanted)
    there = [record for record in records if record and record.page and record.page.length]
    return sorted(there, key=_place)


def _place(record: UrlRecord) -> tuple[str, int]:
    return (record.page.file, record.page.offset) if record.page else ("", 0)


def _write(home: Home, records: Sequence[UrlRecord], write: Write, name: str) -> Cut:
    cut, head = Cut(), file_member(name)
    write(head)
    offset = len(head)
    for record in records:
        try:
            members = home.pages.exchange(_ref(record))
            captured = _captured(members[0], offset)
        except CorruptRecord:
            cut.missing += 1
            continue
        cut.captured.append(captured)
        if record.purpose == "page":
            cut.of[UrlId(record.id)] = captured
        for member in members:
            write(member)
            offset += len(member)
    return cut


def _ref(record: UrlRecord) -> PageRef:
    if record.page is None:
        raise CorruptRecord(f"{record.url} has no response")
    return record.page


def _captured(member: bytes, offset: int) -> Captured:
    """What the index says of a response."""
    said = read_member(member, lambda body, _: body, "a response")
    head = read_original(member, None)
    if head is None:
        raise CorruptRecord(f"the response of {said.url} cannot be read")
    kind = next((value for name, value in said.headers if name.lower() == "content-type"), "")
    mime = kind.partition(";")[0].strip().lower()
    return Captured(said.url, head.date, mime, said.code, head.digest, offset, len(member))


def _pages(home: Home, cut: Cut, order: Iterable[UrlId]) -> Iterator[PageLine]:
    """The pages with documents, in an order."""
    there = [id for id in order if id in cut.of]
    for at in range(0, len(there), AT_ONCE):
        some = there[at : at + AT_ONCE]
        found = {page.id: page for page in home.documents.pages(some)}
        for id in some:
            if id in found and found[id].documents:
                yield PageLine(cut.of[id].url, cut.of[id].date, _title(found[id]))


def _title(page: PageVersion) -> str:
    part = main_part(page.documents)
    return page.documents[part].title if part is not None else ""
