"""Filters of the words of a language: a correct word is not taken for a misspelt one.

A filter says yes for every word of its list, and for a few in a hundred of all others. It is a
Bloom filter of ten bits a word, or fewer where a list is long, in the folder `words` beside this
module; scripts/known_words.py builds it from a list of words or a dictionary of Hunspell.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from gossamer.core.index.analyzer import Analyzer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

BITS_PER_WORD = 10
MAX_FILTER_BYTES = 400_000  # a longer list gets fewer bits a word
HASHES = 7  # of a word: with ten bits for each, the fewest other words pass
FOLDER = "words"
# Languages whose words have too many forms for a filter: it has their stems.
STEMMED_LANGUAGES: Final = frozenset({"es", "ru"})


def is_known_word(word: str, languages: Iterable[str]) -> bool:
    """Return whether a folded word is one of any of these languages."""
    filters = {language: bits for language in languages if (bits := _filter_of(language))}
    return any(
        is_in_filter(key_of_word(word, language), bits) for language, bits in filters.items()
    )


def likely_languages(words: Sequence[str], languages: Iterable[str]) -> list[str]:
    """Return the languages that know the most of these folded words; all, if there are none."""
    counts = {
        language: sum(is_known_word(word, [language]) for word in words) for language in languages
    }
    return [language for language, count in counts.items() if count == max(counts.values())]


def key_of_word(word: str, language: str) -> str:
    """Return what the filter of a language has of a folded word."""
    return _stemmer_of(language).term(word) if language in STEMMED_LANGUAGES else word


def build_filter(words: Collection[str]) -> bytes:
    """Return the filter of some words."""
    bits = bytearray(min((len(words) * BITS_PER_WORD + 7) // 8, MAX_FILTER_BYTES))
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
def _stemmer_of(language: str) -> Analyzer:
    """Return the analyzer that stems words, stop words included."""
    return Analyzer(language, stop_words=False)


@cache
def _filter_of(language: str) -> bytes:
    """Return the filter of a language, read once; nothing if there is none."""
    file = files(__package__) / FOLDER / f"{language}.bloom"
    return file.read_bytes() if language and file.is_file() else b""
