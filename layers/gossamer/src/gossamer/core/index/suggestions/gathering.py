"""What may be suggested of a batch of documents: titles, names, headings, values, phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.index.suggestions.entries import (
    HEADING,
    NAME,
    PHRASE,
    TITLE,
    VALUE,
    occurrences,
)
from gossamer.core.index.suggestions.folding import fold_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.index.suggestions.entries import Occurrences
    from gossamer.core.index.suggestions.phrases import Phrase

LONGEST: Final = 100  # characters; what is longer is cut between words
# Of one document: a page of a reference has a heading per function, and a name per link.
MOST_NAMES: Final = 3
MOST_HEADINGS: Final = 8
MOST_VALUES: Final = 8  # of a field


class Described(NamedTuple):
    """What a document says of itself, and others of it."""

    number: int
    url: str
    title: str
    headings: Sequence[str]
    names: Sequence[str] = ()  # the most frequent first
    values: Iterable[tuple[str, Sequence[str]]] = ()  # of fields of keywords


def gather(documents: Iterable[Described], phrases: Iterable[Phrase] = ()) -> Occurrences:
    """All that may be suggested of some documents."""
    found = [each for document in documents for each in _of_document(document)]
    for phrase in phrases:
        found += [(phrase.text, "", PHRASE, number) for number in phrase.documents]
    texts = [shortened(text) for text, *_ in found]
    keys = fold_all(texts)
    kept = [place for place, key in enumerate(keys) if len(key) > 1 and not key.isdecimal()]
    return occurrences(
        [texts[place] for place in kept],
        [found[place][1] for place in kept],
        [found[place][2] for place in kept],
        [found[place][3] for place in kept],
        [keys[place] for place in kept],
    )


def _of_document(document: Described) -> Iterator[tuple[str, str, int, int]]:
    number, url, title, headings, names, values = document
    yield without_site(title, headings), url, TITLE, number
    if names:
        for name in list(dict.fromkeys(names))[:MOST_NAMES]:
            yield name, url, NAME, number
    for heading in headings[:MOST_HEADINGS]:
        yield heading, url, HEADING, number
    for field, known in values:
        for value in known[:MOST_VALUES]:
            yield value, field, VALUE, number


def without_site(title: str, headings: Sequence[str]) -> str:
    """A title without what the site adds to all: "Silk" of "Silk — A book", if a heading says so.

    The name of the site would be in every line of a list, and the heading a second time.
    """
    for heading in headings:
        rest = title[len(heading) :].lstrip()
        if rest and title.startswith(heading) and not rest[0].isalnum() and heading.strip():
            return heading
    return title


def shortened(text: str) -> str:
    """A text in one line, without what cannot be seen, and not too long."""
    if not text.isprintable():
        text = "".join([sign for sign in text if sign.isprintable() or sign.isspace()])
    text = " ".join(text.split())
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST + 1]
    return cut[: cut.rfind(" ")] if " " in cut else text[:LONGEST]
