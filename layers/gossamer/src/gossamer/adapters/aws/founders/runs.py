"""A run: keys and their founders in one immutable file, sorted, in blocks with a filter.

Most keys of a page are in no run. The filter says so without a read, for nearly all of them; for
the others it is wrong once in a hundred times, which costs a read in vain. The footer, with the
filter and the first key of each block, is read once by a process.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import merge
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from gossamer.ports.content_owners import Founder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

Entry = tuple[bytes, list[Founder]]  # a key and its founders; none of them: it was forgotten

IN_BLOCK = 128  # entries, about 5 KB
BITS = 10  # of the filter for each key, or up to twice as many
# Odd factors: the high bits of the products are places in the filter.
FACTORS = np.array(
    [
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93),
        *(0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 0x94D049BB133111EB),
    ],
    np.uint64,
)
_ENCODER = msgspec.msgpack.Encoder()
_BLOCK = msgspec.msgpack.Decoder(list[Entry])


class Footer(msgspec.Struct, frozen=True, array_like=True):
    """What says where a key may be."""

    firsts: list[bytes]  # the first key of each block
    offsets: list[int]  # where each block begins, and where the last one ends
    filter: bytes

    def place(self, key: bytes) -> tuple[int, int] | None:
        """Where the block lies that may have a key: offset and size."""
        number = bisect_right(self.firsts, key) - 1
        if number < 0 or not _has(self.filter, key):
            return None
        begin, end = self.offsets[number : number + 2]
        return begin, end - begin


class Written(NamedTuple):
    """A run as bytes."""

    body: bytes
    footer_at: int
    entries: int


def written(entries: Iterable[Entry]) -> Written:
    """A run of sorted entries."""
    blocks, firsts, offsets, keys = [], [], [0], []
    for some in _portions(entries):
        blocks.append(_ENCODER.encode(some))
        firsts.append(some[0][0])
        offsets.append(offsets[-1] + len(blocks[-1]))
        keys += [key for key, _ in some]
    footer = _ENCODER.encode(Footer(firsts, offsets, _filter(keys)))
    return Written(b"".join([*blocks, footer]), offsets[-1], len(keys))


def read_footer(data: bytes) -> Footer:
    """The footer of a run."""
    return msgspec.msgpack.decode(data, type=Footer)


def read_block(data: bytes) -> list[Entry]:
    """The entries of a block."""
    return _BLOCK.decode(data)


def read_all(body: bytes, footer_at: int) -> Iterator[Entry]:
    """All entries of a run, in order."""
    offsets = read_footer(body[footer_at:]).offsets
    for begin, end in pairwise(offsets):
        yield from read_block(body[begin:end])


def merged(runs: Sequence[Iterable[Entry]]) -> Iterator[Entry]:
    """The entries of several runs, oldest run first; of a key that of the newest."""
    aged = [_aged(run, age) for age, run in enumerate(runs)]
    last: bytes | None = None
    for key, _, known in merge(*aged, key=lambda entry: entry[:2]):
        if key != last:
            yield key, known
        last = key


def _aged(run: Iterable[Entry], age: int) -> Iterator[tuple[bytes, int, list[Founder]]]:
    """The entries of a run so that those of newer runs come before them."""
    return ((key, -age, known) for key, known in run)


def _portions(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    some: list[Entry] = []
    for entry in entries:
        some.append(entry)
        if len(some) == IN_BLOCK:
            yield some
            some = []
    if some:
        yield some


def _numbers(keys: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    return np.array([int.from_bytes(key[:8]) for key in keys], np.uint64)


def _places(keys: Sequence[bytes], power: int) -> npt.NDArray[np.uint64]:
    """The bits of each key in a filter of 2^power bits."""
    products = _numbers(keys)[:, None] * FACTORS[None, :]
    places: npt.NDArray[np.uint64] = products >> np.uint64(64 - power)
    return places


def _filter(keys: Sequence[bytes]) -> bytes:
    power = max(6, (BITS * len(keys) - 1).bit_length())
    bits = np.zeros(1 << power, np.bool_)
    bits[_places(keys, power)] = True
    return np.packbits(bits).tobytes()


def _has(filter: bytes, key: bytes) -> bool:
    power = (8 * len(filter)).bit_length() - 1
    places = _places([key], power)[0].tolist()
    return all(filter[place >> 3] & (0x80 >> (place & 7)) for place in places)
