"""Sort millions of links with their anchor texts by target, in bounded memory.

16,384 nodes with consecutive numbers are a bucket. The links to a bucket are compressed as they
come, and decompressed one bucket after another. A piece holds each different text once: pages with
many links are navigation targets, and navigation repeats its texts.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.links.graph import Ints

Floats = npt.NDArray[np.float64]

WIDTH = 1 << 14  # nodes of a bucket
MOST_LETTERS: Final = 200  # of an anchor text


def tidied(words: str) -> str:
    """An anchor text as it is kept: one line, not too long."""
    return " ".join(words.split())[:MOST_LETTERS]


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Compressed links to one bucket: rows of source, target and text number; and the texts."""

    numbers: bytes
    words: bytes

    @classmethod
    def pack(cls, sources: Ints, targets: Ints, words: Sequence[str]) -> _Piece:
        codes: dict[str, int] = {}
        coded = [codes.setdefault(text, len(codes)) for text in words]
        numbers = np.stack([sources, targets, np.array(coded, np.int64)]).astype(np.int32)
        text = "\n".join(codes).encode("utf-8", "surrogatepass")
        return cls(zlib.compress(numbers.tobytes(), 1), zlib.compress(text, 1))

    def unpack(self) -> tuple[Ints, list[str]]:
        numbers = np.frombuffer(zlib.decompress(self.numbers), np.int32).reshape(3, -1)
        words = zlib.decompress(self.words).decode("utf-8", "surrogatepass")
        return numbers.astype(np.int64), words.split("\n")


@dataclass(frozen=True, slots=True, eq=False)
class LinksTo:
    """The links to one node, by descending rank of the source; links of one source are adjacent."""

    target: int
    sources: Ints
    codes: Ints
    texts: Sequence[str]

    @property
    def total(self) -> int:
        """The number of different sources."""
        return int(np.count_nonzero(np.diff(self.sources))) + 1

    def words(self) -> Iterator[str]:
        """The anchor text of every source."""
        return map(self.texts.__getitem__, self.codes.tolist())

    def best(self, most: int) -> dict[int, str]:
        """The first `most` sources, each with its first anchor text that is not empty."""
        found: dict[int, str] = {}
        for source, words in zip(self.sources.tolist(), self.words(), strict=True):
            if source not in found and len(found) == most:
                break
            found[source] = found.get(source) or words
        return found


@dataclass(frozen=True, slots=True, eq=False)
class LinkBucket:
    """The nodes from `first` to before `last`, and the links to them."""

    first: int
    last: int
    pieces: list[_Piece]

    def by_target(self, ranks: Floats) -> Iterator[LinksTo]:
        """The links to every linked node, once per source and anchor text."""
        if not self.pieces:
            return
        (sources, targets, codes), texts = self._joined()
        order = np.lexsort((codes, sources, -ranks[sources], targets))
        sources, targets, codes = sources[order], targets[order], codes[order]
        same = (np.diff(sources) == 0) & (np.diff(targets) == 0) & (np.diff(codes) == 0)
        new = np.concatenate(([True], ~same))
        sources, targets, codes = sources[new], targets[new], codes[new]
        begins = np.flatnonzero(np.concatenate(([True], np.diff(targets) != 0)))
        for begin, end in pairwise([*begins.tolist(), len(targets)]):
            yield LinksTo(int(targets[begin]), sources[begin:end], codes[begin:end], texts)

    def _joined(self) -> tuple[Ints, list[str]]:
        """All pieces joined, with texts renumbered in alphabetical order."""
        unpacked = [piece.unpack() for piece in self.pieces]
        texts = sorted({text for _, words in unpacked for text in words})
        codes = {text: code for code, text in enumerate(texts)}
        for numbers, words in unpacked:
            numbers[2] = np.array([codes[text] for text in words], np.int64)[numbers[2]]
        return np.concatenate([numbers for numbers, _ in unpacked], axis=1), texts


class LinkBuckets:
    """The links to `size` nodes. Iterating returns each bucket once and frees it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pieces: list[list[_Piece]] = [[] for _ in range(0, size, WIDTH)]
        self.links = 0

    def add(self, sources: Ints, targets: Ints, words: Sequence[str]) -> None:
        """Add links: from each source to the target at the same position, with its text."""
        self.links += len(sources)
        tidy = {text: tidied(text) for text in set(words)}  # most texts are repeated
        numbers = targets // WIDTH
        order = np.argsort(numbers, kind="stable")
        begins = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        for begin, end in pairwise([*begins.tolist(), len(order)]):
            part = order[begin:end]
            texts = [tidy[words[place]] for place in part.tolist()]
            piece = _Piece.pack(sources[part], targets[part], texts)
            self._pieces[int(numbers[part[0]])].append(piece)

    def __iter__(self) -> Iterator[LinkBucket]:
        for number in range(len(self._pieces)):
            pieces, self._pieces[number] = self._pieces[number], []
            first = number * WIDTH
            yield LinkBucket(first, min(first + WIDTH, self._size), pieces)
