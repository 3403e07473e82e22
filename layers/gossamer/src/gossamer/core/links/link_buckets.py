"""How are ten million links with their words sorted by target, when all words do not fit?

Nodes are numbered; some thousand that follow each other are a stretch. The links to a stretch are
packed as they come, and unpacked one stretch after another. Words are kept once for each piece:
what makes many links point to one page is navigation, and that repeats its words.
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

WIDTH = 1 << 14  # nodes of a stretch
MOST_LETTERS: Final = 200  # of a link's words


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Links to one stretch: sources, targets and numbers of their words, and those words."""

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
class Linked:
    """The links to one node, by the rank of their sources; those of one source come together."""

    target: int
    sources: Ints
    codes: Ints
    texts: Sequence[str]

    @property
    def total(self) -> int:
        """How many sources there are."""
        return int(np.count_nonzero(np.diff(self.sources))) + 1

    def words(self) -> Iterator[tuple[int, str]]:
        """Every source with its words."""
        for source, code in zip(self.sources.tolist(), self.codes.tolist(), strict=True):
            yield source, self.texts[code]

    def best(self, most: int) -> dict[int, str]:
        """The first sources, each with its first words that are any."""
        found: dict[int, str] = {}
        for source, words in self.words():
            if source not in found and len(found) == most:
                break
            found[source] = found.get(source) or words
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """The nodes from `first` to before `last`, and the links to them."""

    first: int
    last: int
    pieces: list[_Piece]

    def by_target(self, ranks: Floats) -> Iterator[Linked]:
        """The links to each node that has any, each link once for each of its words."""
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
            yield Linked(int(targets[begin]), sources[begin:end], codes[begin:end], texts)

    def _joined(self) -> tuple[Ints, list[str]]:
        """All pieces as one, with words numbered in their alphabetical order."""
        unpacked = [piece.unpack() for piece in self.pieces]
        texts = sorted({text for _, words in unpacked for text in words})
        codes = {text: code for code, text in enumerate(texts)}
        for numbers, words in unpacked:
            numbers[2] = np.array([codes[text] for text in words], np.int64)[numbers[2]]
        return np.concatenate([numbers for numbers, _ in unpacked], axis=1), texts


class Stretches:
    """The links to all of `size` nodes. Each stretch is read once, and forgotten then."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pieces: list[list[_Piece]] = [[] for _ in range(0, size, WIDTH)]
        self.links = 0

    def add(self, sources: Ints, targets: Ints, words: Sequence[str]) -> None:
        """Take links: from each source to the target in the same place, with its words."""
        self.links += len(sources)
        numbers = targets // WIDTH
        order = np.argsort(numbers, kind="stable")
        begins = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        for begin, end in pairwise([*begins.tolist(), len(order)]):
            part = order[begin:end]
            tidied = [" ".join(words[place].split())[:MOST_LETTERS] for place in part.tolist()]
            piece = _Piece.pack(sources[part], targets[part], tidied)
            self._pieces[int(numbers[part[0]])].append(piece)

    def __iter__(self) -> Iterator[Stretch]:
        for number in range(len(self._pieces)):
            pieces, self._pieces[number] = self._pieces[number], []
            first = number * WIDTH
            yield Stretch(first, min(first + WIDTH, self._size), pieces)
