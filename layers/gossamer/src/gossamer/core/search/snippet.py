"""Choose the part of a text that shows why it matched.

The part with the most of the words that were asked for, in the fewest words, the earliest of
several; and as much around it as there is room: from the beginning of a sentence or of a word to
the end of one. Of a long text, the five thousand characters from the first match on are looked at.
What comes before the first line of prose, as the title once more and menus, is shown only if
nothing after it matches.
"""

from __future__ import annotations

import re
from dataclasses import replace
from heapq import merge
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.index.analyzer import Token
from gossamer.core.index.joined_words import is_joined, joined_term, joined_words
from gossamer.core.index.letters import SINGLES
from gossamer.core.search.plan import Wanted
from gossamer.core.search.result import Highlight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.index.analyzer import Analyzer

    _Places = set[tuple[int, str]]  # positions and the terms there; a character has several

NOTHING: Final = Wanted()
MAX_CHARS: Final = 220
ELLIPSIS: Final = "…"
# From the first match on: ten results from manuals cost 2 to 8 ms of CPU, and up to 15 at twice it.
MAX_READ: Final = 5_000
MAX_SEARCHED: Final = 50_000  # for the first match; if it comes later, the beginning is shown
# A line of prose has this many characters, or half if they say more; or it ends as a sentence does.
PROSE_LINE: Final = 40
MAX_HEAD: Final = 3_000  # characters in which prose must begin

_FULL_ENOUGH: Final = 0.6  # of the room; a snippet that long may end with a sentence

# Where a text may be cut: at a space, and before a letter of a script without spaces.
_CUT: Final = re.compile(rf"\s|(?<![\u1039\u17d2])(?=\w)(?=[{SINGLES}])")
_find_cut, _is_cut = _CUT.search, _CUT.match
_find_ink = re.compile(r"\S").search
_find_odd_spaces = re.compile(r"[^\S ]\s*|\s{2,}")
_find_lines = re.compile(r"[^\n]+").finditer
_ends_sentence = re.compile(r".*[.!?…:。\uff01\uff1f][\"')\]”»]*\s*\Z", re.DOTALL).match
_SENTENCE_SIGNS: Final = ".!?…。\uff01\uff1f"
_match_sentence_end = re.compile(r"[.!?…](?:[\"')\]”»]*(?=\s))|[。\uff01\uff1f]").match


class _Match(NamedTuple):
    """A word that was asked for, and by what: its term, prefixes that it begins with."""

    position: int
    start: int
    end: int
    keys: tuple[str, ...]


def snippet(
    text: str,
    analyzer: Analyzer,
    wanted: Wanted,
    max_chars: int = MAX_CHARS,
    names: Iterable[str] = (),
) -> list[Highlight]:
    """At most `max_chars` of a text, in pieces; its beginning if nothing matches.

    `names` are lines that are no prose however long they are: the title and the headings.
    """
    room = max(1, max_chars - 2 * len(ELLIPSIS))
    begin = _prose_start(text, names, room)
    whole, text = text, text[begin:]
    window = _read(text, analyzer, wanted, room)
    if window.span is None and begin:
        head = _read(whole[: begin + room], analyzer, wanted, room)
        text, window = (whole, head) if head.span is not None else (text, window)
    first, last = window.span or (_skip_space(text, 0),) * 2
    start, cut_before = _start(text, first, last, room)
    end, cut_after = _end(text, start, last, room)
    pieces = list(_pieces(text, start, end, window.matches))
    if cut_before:
        pieces.insert(0, Highlight(ELLIPSIS))
    if cut_after:
        pieces.append(Highlight(ELLIPSIS))
    return _merged(pieces)


def _prose_start(text: str, names: Iterable[str], room: int) -> int:
    """Where the first line of prose begins; 0 if there is none near the beginning.

    Of a text that can be shown as a whole, only its names are left out.
    """
    for line in _find_lines(text, 0, MAX_HEAD):
        words = " ".join(line[0].split())
        if not words or (len(text) > room and not _is_prose(words)):
            continue
        if not _is_name(words, names):
            return line.start()
    return 0


def _is_name(line: str, names: Iterable[str]) -> bool:
    """Whether a line is one of the names, however these are spaced."""
    size, first = len(line), line.partition(" ")[0]
    likely = [name for name in names if len(name) >= size and first in name]
    return any([" ".join(name.split()) == line for name in likely])


def _is_prose(line: str) -> bool:
    enough = PROSE_LINE if line.isascii() else PROSE_LINE // 2
    return len(line) >= enough or (" " in line and _ends_sentence(line) is not None)


