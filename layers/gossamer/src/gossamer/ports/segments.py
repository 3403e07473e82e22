"""Storage of the index: immutable files, and the manifest that names the live ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.core.index.segments.numbers import Buffer


# Documents of a segment. Lists of smaller ones are in the memory of a process that searches, about
# 0.2 KB a document. Large segments are merged often: with heads from 16,000 documents on, writing
# and deleting them would be $0.35 a million pages.
HEADS_FROM = 48_000
IN_BLOCK = (0, 0, 0, 0)  # where a layer of a short list is: in its block, or in a row of its own


class Head(msgspec.Struct, frozen=True):
    """The beginning of a frequent term's list in one segment: where its layers are, and the first.

    `layers` has for each layer its count, bound, and offset and size of postings and of positions.
    """

    term: str
    segment: str
    layers: tuple[tuple[int, int, int, int, int, int], ...]
    first: bytes  # the packed layer of the highest impacts
    rest: bytes = b""  # of a list in a block: its other postings, in a row of their own


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

    def heads(
        self, terms: Sequence[str], segments: Sequence[str], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], Head]:
        """The heads that are kept of some terms in some segments, by term and segment.

        Rows are read by falling impact, until every one of the segments has been met; so rests are
        missing where they are not heavier than what was wanted. `are_all`: few other segments have
        heads. Then rows are read in order, else by their keys.
        """

    def rests(
        self, keys: Sequence[tuple[str, str]], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], bytes]:
        """The rests of lists whose heads were read, by term and segment; read like heads."""
