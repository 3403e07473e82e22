"""Entries as a region of a segment: packed, unpacked, and merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import Unpacker, compress, decompress, pack, starts_of
from gossamer.core.index.suggestions.beginnings import beginnings
from gossamer.core.index.suggestions.entries import Entries, Occurrences, no_entries
from gossamer.core.index.suggestions.folding import BREAK

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Buffer, Ints

SUGGESTIONS: Final = "suggestions"  # the region
PER_BLOCK: Final = 128  # entries whose texts are unpacked together
_BETWEEN: Final = "\t"  # a text and what is about it
AT_ONCE: Final = 200_000  # occurrences that are merged together


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    count: int
    begins: int  # how many
    keys: bytes  # lines
    texts: list[bytes]  # blocks of lines
    numbers: bytes  # kinds, documents per entry, documents; then beginnings


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Packed).decode


def pack_entries(entries: Entries, *, is_part: bool = False) -> bytes:
    """A region; that of a part, which is only merged, has no beginnings and one block of texts."""
    keys = BREAK.join(entries.keys).encode()
    begins = np.zeros(0, np.int64) if is_part else beginnings(keys)
    lines = [t + _BETWEEN + a for t, a in zip(entries.texts, entries.about, strict=True)]
    size = max(1, len(lines)) if is_part else PER_BLOCK
    numbers = (entries.kinds, np.diff(entries.starts), entries.documents, begins)
    return _encode(
        _Packed(
            len(entries),
            len(begins),
            compress(keys),
            [
                compress(BREAK.join(lines[at : at + size]).encode())
                for at in range(0, len(lines), size)
            ],
            compress(b"".join(map(pack, numbers))),
        )
    )


class EntryRegion:
    """A region that was read; texts are unpacked when they are asked for."""

    def __init__(self, data: Buffer, what: str) -> None:
        self._what = what
        try:
            packed = _decode(data)
        except msgspec.DecodeError as error:
            raise CorruptRecord(f"{what} is damaged: {error}") from error
        self._texts = packed.texts
        self.count = packed.count
        self.keys = bytes(decompress(packed.keys, what))
        numbers = Unpacker(decompress(packed.numbers, what), what)
        self.kinds: npt.NDArray[np.uint8] = numbers.numbers(self.count).astype(np.uint8)
        self.starts = starts_of(numbers.numbers(self.count))
        self.documents: Ints = numbers.numbers(int(self.starts[-1])).astype(np.int64)
        self.begins = numbers.numbers(packed.begins).astype(np.int32)
        numbers.end()

    def shown(self, entry: int) -> tuple[str, str]:
        """An entry as it is written, and what is about it."""
        block, line = divmod(entry, PER_BLOCK)
        text, _, about = self._block(block)[line].partition(_BETWEEN)
        return text, about

    def _block(self, number: int) -> list[str]:
        return bytes(decompress(self._texts[number], self._what)).decode().split(BREAK)

    def entries(self) -> Entries:
        """All entries."""
        if not self.count:
            return no_entries()
        lines = [line for number in range(len(self._texts)) for line in self._block(number)]
        both = [line.partition(_BETWEEN) for line in lines]
        return Entries(
            self.keys.decode().split(BREAK),
            [text for text, _, _ in both],
            [about for _, _, about in both],
            self.kinds,
            self.starts,
            self.documents,
        )


def merged(sources: Iterable[tuple[Entries, Ints]], levels: npt.NDArray[np.integer]) -> Entries:
    """The best entries of several segments.

    Each with the new numbers of its documents, below 0 for those that are left out; `levels` by new
    number. Some are merged before the next are read, so that memory stays bounded.
    """
    waiting: list[tuple[Entries, Ints]] = []
    size = 0
    for entries, numbers in sources:
        waiting.append((entries, numbers[entries.documents]))
        size += len(entries.documents)
        if size > AT_ONCE:
            best = _together(waiting).entries(levels)
            waiting, size = [(best, best.documents)], len(best.documents)
    return _together(waiting).entries(levels)


def _together(sources: list[tuple[Entries, Ints]]) -> Occurrences:
    """All occurrences of several lists of entries, with these numbers of documents."""
    counts = np.array([len(entries) for entries, _ in sources], np.int64)
    places, firsts, kinds = [], [], []
    for first, (entries, _) in zip(starts_of(counts).tolist(), sources, strict=False):
        sizes = np.diff(entries.starts)
        places.append(first + np.repeat(np.arange(len(entries)), sizes))
        is_first = np.zeros(len(entries.documents), np.bool_)
        is_first[entries.starts[:-1]] = True
        firsts.append(is_first)
        kinds.append(np.repeat(entries.kinds, sizes))
    documents = np.concatenate([np.zeros(0, np.int64), *(numbers for _, numbers in sources)])
    live = documents >= 0
    return Occurrences(
        [key for entries, _ in sources for key in entries.keys],
        [text for entries, _ in sources for text in entries.texts],
        [about for entries, _ in sources for about in entries.about],
        np.concatenate([np.zeros(0, np.uint8), *kinds])[live],
        documents[live],
        np.concatenate([np.zeros(0, np.bool_), *firsts])[live],
        np.concatenate([np.zeros(0, np.int64), *places])[live],
    )