# What matches.


def _read(text: str, analyzer: Analyzer, wanted: Wanted, room: int) -> _Window:
    """Where the best matches are; nothing is read if nothing is wanted."""
    if wanted == NOTHING:
        return _Window(room)
    wanted = _as_it_stands(text, analyzer, wanted) if wanted.written else wanted
    read = _read_all if wanted.phrases or wanted.synonyms else _read_enough
    return read(text, analyzer, wanted, room)


def _as_it_stands(text: str, analyzer: Analyzer, wanted: Wanted) -> Wanted:
    """Joined words among the terms where the text has them; else their parts."""
    there = {token.term for token in _joined(text[:MAX_SEARCHED], analyzer)}
    terms, phrases = set(wanted.terms), list(wanted.phrases)
    for each in wanted.written:
        parts = list(filter(None, each.parts))
        if each.term in there:
            terms.add(each.term)
        elif len(parts) == 1:
            terms.update(parts)
        elif parts:
            phrases.append(each.parts)
    return replace(wanted, terms=frozenset(terms), phrases=tuple(phrases))


def _joined(text: str, analyzer: Analyzer) -> Iterator[Token]:
    """The joined words of a text; each has the position of its first part."""
    position = at = 0
    for each in joined_words(text):
        position += len(analyzer.words(text[at : each.start]))
        at = each.start
        yield Token(joined_term(each.written, analyzer.fold), position, each.start, each.end)


def _find(text: str, analyzer: Analyzer, terms: frozenset[str], wanted: Wanted) -> Iterator[Token]:
    """The tokens of terms and of wanted prefixes; a joined word comes before its first part."""
    # Of one word the first is shown, wherever it stands.
    is_one = len(terms) + len(wanted.prefixes) == 1 and not (wanted.phrases or wanted.synonyms)
    words = analyzer.find(text, terms, wanted.prefixes, counted=not is_one)
    joined = frozenset(filter(is_joined, terms))
    if not joined:
        return words
    found = (token for token in _joined(text, analyzer) if token.term in joined)
    return merge(found, words, key=attrgetter("start"))


def _read_enough(text: str, analyzer: Analyzer, wanted: Wanted, room: int) -> _Window:
    """Reads until nothing better can follow, and as much more as can be shown."""
    window = _Window(room)
    number = len(wanted.terms) + len(wanted.prefixes)
    until = MAX_SEARCHED
    for token in _find(text[:MAX_SEARCHED], analyzer, wanted.terms, wanted):
        if token.start > until:
            break
        if window.span is None:
            until = min(until, token.end + MAX_READ)
        window.add(token, _keys(text, token, analyzer, wanted, token.term in wanted.terms))
        if window.score >= (number, -number):
            until = min(until, token.end + room)
    return window


def _read_all(text: str, analyzer: Analyzer, wanted: Wanted, room: int) -> _Window:
    """Reads until the phrases were seen: where they stand decides what their words are worth."""
    tokens = _tokens(text, analyzer, wanted)
    places = {(token.position, token.term) for token in tokens}
    positions: set[int] = set()
    loose = set(wanted.terms)
    for phrase in wanted.phrases:
        stands = set(_standing(phrase, tokens, places))
        positions |= stands
        if not stands:
            loose.update(phrase)
    for phrase in wanted.synonyms:
        positions.update(_standing(phrase, tokens, places))
    window = _Window(room)
    for token in tokens:
        is_asked = token.term in loose or token.position in positions
        if keys := _keys(text, token, analyzer, wanted, is_asked):
            window.add(token, keys)
    return window


def _tokens(text: str, analyzer: Analyzer, wanted: Wanted) -> list[Token]:
    """The words that were asked for; in a long text, twice as far until all phrases were seen."""
    tokens: list[Token] = []
    until = MAX_READ
    terms = wanted.terms.union(*wanted.phrases, *wanted.synonyms)
    for token in _find(text[: 10 * MAX_SEARCHED], analyzer, terms, wanted):
        if token.start > until:
            places = {(token.position, token.term) for token in tokens}
            if all(_stands(phrase, tokens, places) for phrase in wanted.phrases):
                break
            until *= 2
        tokens.append(token)
    return tokens


def _stands(phrase: tuple[str, ...], tokens: Sequence[Token], places: _Places) -> bool:
    return next(_standing(phrase, tokens, places), None) is not None


