"""Words of a query that say more as they are written: joined words, addresses, runs of characters.

Documents that have them so, or their parts side by side, come before those that have the parts
anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.index.character_pairs import runs_of
from gossamer.core.index.joined_words import (
    addresses,
    is_compound,
    is_own,
    joined_term,
    joined_words,
)
from gossamer.core.search.plan import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.index.analyzer import Analyzer

# Characters: two are one term; of more than a dozen, who has them side by side is first anyway, and
# where each pair stands would have to be read.
LEAST_TOGETHER: Final = 3
MOST_TOGETHER: Final = 12


def written_words(
    text: str, words: list[str], terms: tuple[str, ...], analyzer: Analyzer, is_alone: bool
) -> tuple[Written, ...]:
    """All of a text; `is_alone`: nothing else is asked."""
    found: list[Written] = []
    if analyzer.has_joined:
        found += _joined(text, terms, analyzer, is_alone)
    if analyzer.has_pairs:
        found += _characters(words, terms, analyzer)
    return tuple(found)


def _joined(
    text: str, terms: tuple[str, ...], analyzer: Analyzer, is_alone: bool
) -> Iterator[Written]:
    """Joined words and addresses.

    Compounds count only where nothing else is asked, or where their parts say nothing: some write
    them apart.
    """
    for each in (*joined_words(text), *addresses(text)):
        first = len(analyzer.words(text[: each.start]))
        parts = terms[first : first + len(analyzer.words(each.written))]
        term = joined_term(each.written, analyzer.fold)
        is_whole = is_alone and len(parts) == len(terms)
        if is_own(term):
            counts = is_whole or not is_compound(term) or say_nothing(parts)
        else:
            counts = (is_whole or not is_compound(term)) and len(solid(parts)) > 1
        if counts:
            yield Written(term, parts)


def _characters(words: list[str], terms: tuple[str, ...], analyzer: Analyzer) -> Iterator[Written]:
    """Texts of several pairs of characters."""
    characters = analyzer.terms_of(words)
    for begin, end in runs_of(characters):
        if LEAST_TOGETHER <= end - begin <= MOST_TOGETHER:
            yield Written("".join(characters[begin:end]), terms[begin : end - 1])


def solid(terms: Iterable[str]) -> tuple[str, ...]:
    """Terms without gaps."""
    return tuple(filter(None, terms))


def say_nothing(parts: Iterable[str]) -> bool:
    """Whether these are stop words and single letters: who writes c does not mean C++."""
    return all(len(part) <= 1 for part in parts)


def is_required(written: tuple[Written, ...], terms: tuple[str, ...]) -> bool:
    """Whether documents must have the joined word that a text is as it is written."""
    is_whole = [solid(each.parts) for each in written] == [solid(terms)]
    return is_whole and is_own(written[0].term) and say_nothing(terms)
