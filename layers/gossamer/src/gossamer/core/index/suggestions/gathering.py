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
    from collections.abc import Iterable, Sequence

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
    found = _Found([], [], [], [])
    for document in documents:
        _add(document, found)
    for phrase in phrases:
        for number in phrase.documents:
            found.add(phrase.text, "", PHRASE, number)
    texts, keys = _read(found.texts)
    kept = [place for place, key in enumerate(keys) if len(key) > 1 and not key.isdecimal()]
    if len(kept) == len(keys):
        return occurrences(texts, found.about, found.kinds, found.documents, keys)
    return occurrences(
        [texts[place] for place in kept],
        [found.about[place] for place in kept],
        [found.kinds[place] for place in kept],
        [found.documents[place] for place in kept],
        [keys[place] for place in kept],
    )


def _read(written: Sequence[str]) -> tuple[list[str], list[str]]:
    """Each text as it is shown and as it is compared; many are headings that repeat."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(written))}
    shown = list(map(shortened, numbers))
    keys = fold_all(shown)
    places = list(map(numbers.__getitem__, written))
    return [shown[place] for place in places], [keys[place] for place in places]


class _Found(NamedTuple):
    """Texts and where they are from, side by side."""

    texts: list[str]
    about: list[str]
    kinds: list[int]
    documents: list[int]

    def add(self, text: str, about: str, kind: int, number: int) -> None:
        self.texts.append(text)
        self.about.append(about)
        self.kinds.append(kind)
        self.documents.append(number)


def _add(document: Described, found: _Found) -> None:
    number, url, title, headings, names, values = document
    found.add(without_site(title, headings), url, TITLE, number)
    if names:
        for name in list(dict.fromkeys(names))[:MOST_NAMES]:
            found.add(name, url, NAME, number)
    for heading in headings[:MOST_HEADINGS]:
        found.add(heading, url, HEADING, number)
    for field, known in values:
        for value in known[:MOST_VALUES]:
            found.add(value, field, VALUE, number)


def without_site(title: str, headings: Sequence[str]) -> str:
    """A title without what the site adds to all: "Silk" of "Silk — A book", if a heading says so.

    The name of the site would be in every line of a list, and the heading a second time.
    """
    for heading in headings:
        if heading and title.startswith(heading):
            rest = title[len(heading) :].lstrip()
            is_more = any(map(str.isalnum, rest))  # than the sign of C#
            if is_more and not rest[0].isalnum() and heading.strip():
                return heading
    return title


def shortened(text: str) -> str:
    """A text in one line, without what cannot be seen, and not too long."""
    if len(text) <= LONGEST and text.isprintable() and "  " not in text and text.strip() == text:
        return text
    text = " ".join(text.split())
    if not text.isprintable():
        text = " ".join("".join(filter(str.isprintable, text)).split())
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST + 1]
    return cut[: cut.rfind(" ")] if " " in cut else text[:LONGEST]