def _standing(phrase: tuple[str, ...], tokens: Sequence[Token], places: _Places) -> Iterator[int]:
    """The positions of the words of a phrase, wherever they stand in sequence."""
    words = [(offset, term) for offset, term in enumerate(phrase) if term]
    for token in tokens:
        if words and token.term == words[0][1]:
            begin = token.position - words[0][0]
            if all((begin + offset, term) in places for offset, term in words):
                yield from [begin + offset for offset, _ in words]


def _keys(
    text: str, token: Token, analyzer: Analyzer, wanted: Wanted, is_asked: bool
) -> tuple[str, ...]:
    """What of the query a word answers."""
    term = (token.term,) if is_asked else ()
    if not wanted.prefixes:
        return term
    word = analyzer.fold(text[token.start : token.end])
    return term + tuple([f"{p}*" for p in wanted.prefixes if word.startswith(p)])


class _Window:
    """The best span of the matches so far that is no longer than the room, if one can be."""

    def __init__(self, room: int) -> None:
        self.matches: list[_Match] = []
        self.score = (0, 0)  # different keys, minus words
        self.span: tuple[int, int] | None = None
        self._room = room
        self._counts: dict[str, int] = {}
        self._left = 0

    def add(self, token: Token, keys: tuple[str, ...]) -> None:
        """Takes the next match."""
        self.matches.append(_Match(token.position, token.start, token.end, keys))
        for key in keys:
            self._counts[key] = self._counts.get(key, 0) + 1
        while self._can_shrink(token.end):
            self._shrink()
        left = self.matches[self._left]
        score = (len(self._counts), left.position - token.position - 1)
        if self.span is None or score > self.score:
            self.score = score
            self.span = (left.start, token.end)

    def _can_shrink(self, end: int) -> bool:
        if self._left == len(self.matches) - 1:
            return False
        left = self.matches[self._left]
        return end - left.start > self._room or all(self._counts[key] > 1 for key in left.keys)

    def _shrink(self) -> None:
        for key in self.matches[self._left].keys:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]
        self._left += 1


# What is around it.


def _start(text: str, first: int, last: int, room: int) -> tuple[int, bool]:
    """Where a snippet begins, and whether that cuts a sentence."""
    ink = _skip_space(text, 0)
    if last - ink <= room:
        return ink, False
    spare = max(0, room - (last - first))
    earliest = first - spare
    end = _last_sentence_end(text, max(0, earliest), first)
    if end:
        return min(first, _skip_space(text, end)), False
    cut = _find_cut(text, first - spare // 2, first)
    return (_skip_space(text, cut.end()) if cut else first), True


def _end(text: str, start: int, last: int, room: int) -> tuple[int, bool]:
    """Where a snippet ends, and whether that cuts a sentence."""
    limit = start + room
    if _find_ink(text, limit) is None:
        return len(text.rstrip()), False
    end = _last_sentence_end(text, max(last - 1, start), limit + 1)
    if _FULL_ENOUGH * room <= end - start <= room:
        return end, False
    return _last_word_end(text, last, limit), True


def _last_sentence_end(text: str, begin: int, end: int) -> int:
    """Where the last sentence or line between two places ends; 0 if none does."""
    found = _last_sign(text, begin, end)
    newline = text.rfind("\n", begin, end)
    line = len(text[begin:newline].rstrip()) if newline >= 0 else 0
    return max(found, begin + line) if line else found


def _last_sign(text: str, begin: int, end: int) -> int:
    """Where the last sentence between two places ends, by its sign; 0 if none does."""
    at = end
    signs = _SENTENCE_SIGNS[:3] if text.isascii() else _SENTENCE_SIGNS
    while (at := max([text.rfind(sign, begin, at) for sign in signs])) >= 0:
        if found := _match_sentence_end(text, at, end):
            return found.end()
    return 0


def _last_word_end(text: str, last: int, limit: int) -> int:
    """The last place up to the limit where a word may end; the limit if none does."""
    at = limit
    while at > last and not _is_cut(text, at):
        at -= 1
    if at == last and not _is_cut(text, at):
        return limit
    while at > last and text[at - 1].isspace():
        at -= 1
    return at if last < limit else limit


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
    one = text.replace("\n", " ")  # nearly always all there is to do
    if one.isprintable() and "  " not in one:  # a space is the only one that is printable
        return one
    return _find_odd_spaces.sub(" ", text)


def _merged(pieces: Sequence[Highlight]) -> list[Highlight]:
    """Neighbours of one kind as one piece."""
    merged: list[Highlight] = []
    for piece in pieces:
        if merged and merged[-1].hit == piece.hit:
            merged[-1] = Highlight(merged[-1].text + piece.text, piece.hit)
        else:
            merged.append(piece)
    return merged
