"""Filters of the words of a language: a correct word is not taken for a misspelt one.

A filter says yes for every word of its list, and for one in a hundred of all others. It is a Bloom
filter of ten bits a word, in the folder `words` beside this module; scripts/known_words.py builds
it from a list of words.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

BITS_PER_WORD = 10
HASHES = 7  # of a word: with ten bits for each, the fewest other words pass
FOLDER = "words"


def is_known_word(word: str, languages: Iterable[str]) -> bool:
    """Return whether a folded word is one of any of these languages."""
    filters = [bits for language in languages if (bits := _filter_of(language))]
    return any(is_in_filter(word, bits) for bits in filters)


def build_filter(words: Collection[str]) -> bytes:
    """Return the filter of some words."""
    bits = bytearray((len(words) * BITS_PER_WORD + 7) // 8)
    for word in words:
        for place in _places(word, len(bits)):
            bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def is_in_filter(word: str, bits: bytes) -> bool:
    """Return whether a filter has all bits of a word."""
    return all(bits[place >> 3] >> (place & 7) & 1 for place in _places(word, len(bits)))


def _places(word: str, size: int) -> Iterator[int]:
    """Yield the bits of a word in a filter of so many bytes."""
    digest = blake2b(word.encode(), digest_size=16).digest()
    start, step = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    return ((start + number * step) % (8 * size) for number in range(HASHES))


@cache
def _filter_of(language: str) -> bytes:
    """Return the filter of a language, read once; nothing if there is none."""
    file = files(__package__) / FOLDER / f"{language}.bloom"
    return file.read_bytes() if language and file.is_file() else b""
