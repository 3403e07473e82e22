"""Which part of a text shows why it matched?

The shortest part with the most of the words that were asked for, the earliest of several, and as
much around it as there is room: from the beginning of a sentence or of a word to the end of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.search.result import Highlight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.index.analyzer import Analyzer, Token

MAX_CHARS: Final = 220
ELLIPSIS: Final = "…"

_PIECE: Final = 4_000  # characters; where the first match decides, a text is read piece by piece
_FULL_ENOUGH: Final = 0.6  # of the room; a snippet that long may end with a sentence

_find_space = re.compile(r"\s").search
_find_ink = re.compile(r"\S").search
_find_spaces = re.compile(r"\s+")
_find_sentence_ends = re.compile(r"[.!?…][\"')\]”»]*(?=\s)|[。！？]|\S(?=\s*\n)").finditer


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query asks of a text, analysed.

    Words that only a phrase asks for are not among `terms`: they count where the phrase stands, or
    anywhere if it stands nowhere. "" in a phrase is a gap: any one word.
    """

    terms: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()


class _Match(NamedTuple):
    """A word that was asked for, and by what: its term, prefixes that it begins with."""

    start: int
    end: int
    keys: tuple[str, ...]


def snippet(
    text: str, analyzer: Analyzer, wanted: Wanted, max_chars: int = MAX_CHARS
) -> list[Highlight]:
    """At most `max_chars` of a text, in pieces; its beginning if nothing matches."""
    room = max(1, max_chars - 2 * len(ELLIPSIS))
    matches = _matches(text, analyzer, wanted, room)
    first, last = _best_window(matches, room)
    if first == last:
        first = last = _skip_space(text, 0)
    start, cut_before = _start(text, first, last, room)
    end, cut_after = _end(text, start, last, room)
    pieces = list(_pieces(text, start, end, matches))
    if cut_before:
        pieces.insert(0, Highlight(ELLIPSIS))
    if cut_after:
        pieces.append(Highlight(ELLIPSIS))
    return _merged(pieces)


# What matches.


def _matches(text: str, analyzer: Analyzer, wanted: Wanted, room: int) -> list[_Match]:
    """The words that were asked for, in order: all, or those around the first if that decides."""
    if wanted.phrases:
        return _phrase_matches(text, analyzer, wanted)
    terms, prefixes = wanted.terms, wanted.prefixes
    if len(terms) + len(prefixes) > 1:
        tokens = analyzer.find(text, terms, prefixes)
        return [_Match(t.start, t.end, _keys(text, t, analyzer, wanted)) for t in tokens]
    matches: list[_Match] = []
    for at, piece in _read(text):
        if matches and at > matches[0].end + room:
            break
        tokens = analyzer.find(piece, terms, prefixes)
        matches += [_Match(at + token.start, at + token.end, ("",)) for token in tokens]
    return matches


def _read(text: str) -> Iterator[tuple[int, str]]:
    """A text in pieces that do not part a word."""
    at = 0
    while at < len(text):
        space = _find_space(text, at + _PIECE)
        end = space.end() if space else len(text)
        yield at, text[at:end]
        at = end


def _phrase_matches(text: str, analyzer: Analyzer, wanted: Wanted) -> list[_Match]:
    terms = wanted.terms.union(*wanted.phrases) - {""}
    tokens = analyzer.find(text, terms, wanted.prefixes)
    terms_at = {token.position: token.term for token in tokens}
    positions: set[int] = set()
    loose = set(wanted.terms)
    for phrase in wanted.phrases:
        stands = set(_standing(phrase, tokens, terms_at))
        positions |= stands
        if not stands:
            loose.update(phrase)
    return [
        _Match(token.start, token.end, keys)
        for token in tokens
        if (keys := _keys(text, token, analyzer, wanted, loose, token.position in positions))
    ]


