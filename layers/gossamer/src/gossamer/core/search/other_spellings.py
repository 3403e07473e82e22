"""Words that are spelt like one with a tilde: they count as it does, if less."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from gossamer.core.search.plan import Synonym, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.search.plan import Match

WEIGHT: Final = 0.5  # of a word that differs by a letter, of what the word would add
# By `spelling_key`: words that are spelt alike, and how many letters of each differ.
Spellings: TypeAlias = "Mapping[str, Sequence[tuple[str, int]]]"


def spelling_key(text: str, edits: int | None) -> str:
    """What the words are found by that are spelt like one in a query."""
    return f"{text}~{'' if edits is None else edits}"


def with_spellings(
    typed: Match | None,
    text: str,
    words: Sequence[tuple[str, int]],
    terms_of: Callable[[str], Sequence[str]],
) -> Match | None:
    """A word with others for it, each term once: the fewer letters differ, the more they count."""
    if not isinstance(typed, Words) or len(typed.terms) > 1:
        return typed
    others: dict[str, Synonym] = {}
    known = {typed.terms, *[each.words.terms for each in typed.synonyms]}
    for word, distance in words:
        weight = WEIGHT / max(1, distance)
        for term in terms_of(word):
            if term not in others and (term,) not in known:
                others[term] = Synonym(Words((term,), typed.field), word, text, weight, True)
    return replace(typed, synonyms=(*typed.synonyms, *others.values()))
