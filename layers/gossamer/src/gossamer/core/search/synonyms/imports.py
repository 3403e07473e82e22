"""Read the files of WordNet and of MyThes as lists of synonyms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.errors import ConfigurationError
from gossamer.core.search.synonyms.rules import (
    MAX_LINE,
    MAX_PHRASES,
    MAX_SIDE,
    MAX_WORDS,
    to_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# offset, file, type, how many words (in hexadecimal), the words, each with a number.
_SYNSET: Final = re.compile(r"\d{8} \d\d [nvasr] ([0-9a-f]{2}) (.*)")
_MARKER: Final = re.compile(r"\((?:p|a|ip)\)$")  # where an adjective may stand
_ENTRY: Final = re.compile(r"([^|]+)\|(\d+)\s*")
ADVICE: Final = "known: data.noun and the like of WordNet, th_*.dat of MyThes"


def import_list(body: bytes, origin: str) -> Iterator[str]:
    """The rules of a file of WordNet or MyThes, as lines of a list."""
    first = body[:40].split(b"\n", 1)[0].strip().decode("ascii", errors="replace")
    if _is_encoding(first):
        return _mythes(body.decode(first, errors="replace").splitlines()[1:])
    text = body.decode("utf-8", errors="replace")
    if not any(map(_SYNSET.match, text.splitlines()[:100])):
        raise ConfigurationError(f"{origin}: not a list of synonyms that is known; {ADVICE}")
    return _wordnet(text.splitlines())


def _is_encoding(name: str) -> bool:
    """Whether a first line is that of MyThes: the name of an encoding alone."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return bool(name)


def _wordnet(lines: Iterable[str]) -> Iterator[str]:
    """Words of one meaning stand in one line, and find each other."""
    for line in lines:
        found = _SYNSET.match(line)
        if found is None:
            continue
        words = found[2].split(" ")[: 2 * int(found[1], 16) : 2]
        plain = [_MARKER.sub("", word).replace("_", " ") for word in words]
        phrases = _usable(plain)
        if len(phrases) > 1:
            yield from _short_lines(phrases)


def _mythes(lines: Sequence[str]) -> Iterator[str]:
    """A word, how many meanings it has, and a line for each: it finds their words.

    What is marked, as "(generic term)" or "(antonym)", is no synonym.
    """
    at = 0
    while at < len(lines):
        entry = _ENTRY.fullmatch(lines[at])
        at += 1
        if entry is None:
            continue
        meanings = lines[at : at + int(entry[2])]
        at += len(meanings)
        found = [word for line in meanings for word in line.split("|")[1:]]
        plain = [word for word in found if not word.rstrip().endswith(")")]
        [left] = _usable([entry[1]]) or [""]
        right = [word for word in _usable(plain) if word != left][: MAX_PHRASES - 1]
        if left and right:
            yield from _short_lines(right, left)


def _usable(words: Iterable[str]) -> list[str]:
    """Each once, and none that a list does not take."""
    tidy = dict.fromkeys(" ".join(word.split()) for word in words)
    return [
        word
        for word in tidy
        if any(map(str.isalnum, word)) and len(word) <= MAX_SIDE and word.count(" ") < MAX_WORDS
    ]


def _short_lines(words: list[str], left: str = "") -> Iterator[str]:
    """A rule, in several lines if it is too long for one; only arrows can be cut so."""
    line = to_line([left], words) if left else to_line(words[:MAX_PHRASES])
    if len(line) <= MAX_LINE:
        yield line
    elif left:
        half = len(words) // 2
        yield from _short_lines(words[:half], left)
        yield from _short_lines(words[half:], left)
