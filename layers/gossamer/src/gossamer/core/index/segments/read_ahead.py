"""Read files front to back in large pieces.

A merge asks for blocks and lists one after another. Where a read takes tens of milliseconds,
however little is asked for, it asks a thousand times less often for pieces of some megabytes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from gossamer.core.index.segments.layout import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.index.segments.numbers import Buffer

    Fetch = Callable[[Sequence[Range]], Sequence[Buffer]]

PIECE = 2 << 20  # bytes
# A merge of eight segments reads each at four places: terms, postings, positions, documents.
MOST_PIECES = 40


class ReadAhead:
    """Fetches ranges by way of larger pieces, of which the last ones are kept."""

    def __init__(self, fetch: Fetch, piece: int = PIECE, most: int = MOST_PIECES) -> None:
        self._fetch, self._piece, self._most = fetch, piece, most
        self._known: OrderedDict[Range, Buffer] = OrderedDict()

    def __call__(self, ranges: Sequence[Range]) -> list[Buffer]:
        """Some bytes of some files, in this order."""
        wanted = [self._pieces(place) for place in ranges]
        found = self._read({piece for pieces in wanted for piece in pieces})
        return [self._cut(*each, found) for each in zip(ranges, wanted, strict=True)]

    def _pieces(self, place: Range) -> list[Range]:
        if not place.size:
            return []
        first, last = place.offset // self._piece, (place.offset + place.size - 1) // self._piece
        return [Range(place.file, n * self._piece, self._piece) for n in range(first, last + 1)]

    def _read(self, pieces: set[Range]) -> dict[Range, Buffer]:
        missing = sorted(pieces - self._known.keys())
        for piece, data in zip(missing, self._fetch(missing) if missing else (), strict=True):
            self._known[piece] = data
        found = {piece: self._known[piece] for piece in sorted(pieces)}
        for piece in found:
            self._known.move_to_end(piece)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return found

    def _cut(self, place: Range, pieces: Sequence[Range], found: dict[Range, Buffer]) -> Buffer:
        if not pieces:
            return b""
        begin = place.offset - pieces[0].offset
        if len(pieces) == 1:
            return memoryview(found[pieces[0]])[begin : begin + place.size]
        whole = b"".join([bytes(found[piece]) for piece in pieces])
        return memoryview(whole)[begin : begin + place.size]