def _standing(
    phrase: tuple[str, ...], tokens: Sequence[Token], terms_at: dict[int, str]
) -> Iterator[int]:
    """The positions of the words of a phrase, wherever they stand in sequence."""
    words = [(offset, term) for offset, term in enumerate(phrase) if term]
    for token in tokens:
        if words and token.term == words[0][1]:
            begin = token.position - words[0][0]
            if all(terms_at.get(begin + offset) == term for offset, term in words):
                yield from [begin + offset for offset, _ in words]


def _keys(
    text: str,
    token: Token,
    analyzer: Analyzer,
    wanted: Wanted,
    terms: set[str] | None = None,
    in_phrase: bool = False,
) -> tuple[str, ...]:
    """What of the query a word answers."""
    keys = [token.term] if in_phrase or token.term in (terms or wanted.terms) else []
    if wanted.prefixes:
        word = analyzer.fold(text[token.start : token.end])
        keys += [f"{prefix}*" for prefix in wanted.prefixes if word.startswith(prefix)]
    return tuple(keys)


def _best_window(matches: Sequence[_Match], room: int) -> tuple[int, int]:
    """The shortest span with the most different keys, no longer than the room if it can be."""
    best = (0, 0, 0)
    counts: dict[str, int] = {}
    left = 0
    for right, match in enumerate(matches):
        for key in match.keys:
            counts[key] = counts.get(key, 0) + 1
        while left < right and (
            match.end - matches[left].start > room
            or all(counts[key] > 1 for key in matches[left].keys)
        ):
            for key in matches[left].keys:
                counts[key] -= 1
                if not counts[key]:
                    del counts[key]
            left += 1
        different = len(counts)
        start = matches[left].start
        if (different, start - match.end) > (best[0], best[1] - best[2]):
            best = (different, start, match.end)
    return best[1:]


# What is around it.


def _start(text: str, first: int, last: int, room: int) -> tuple[int, bool]:
    """Where a snippet begins, and whether that cuts a sentence."""
    ink = _skip_space(text, 0)
    if last - ink <= room:
        return ink, False
    spare = max(0, room - (last - first))
    earliest = first - spare
    ends = [found.end() for found in _find_sentence_ends(text, earliest, first)]
    if ends:
        return min(first, _skip_space(text, ends[-1])), False
    space = _find_space(text, first - spare // 2, first)
    return (_skip_space(text, space.end()) if space else first), True


def _end(text: str, start: int, last: int, room: int) -> tuple[int, bool]:
    """Where a snippet ends, and whether that cuts a sentence."""
    limit = start + room
    if _find_ink(text, limit) is None:
        return len(text.rstrip()), False
    ends = [found.end() for found in _find_sentence_ends(text, max(last - 1, start), limit + 1)]
    if ends and _FULL_ENOUGH * room <= ends[-1] - start <= room:
        return ends[-1], False
    spaces = [found.start() for found in _find_spaces.finditer(text, last, limit + 1)]
    return (spaces[-1] if spaces and last < limit else limit), True


def _skip_space(text: str, at: int) -> int:
    ink = _find_ink(text, at)
    return ink.start() if ink else len(text)


# What is shown.


def _pieces(text: str, start: int, end: int, matches: Sequence[_Match]) -> Iterator[Highlight]:
    at = start
    for match in matches:
        if match.end <= at or match.start >= end:
            continue
        if match.start > at:
            yield Highlight(_one_line(text[at : match.start]))
        yield Highlight(_one_line(text[max(at, match.start) : min(end, match.end)]), hit=True)
        at = min(end, match.end)
    if at < end:
        yield Highlight(_one_line(text[at:end]))


def _one_line(text: str) -> str:
    return _find_spaces.sub(" ", text)


def _merged(pieces: Sequence[Highlight]) -> list[Highlight]:
    """Neighbours of one kind as one piece."""
    merged: list[Highlight] = []
    for piece in pieces:
        if merged and merged[-1].hit == piece.hit:
            merged[-1] = Highlight(merged[-1].text + piece.text, piece.hit)
        else:
            merged.append(piece)
    return merged
