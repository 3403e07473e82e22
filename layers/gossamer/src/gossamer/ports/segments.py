"""Storage of the index: immutable files, and the manifest that names the live ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.core.index.segments.numbers import Buffer


# Documents of a segment. Lists of smaller ones are in the memory of a process that searches.
HEADS_FROM = 16_000


class Head(msgspec.Struct, frozen=True):
    """The beginning of a frequent term's list in one segment: where its layers are, and the first.

    `layers` has for each layer its count, bound, and offset and size of postings and of positions.
    """

    term: str
    segment: str
    layers: tuple[tuple[int, int, int, int, int, int], ...]
    first: bytes  # the packed layer of the highest impacts


class SegmentStore(Protocol):
    """Files that are written once, and one manifest.

    Promises: a file that was put is read back byte for byte until it is deleted, also by readers
    that know it from an older manifest; a file is there whole or not at all; `publish` replaces the
    manifest only if no other process did meanwhile.
    """

    @property
    def format(self) -> int:
        """The format of the manifests and segments that are written (`segments.formats`)."""

    @property
    def is_far(self) -> bool:
        """Whether a read takes long, however little is read."""

    @property
    def reads(self) -> float:
        """What reading has cost so far, in read units of DynamoDB's; a GET of S3's counts as one.

        0 where a read costs nothing.
        """

    def manifest(self) -> Manifest:
        """The state of the index; never older than what this process published last."""

    def publish(self, manifest: Manifest) -> bool:
        """Replace the manifest of the version before; False if it was replaced already."""

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        """Write a file piece by piece; returns its size. No name is written twice."""

    def read(self, ranges: Sequence[Range]) -> Sequence[Buffer]:
        """Some bytes of some files, in this order; a store may read them at the same time.

        NotStored if a file is not there (any more): the manifest has changed meanwhile.
        """

    def delete(self, names: Sequence[str]) -> None:
        """Delete files, and the heads of those that are segments; what is not there stays so."""

    def names(self) -> list[str]:
        """All files that are there, whether a manifest names them or not."""

    def put_heads(self, heads: Iterable[Head]) -> None:
        """Keep the beginnings of lists where they are found without reading a segment.

        A home whose files are as near need not keep any.
        """

    def heads(self, terms: Sequence[str]) -> Mapping[tuple[str, str], Head]:
        """The heads that are kept of some terms, by term and name of the segment."""
