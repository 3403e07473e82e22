"""The searched fields of a document, and where their positions begin.

All fields share one line of positions. The body begins at 0, because most words stand there and
small numbers pack best; the others have stretches of their own, so that a phrase never reaches from
one field into another.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from gossamer.core.index.field_terms import field_key
from gossamer.core.page.values import Image, Link, each, in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.core.index.declared import TextField
    from gossamer.core.index.segments.columns import ColumnType
    from gossamer.core.page.document import Document
    from gossamer.core.page.values import Scalar

STRETCH_BITS: Final = 20
STRETCH: Final = 1 << STRETCH_BITS
BODY_STRETCHES: Final = 4  # the body may have four million words
STANDARD_STRETCHES: Final = 8  # of the fields below
MAX_DECLARED: Final = 8  # text fields that a collection declares; each has a stretch behind those
POSITION_BITS: Final = 24
# Between two headings, images or anchors: a query has at most 64 words, stop words included, so
# that no phrase reaches across.
BREAK: Final = 64

BODY, TITLE, HEADINGS, IMAGES, ANCHORS = "body", "title", "headings", "images", "anchors"
FIELDS: Final = (BODY, TITLE, HEADINGS, IMAGES, ANCHORS)
NAMING: Final = (TITLE, ANCHORS)  # each of their texts is a name of the page
# Which field a stretch belongs to: positions >> STRETCH_BITS is an index into this.
FIELD_OF_STRETCH: Final = (0, 0, 0, 0, 1, 2, 3, 4, *range(5, 5 + MAX_DECLARED))
FIRST_POSITION: Final = {
    BODY: 0,
    TITLE: 4 << 20,
    HEADINGS: 5 << 20,
    IMAGES: 6 << 20,
    ANCHORS: 7 << 20,
}
CAPACITY: Final = {name: STRETCH for name in FIELDS} | {BODY: BODY_STRETCHES * STRETCH}


def texts_of(
    document: Document, anchors: Sequence[str] = ()
) -> Iterator[tuple[str, Sequence[str]]]:
    """Each field of a document and its texts; between two texts no phrase holds.

    Its anchors come from other pages, so the document itself does not have them.
    """
    yield BODY, [document.text]
    yield TITLE, [document.title]
    yield HEADINGS, [text for _, text in document.headings]
    yield IMAGES, document.images
    yield ANCHORS, anchors


def declared_texts(
    document: Document, declared: Mapping[str, TextField]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Each declared field of a document and its texts."""
    for name in declared:
        if name in document.values:
            yield name, [_text(scalar) for scalar in each(document.values[name])]


def _text(scalar: Scalar) -> str:
    return scalar.text if isinstance(scalar, Link | Image) else in_words(scalar)


def places_of(declared: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """By field, where its positions begin, and the column of its length.

    The words of a declared field stand there twice, by themselves and with the field's key; they
    are counted once.
    """
    firsts, columns = dict(FIRST_POSITION), {name: n for n, name in enumerate(FIELDS)}
    for number, name in enumerate(declared):
        first = (STANDARD_STRETCHES + number) * STRETCH
        firsts |= {name: first, field_key(name): first}
        columns[field_key(name)] = len(FIELDS) + number
    return firsts, columns


# Columns that every document has: what filters, facets and sorting read.
URL, HOST, DOMAIN, LANGUAGE = "url", "host", "domain", "language"
KIND, TEMPLATE = "kind", "template"
PUBLISHED, FETCHED, CLUSTER = "published", "fetched", "cluster"
PAGE, ITEM = "page", "item"  # kinds: a document that is a whole page, or one of its items
COLUMNS: Final[dict[str, ColumnType]] = {
    URL: "text",
    HOST: "keyword",
    DOMAIN: "keyword",
    LANGUAGE: "keyword",
    KIND: "keyword",
    TEMPLATE: "keyword",
    PUBLISHED: "day",
    FETCHED: "float",
    CLUSTER: "int",
}


def day_of(text: str) -> int | None:
    """The day of an ISO date, counted from 1970: of a month or a year its first. None if none."""
    try:
        return (date.fromisoformat(text[:10] + _FIRST_DAYS.get(len(text), "")) - _EPOCH).days
    except ValueError:
        return None


_EPOCH: Final = date(1970, 1, 1)
_FIRST_DAYS: Final = {len("2024"): "-01-01", len("2024-05"): "-01"}
