"""Which words a misspelt one may be: how far apart words are, and which of several is meant.

The distance is the number of letters to add, remove, replace or swap with their neighbour (optimal
string alignment). Another first letter counts twice: people rarely get it wrong. Among words at
hand, mistakes that are often made cost less than others: a letter doubled or not, two letters
swapped, one vowel for another. A word in ten times as many documents makes up for a fifth of an
edit. These are round numbers, compared with a few others on public lists of misspellings
(docs/decisions/0060-words-by-grams.md).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.segments.vocabulary import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.collection import TypoSettings
    from gossamer.core.index.segments.vocabulary import Vocabulary

DOUBLED, SWAPPED, VOWEL = 0.5, 0.7, 0.6  # instead of 1 for an edit
OTHER_FIRST, OTHER_LAST = 0.5, 0.25  # besides the edit
TENFOLD = 0.2  # of an edit, for ten times as many documents
VOWELS = frozenset("aeiouy")
# A suggestion may be further away than what is corrected without asking: two edits, and three where
# a longer word has few neighbours.
SUGGESTED_EDITS, MORE_EDITS, LONG = 2, 3, 6
ENOUGH = 5  # words
SHARED = 1  # grams that suggestions have in common with the word at least
COMPARED = 40  # words whose mistakes are weighed; the others are further away, or rarer


class Near(NamedTuple):
    """A word of the collection that another one may be."""

    word: str
    documents: int  # that have it as it is written, about
    distance: int
    edits: int  # the distance, in which another first letter counts twice
    cost: float = 0.0  # the lower, the likelier


def allowed_edits(word: str, rules: TypoSettings) -> int:
    """How many mistakes a word may have: none if it is short, or has digits."""
    if not may_be_misspelt(word):
        return 0
    return (len(word) >= rules.one_edit) + (len(word) >= rules.two_edits)


def asked_edits(word: str, wanted: int | None, rules: TypoSettings) -> int:
    """How many mistakes `word~` and `word~2` ask for."""
    if not may_be_misspelt(word):
        return 0
    return max(1, allowed_edits(word, rules)) if wanted is None else wanted


def may_be_misspelt(word: str) -> bool:
    """Whether a word is looked at: not if it is very long, or has digits."""
    return len(word) <= LONGEST and not any(map(str.isdigit, word))


def similar(vocabularies: Iterable[Vocabulary], typed: str, edits: int) -> list[Near]:
    """All words within so many edits, the likeliest first; the word itself is one of them."""
    found = _within(vocabularies, typed, edits)
    return ranked(typed, [near for near in found if near.edits <= edits])


def suggestions(vocabularies: Sequence[Vocabulary], typed: str) -> list[Near]:
    """Other words that a misspelt one may be, the likeliest first."""
    if not may_be_misspelt(typed):
        return []
    found = _others(_within(vocabularies, typed, SUGGESTED_EDITS, SHARED), typed)
    if len(found) < ENOUGH and len(typed) >= LONG:
        found = _others(_within(vocabularies, typed, MORE_EDITS, SHARED + 1), typed)
    return ranked(typed, found)


def _others(found: Sequence[Near], typed: str) -> list[Near]:
    return [near for near in found if near.word != typed]


def _within(
    vocabularies: Iterable[Vocabulary], typed: str, most: int, shared: int = 0
) -> list[Near]:
    """The words of all vocabularies within a distance, each once."""
    counts: dict[str, int] = {}
    distances: dict[str, int] = {}
    for known in vocabularies:
        for word, count, distance in _in_one(known, typed, most, shared):
            counts[word] = counts.get(word, 0) + count
            distances[word] = distance
    return [near_word(typed, word, counts[word], distances[word]) for word in counts]


def near_word(typed: str, word: str, documents: int, distance: int) -> Near:
    """A word at a distance of another."""
    return Near(word, documents, distance, distance + (word[0] != typed[0] and distance > 0))


def _in_one(known: Vocabulary, typed: str, most: int, shared: int) -> list[tuple[str, int, int]]:
    # Both take 10 ms to import, and few queries need them.
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist

    places = known.like(typed, most, shared)
    words = [known.words[place] for place in places.tolist()]
    if not words:
        return []
    distances = cdist([typed], words, scorer=OSA.distance, score_cutoff=most)[0]
    near = (distances <= most).nonzero()[0].tolist()
    return [(words[at], int(known.counts[places[at]]), int(distances[at])) for at in near]


def ranked(typed: str, found: Sequence[Near], bonus: Mapping[str, float] = {}) -> list[Near]:
    """Words by how likely they are meant; `bonus` is what speaks for some, in edits."""

    def roughly(near: Near) -> float:
        return near.distance - _weight(near) - bonus.get(near.word, 0.0)

    first = sorted(found, key=lambda near: (roughly(near), near.word))
    best = [
        near._replace(cost=cost(typed, near.word) - _weight(near) - bonus.get(near.word, 0.0))
        for near in first[:COMPARED]
    ]
    rest = [near._replace(cost=math.inf) for near in first[COMPARED:]]
    return [*sorted(best, key=lambda near: (near.cost, near.word)), *rest]


def _weight(near: Near) -> float:
    return TENFOLD * math.log10(max(1, near.documents))


def cost(typed: str, word: str) -> float:
    """How unlikely it is that this was typed instead of a word; 0 if they are equal."""
    two, one = [0.0], [0.0]  # the rows before the present one
    for at in range(len(word)):
        one.append(one[-1] + _single(word, at))
    for row in range(len(typed)):
        removed = _single(typed, row)
        line = [one[0] + removed]
        for at in range(len(word)):
            changed = one[at] + _replaced(typed[row], word[at])
            least = min(changed, one[at + 1] + removed, line[at] + _single(word, at))
            if row and at and typed[row] == word[at - 1] and typed[row - 1] == word[at]:
                least = min(least, two[at - 1] + SWAPPED)
            line.append(least)
        two, one = one, line
    ends = OTHER_FIRST * (typed[0] != word[0]) + OTHER_LAST * (typed[-1] != word[-1])
    return one[-1] + ends


def _single(word: str, at: int) -> float:
    """What it costs to add or remove a letter."""
    return DOUBLED if word[at] in (word[at - 1 : at], word[at + 1 : at + 2]) else 1.0


def _replaced(one: str, other: str) -> float:
    if one == other:
        return 0.0
    return VOWEL if one in VOWELS and other in VOWELS else 1.0
