"""SegmentStore over AWS: files in S3, the manifest and the heads of frequent terms in DynamoDB."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index.files import Files
from gossamer.adapters.aws.index.heads import LIST, Heads
from gossamer.core.errors import ConfigurationError
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, READ_FORMATS, read_formats
from gossamer.core.index.segments.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.core.index.segments.layout import Range
    from gossamer.ports.segments import Head

MANIFEST = "manifest"
PLAIN = 900  # bytes; a longer manifest is worth compressing, to stay within a write unit
_ZSTD = b"\x28\xb5\x2f\xfd"


class _FirstEdition(msgspec.Struct):
    """What a manifest of the index before this one named."""

    deltas: list[msgspec.Raw] = []
    generations: list[msgspec.Raw] = []


class AwsSegmentStore:
    """The index of a collection."""

    is_far = True

    def __init__(
        self,
        clients: Clients,
        stack: str,
        collection: str,
        bucket: str,
        format: int = DEFAULT_FORMAT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._collection, self._clock = collection, clock
        self.format = format  # of what is written
        self._table = Table(clients, stack, SegmentItem)
        self._files = Files(clients, bucket, f"index/{collection}/")
        self._heads = Heads(clients, stack, collection, self._files)

    @property
    def reads(self) -> float:
        return self._files.gets + self._heads.units

    def manifest(self) -> Manifest:
        item = self._table.get(self._collection, MANIFEST, newest=True)
        if item is None:
            return Manifest()
        body = _unpacked(item.body or b"{}")
        if item.format is None:
            self._refuse_first_edition(body)
            return Manifest()
        if item.format not in READ_FORMATS:
            raise ConfigurationError(
                f"the index of {self._collection!r} has format {item.format},"
                f" this program reads {read_formats()}: update it"
            )
        return msgspec.json.decode(body, type=Manifest)

    def _refuse_first_edition(self, body: bytes) -> None:
        first = msgspec.json.decode(body, type=_FirstEdition)
        if first.deltas or first.generations:
            raise ConfigurationError(
                f"the index of {self._collection!r} has an older format:"
                " `gossamer --stack NAME reindex` builds it again from the stored documents"
            )

    def publish(self, manifest: Manifest) -> bool:
        writer, before = os.urandom(8), manifest.version - 1
        # Unknown parts of a newer manifest are not written again, and the format says so.
        # A first manifest may replace one of the first edition, which has no format.
        condition = SegmentItem.version == before if before else SegmentItem.format.does_not_exist()
        item = SegmentItem(
            self._collection,
            MANIFEST,
            body=_packed(msgspec.json.encode(manifest)),
            version=manifest.version,
            format=self.format,
            writer=writer,
            at=self._clock(),
        )
        written = self._table.put(item, condition)
        # botocore repeats a call whose answer was lost: then what is there already is ours.
        return written.done or (written.item is not None and written.item.writer == writer)

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        return self._files.put(name, pieces)

    def read(self, ranges: Sequence[Range]) -> Sequence[bytes]:
        return self._files.read(ranges)

    def delete(self, names: Sequence[str]) -> None:
        # The files last, so that `names` tells of everything that is not deleted yet.
        names = list(dict.fromkeys(names))
        self._files.delete(self._heads.delete(names))
        self._files.delete(names)

    def names(self) -> list[str]:
        # A list of terms without its segment stands for the segment, whose heads may be there.
        return list(dict.fromkeys(name.removesuffix(LIST) for name in self._files.names()))

    def put_heads(self, heads: Iterable[Head]) -> None:
        self._heads.put(heads)

    def heads(
        self, terms: Sequence[str], segments: Sequence[str], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], Head]:
        return self._heads.read(terms, segments, are_all=are_all)

    def rests(
        self, keys: Sequence[tuple[str, str]], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], bytes]:
        return self._heads.read_rests(keys, are_all=are_all)


def _packed(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body) if len(body) > PLAIN else body


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_ZSTD):
        return body
    plain: bytes = zstandard.ZstdDecompressor().decompress(body)
    return plain
