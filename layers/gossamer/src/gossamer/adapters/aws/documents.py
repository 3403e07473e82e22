"""DocumentStore over DynamoDB: an item for each page, with all of its documents.

The few bodies that are too large for an item lie in S3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import DocumentItem
from gossamer.adapters.aws.dynamodb.table import Table, assign
from gossamer.core.cost.aws_units import batch_read_units
from gossamer.core.ids import UrlId, page_of
from gossamer.core.index.anchors import digest, kept
from gossamer.core.page.packed_documents import pack, pack_parts, unpack, unpack_parts
from gossamer.ports.documents import Count, PageVersion, Stamp, Version, select, selected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.core.ids import DocumentId
    from gossamer.core.page.document import Document

_OVERHEAD = 100  # bytes of an item beside its body and its anchors, about
MAX_ITEM = 350_000  # bytes of a body, of 400 KB that an item may have with its anchors

_ENCODER = msgspec.msgpack.Encoder()
_ANCHORS = msgspec.msgpack.Decoder(tuple[str, ...])


class DynamoDocumentStore:
    """The documents of each page."""

    def __init__(self, clients: Clients, stack: str, collection: str, bucket: str) -> None:
        self._table = Table(clients, stack, DocumentItem)
        self._clients, self._collection, self._bucket = clients, collection, bucket
        # Every kilobyte is a unit to write: 9 saves a tenth more than 1 for a millisecond.
        self._compressor = zstandard.ZstdCompressor(level=9)
        self._decompressor = zstandard.ZstdDecompressor()
        self.reads = 0.0

    def _key(self, id: bytes) -> bytes:
        return keys.binary(self._collection, b"d" + id)

    def put(self, page: UrlId, documents: Sequence[Document], fetched_at: float) -> None:
        parts, packed = pack(documents)
        body = self._compressor.compress(packed)
        is_large = len(body) > MAX_ITEM
        file = self._put_object(page, fetched_at, body) if is_large else None
        newer = DocumentItem.fetched_at.does_not_exist() | (DocumentItem.fetched_at <= fetched_at)
        to = [
            assign(DocumentItem.fetched_at, fetched_at),
            assign(DocumentItem.body, None if is_large else body),
            assign(DocumentItem.file, file),
            assign(DocumentItem.parts, parts),
        ]
        self._table.update((self._key(page),), to, newer)

    def put_anchors(self, called: Mapping[UrlId, Sequence[str]]) -> int:
        # Each costs as much as its whole item, and not less if nothing has changed.
        # Packed before: threads cannot share a compressor.
        packed = [(id, self._packed(kept(anchors))) for id, anchors in called.items()]
        return sum(self._clients.each(lambda named: self._call(*named), packed))

    def _packed(self, anchors: tuple[str, ...]) -> bytes | None:
        return self._compressor.compress(_ENCODER.encode(anchors)) if anchors else None

    def _call(self, id: bytes, packed: bytes | None) -> bool:
        other = DocumentItem.anchors.exists()
        if packed is not None:
            other = DocumentItem.anchors.does_not_exist() | (DocumentItem.anchors != packed)
        to = [assign(DocumentItem.anchors, packed)]
        return self._table.update((self._key(id),), to, DocumentItem.key.exists() & other).done

    def _put_object(self, id: bytes, fetched_at: float, body: bytes) -> str:
        """A name of its own for each version: what an older item names is never overwritten."""
        name = f"documents/{self._collection}/{id.hex()}-{fetched_at:.6f}.zst"
        self._clients.call(
            "s3", "PutObject", f"bucket {self._bucket}", Bucket=self._bucket, Key=name, Body=body
        )
        return name

    def pages(self, ids: Sequence[UrlId], *, newest: bool = True) -> list[PageVersion]:
        # INDEX asks for what PARSE has written a moment ago. Who only shows it pays half.
        by_key = self._items(map(self._key, ids), newest=newest)
        if not newest:
            missing = [key for key in map(self._key, ids) if key not in by_key]
            by_key |= self._items(missing, newest=True)
        items = [by_key.get(self._key(id)) for id in ids]
        return [self._page(item) for item in items if item is not None]

    def _page(self, item: DocumentItem) -> PageVersion:
        body = item.body if item.body is not None else self._object(item.file)
        documents = unpack(item.parts, self._decompressor.decompress(body))
        return PageVersion(self._id(item), item.fetched_at, documents, self._anchors(item))

    def _id(self, item: DocumentItem) -> UrlId:
        return UrlId(item.key.removeprefix(self._key(b"")))

    def read(self, ids: Sequence[DocumentId], *, newest: bool = True) -> list[Version]:
        return select(self, ids, newest=newest)

    def peek(self, ids: Sequence[DocumentId]) -> list[Version]:
        items = self._items((self._key(page_of(id)) for id in ids), newest=False)
        return selected(ids, map(self._page, items.values()))

    def _items(self, keys: Iterable[bytes], *, newest: bool) -> dict[bytes, DocumentItem]:
        asked = [(key,) for key in dict.fromkeys(keys)]
        by_key = {item.key: item for item in self._table.read_many(asked, newest=newest)}
        sizes = [*map(_size, by_key.values()), *[0] * (len(asked) - len(by_key))]
        self.reads += batch_read_units(sizes, consistent=newest)
        return by_key

    def all(self, segments: int = 1) -> Iterator[PageVersion]:
        return map(self._page, self._table.scan(beginning=self._key(b""), segments=segments))

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, PageVersion]]:
        for mark, item in self._table.scan_after(after, self._key(b"")):
            yield mark, self._page(item)

    def load(self, entries: Sequence[PageVersion]) -> None:
        self._table.write_many(map(self._loaded, entries))

    def _loaded(self, page: PageVersion) -> DocumentItem:
        parts, packed = pack_parts(page.documents)
        body = self._compressor.compress(packed)
        item = DocumentItem(key=self._key(page.id), fetched_at=page.fetched_at, parts=parts)
        if len(body) > MAX_ITEM:
            item.file = self._put_object(page.id, page.fetched_at, body)
        else:
            item.body = body
        item.anchors = self._packed(page.anchors)
        return item

    def stamps(self) -> Iterator[Stamp]:
        # DynamoDB reads and bills the text all the same, but it does not come over the wire.
        known = DocumentItem
        wanted = (known.key, known.fetched_at, known.anchors, known.parts)
        for item in self._table.scan(None, wanted, beginning=self._key(b"")):
            anchors = digest(self._anchors(item))
            yield Stamp(self._id(item), item.fetched_at, anchors, unpack_parts(item.parts))

    def count(self) -> Count:
        """How many documents there are: reads all of them."""
        found = [len(parts) for _, parts in self._parts()]
        return Count(sum(map(bool, found)), sum(found))

    def empty(self) -> Iterator[UrlId]:
        return (page for page, parts in self._parts() if not parts)

    def _parts(self) -> Iterator[tuple[UrlId, tuple[int, ...]]]:
        wanted = (DocumentItem.key, DocumentItem.parts)
        items = self._table.scan(None, wanted, beginning=self._key(b""))
        return ((self._id(item), unpack_parts(item.parts)) for item in items)

    def _anchors(self, item: DocumentItem) -> tuple[str, ...]:
        packed = item.anchors
        return _ANCHORS.decode(self._decompressor.decompress(packed)) if packed else ()

    def _object(self, name: str) -> bytes:
        answer = self._clients.call(
            "s3", "GetObject", f"{name} in bucket {self._bucket}", Bucket=self._bucket, Key=name
        )
        body: bytes = answer["Body"].read()
        return body


def _size(item: DocumentItem) -> int:
    return len(item.body or b"") + len(item.anchors or b"") + _OVERHEAD
