"""What of a plan adds to scores, and what snippets show: read from its leaves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gossamer.core.index.anchors import whole_name
from gossamer.core.index.joined_words import is_own
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.plan import (
    AllOf,
    AnyOf,
    Asked,
    Beginning,
    Kind,
    Match,
    Synonym,
    Wanted,
    Words,
    Written,
    looked_up_as,
)
from gossamer.core.search.planning.other_languages import by_language, same_words
from gossamer.core.search.written_words import solid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What quoted words of a ranked query add, of what a term as rare as they are does. More of it made
# judged rankings worse: .25 cost up to .008 nDCG@10 for quotes around any two neighbours.
QUOTED_FACTOR = 0.1


def counted_leaves(match: Match | None) -> Iterator[Words | Beginning]:
    """The leaves that a document should have: neither excluded nor filters."""
    match match:
        case Words() | Beginning():
            yield match
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from counted_leaves(part)
        case _:
            return


def asked_by(leaves: list[Words | Beginning]) -> Iterator[tuple[Kind, str, tuple[str, ...], float]]:
    """What adds to a score; of a joined word, the terms of its parts too."""
    for leaf in leaves:
        if isinstance(leaf, Beginning):
            yield Kind.PREFIX, leaf.looked_up, (), 1.0
        elif not leaf.is_as_written:
            look_up = partial(looked_up_as, leaf.field)
            yield from [(Kind.TERM, look_up(term), (), 1.0) for term in solid(leaf.parts)]
            for each in leaf.written:
                kind = Kind.JOINED if is_own(each.term) else Kind.TOGETHER
                parts = [part and look_up(part) for part in each.parts]
                factor = QUOTED_FACTOR if each.is_quoted else 1.0
                yield kind, look_up(each.term), tuple(parts), factor


def synonyms_of(
    leaves: list[Words | Beginning],
) -> dict[tuple[Kind, str], tuple[Synonym, ...]]:
    """By what is asked, what may stand for it in one place of the query or another."""
    found: dict[tuple[Kind, str], dict[Synonym, None]] = {}
    for leaf in leaves:
        for each in leaf.synonyms if isinstance(leaf, Words) else ():
            for key, synonym in _standing_for(leaf, each):
                found.setdefault(key, {})[synonym] = None
    return {key: tuple(each) for key, each in found.items()}


def _standing_for(words: Match, synonym: Synonym) -> Iterator[tuple[tuple[Kind, str], Synonym]]:
    if isinstance(words, Words) and synonym.languages:
        yield from same_words(words, synonym)
    elif isinstance(words, Words):
        for term in words.parts:
            yield (Kind.TERM, looked_up_as(words.field, term)), synonym


def whole_names(leaves: list[Words | Beginning], languages: Sequence[str]) -> Asked | None:
    """What a page is called if its name is the whole query, in each language."""
    name, others = _whole(leaves), dict[str, None]()
    for language in languages:
        theirs = [by_language(x, language) if isinstance(x, Words) else x for x in leaves]
        others[_whole(theirs)] = None
    same = [
        Synonym(Words((other,)), other, "", 1.0, languages=("",))
        for other in others
        if other not in ("", name)
    ]
    return Asked(Kind.NAME, name, synonyms=tuple(same)) if name else None


def _whole(leaves: list[Words | Beginning]) -> str:
    return whole_name(text for _, text, parts, _ in asked_by(leaves) if not parts)


def wanted_by(leaves: list[Words | Beginning]) -> Wanted:
    """What snippets show of a query."""
    words = [leaf for leaf in leaves if isinstance(leaf, Words) and not leaf.is_as_written]
    single: list[str] = []
    phrases: list[tuple[str, ...]] = []
    written: list[Written] = []
    for leaf in words:
        found = solid(leaf.parts)
        if len(leaf.written) == 1 and solid(leaf.written[0].parts) == found:
            written += leaf.written
            continue
        written += [Written(each.term, ()) for each in leaf.written]
        if len(found) == 1:
            single += found
        else:
            phrases.append(leaf.parts)
    prefixes = [leaf.prefix for leaf in leaves if isinstance(leaf, Beginning)]
    alike = [each.words for leaf in words for each in leaf.synonyms if each.is_spelling]
    prefixes += [each.terms[0].removeprefix(AS_WRITTEN) for each in alike if each.is_as_written]
    synonyms = [each.words for leaf in words for each in leaf.synonyms]
    single += [term for each in synonyms if each.are_apart for term in each.terms]
    others = [each.terms for each in synonyms if not each.is_as_written and not each.are_apart]
    single += [term for terms in others if len(solid(terms)) == 1 for term in solid(terms)]
    together = tuple(dict.fromkeys(terms for terms in others if len(solid(terms)) > 1))
    return Wanted(frozenset(single), tuple(prefixes), tuple(phrases), tuple(written), together)
