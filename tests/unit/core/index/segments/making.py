"""Segments as plain values: written by the library, and read back through all that it offers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments import columns, dictionary, merger, parts, stored
from gossamer.core.index.segments.columns import (
    MISSING,
    KeywordColumn,
    KeywordsColumn,
    NumberColumn,
    TextColumn,
)
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.index.segments.identities import identities
from gossamer.core.index.segments.reader import Segment
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.table import Postings
from gossamer.core.index.segments.writer import Documents, TermWriter, part, segment
from gossamer.core.index.suggestions.gathering import Described, gather
from gossamer.core.index.suggestions.region import SUGGESTIONS, EntryRegion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from gossamer.core.index.segments.columns import ColumnType, Value
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.suggestions.entries import Entries

FIELDS = 3
ANALYZER: dict[str, str | int | bool] = {"language": "en", "smallest_word": 1}
COLUMNS: dict[str, ColumnType] = {
    "count": "int",
    "price": "float",
    "day": "day",
    "host": "keyword",
    "tags": "keywords",
    "url": "text",
}


@dataclass(frozen=True)
class Doc:
    """A document, and everything that a segment says of it."""

    id: bytes
    version: float = 1.0
    anchors: bytes = b""
    gone: bool = False
    level: int = 0
    stored: Stored = field(default_factory=lambda: Stored("http://a.test/"))
    lengths: tuple[int, ...] = (0,) * FIELDS
    columns: tuple[Value, ...] = (None,) * len(COLUMNS)
    terms: tuple[tuple[str, int, tuple[int, ...]], ...] = ()  # term, impact, positions


def use_small_parts(patch: pytest.MonkeyPatch) -> None:
    """So small parts that a handful of documents fills blocks and layers."""
    patch.setattr(dictionary, "FREQUENT", 3)
    patch.setattr(dictionary, "LAYERS", (1, 2))
    patch.setattr(dictionary, "BLOCK_TERMS", 3)
    patch.setattr(dictionary, "BLOCK_POSTINGS", 5)
    patch.setattr(stored, "BLOCK_BYTES", 120)
    patch.setattr(columns, "TEXTS_PER_BLOCK", 2)
    patch.setattr(merger, "AT_ONCE", 50)
    patch.setattr(parts, "AT_ONCE", 7)


class Files(dict[str, bytes]):
    """Files by name, and how ranges of them are read."""

    def fetch(self, ranges: Sequence[Range]) -> list[memoryview]:
        return [memoryview(self[name])[at : at + size] for name, at, size in ranges]

    def open(self, name: str) -> Segment:
        return Segment(name, len(self[name]), self.fetch)

    def write(self, name: str, docs: Sequence[Doc]) -> Segment:
        self[name] = packed(docs)
        return self.open(name)

    def write_part(self, name: str, docs: Sequence[Doc]) -> Segment:
        self[name] = b"".join(part(documents_of(docs), table_of(docs), ANALYZER))
        return self.open(name)


def packed(docs: Sequence[Doc], format: int = DEFAULT_FORMAT) -> bytes:
    """A segment of these documents, which stand in the order of their ids."""
    terms = TermWriter()
    terms.add(table_of(docs))
    pieces = segment(documents_of(docs), [terms.written], ANALYZER, format=format)
    return b"".join(pieces)


def documents_of(docs: Sequence[Doc]) -> Documents:
    return Documents(
        identities(
            [document_id(UrlId(doc.id)) for doc in docs],
            [doc.version for doc in docs],
            [doc.anchors for doc in docs],
            [doc.gone for doc in docs],
            [doc.level for doc in docs],
        ),
        [doc.stored for doc in docs],
        np.array([doc.lengths for doc in docs], np.int64).reshape(len(docs), FIELDS),
        {
            name: (type, [doc.columns[place] for doc in docs])
            for place, (name, type) in enumerate(COLUMNS.items())
        },
        suggestions=suggestions_of(docs),
    )


def suggestions_of(docs: Sequence[Doc]) -> Entries:
    """What INDEX would suggest of these documents: titles, headings and tags."""
    tags = list(COLUMNS).index("tags")
    described = [
        Described(
            number,
            doc.stored.url,
            doc.stored.title,
            doc.stored.headings,
            values=[("tags", doc.columns[tags] or ())],  # type: ignore[list-item]
        )
        for number, doc in enumerate(docs)
        if not doc.gone
    ]
    return gather(described).entries(np.array([doc.level for doc in docs], np.int64))


def table_of(docs: Sequence[Doc]) -> Postings:
    rows = sorted(
        (term, number, impact, places)
        for number, doc in enumerate(docs)
        for term, impact, places in doc.terms
    )
    names = sorted({term for term, *_ in rows})
    begins = [next(n for n, row in enumerate(rows) if row[0] == name) for name in names]
    return Postings(
        names,
        np.array([*begins, len(rows)], np.int64),
        np.array([number for _, number, _, _ in rows], np.int64),
        np.array([impact for _, _, impact, _ in rows], np.uint8),
        np.cumsum([len(places) for *_, places in rows], dtype=np.int64),
        np.array([place for *_, places in rows for place in places], np.int64),
    )


def read_back(opened: Segment) -> list[Doc]:
    """All that a segment says, document by document."""
    known, lengths = opened.identities, opened.lengths()
    values = [column_values(opened, name) for name in COLUMNS]
    words = words_of(opened)
    return [
        Doc(
            known.id(number),
            float(known.versions[number]),
            bytes(known.anchors[number]),
            bool(known.gone[number]),
            int(known.levels[number]),
            stored_in(opened, number),
            tuple(lengths[number].tolist()),
            tuple(column[number] for column in values),
            tuple(words.get(number, ())),
        )
        for number in range(len(known))
    ]


Suggested: TypeAlias = tuple[str, str, str, int, tuple[int, ...]]
"""An entry: key, text, what it is about, kind, documents."""


@dataclass(frozen=True)
class Whole:
    """A whole segment: its documents, and what they have together."""

    docs: list[Doc]
    suggested: list[Suggested]
    words: list[tuple[str, int]]  # as written, and in how many documents each is


def read_all(opened: Segment) -> Whole:
    """All that a segment says."""
    return Whole(read_back(opened), suggested_in(opened), vocabulary_in(opened))


def suggested_in(opened: Segment) -> list[Suggested]:
    if not opened.has(SUGGESTIONS):
        return []
    region = EntryRegion(opened.load(SUGGESTIONS), f"what the segment {opened.name} suggests")
    found = region.entries()
    shown = [region.shown(number) for number in range(region.count)]
    assert shown == list(zip(found.texts, found.about, strict=True))
    return listed(found)


def listed(entries: Entries) -> list[Suggested]:
    edges = itertools.pairwise(entries.starts.tolist())
    documents = [tuple(entries.documents[a:b].tolist()) for a, b in edges]
    kinds = entries.kinds.tolist()
    return list(zip(entries.keys, entries.texts, entries.about, kinds, documents, strict=True))


def vocabulary_in(opened: Segment) -> list[tuple[str, int]]:
    if not opened.has_vocabulary:
        return []
    found = opened.vocabulary()
    return list(zip(found.words, found.counts.tolist(), strict=True))


def stored_in(opened: Segment, number: int) -> Stored:
    [data] = opened.fetch([opened.stored_range(number)])
    return opened.stored(number, data)


def words_of(opened: Segment) -> dict[int, list[tuple[str, int, tuple[int, ...]]]]:
    """Terms with impacts and positions by document."""
    found: dict[int, list[tuple[str, int, tuple[int, ...]]]] = {}
    for term, number, impact, places in sorted(postings_of(opened)):
        found.setdefault(number, []).append((term, impact, places))
    return found


def postings_of(opened: Segment) -> Iterator[tuple[str, int, int, tuple[int, ...]]]:
    for number in range(len(opened.sparse)):
        [data] = opened.fetch([opened.block_range(number)])
        block = opened.block(number, data)
        [places] = opened.fetch([opened.rare_places_range(block)])
        table = block.rare_table(places)
        for row, term in enumerate(table.terms):
            own = table.rows(row, row + 1)
            yield from rows_of(term, own.documents, own.impacts, own.counts(), own.positions)
        for term, frequent in zip(block.often_terms, block.frequent(), strict=True):
            for place in frequent.layers:
                [packed_layer] = opened.fetch([opened.layer_range(place)])
                layer = opened.layer(place, packed_layer)
                [packed_places] = opened.fetch([opened.places_range(place)])
                counts, positions = opened.places(place, packed_places)
                yield from rows_of(term, layer.documents, layer.impacts, counts, positions)


def rows_of(
    term: str, documents: Any, impacts: Any, counts: Any, positions: Any
) -> Iterator[tuple[str, int, int, tuple[int, ...]]]:
    ends = np.cumsum(counts).tolist()
    begins = [0, *ends]
    for number, document in enumerate(documents.tolist()):
        places = tuple(positions[begins[number] : ends[number]].tolist())
        yield term, document, int(impacts[number]), places


def column_values(opened: Segment, name: str) -> list[Value]:
    match opened.column(name):
        case NumberColumn(values):
            return [None if v == MISSING or v != v else v for v in values.tolist()]
        case KeywordColumn(keywords, codes):
            return [keywords[code - 1] if code else None for code in codes.tolist()]
        case KeywordsColumn(keywords, codes, starts):
            edges = starts.tolist()
            names = [keywords[code - 1] for code in codes.tolist()]
            return [tuple(names[a:b]) for a, b in itertools.pairwise(edges)]
        case TextColumn() as texts:
            return [texts.text(number) for number in range(opened.footer.documents)]
        case None:
            return [None] * opened.footer.documents


def as_kept(doc: Doc) -> Doc:
    """As a segment keeps it: missing text is empty, a missing list too."""
    count, price, day, host, tags, url = doc.columns
    tags = tuple(tag for tag in tags or () if tag)  # type: ignore[union-attr]
    return replace(doc, columns=(count, price, day, host or None, tags, url or ""))


# Random documents. Few terms, so that they meet; ids that end in zeros and have parts.

TERMS = ("a", "b", "cat", "=cat", "=cats", "dog", "é", "@the cat", "x" * 40, "z")
pages = st.one_of(
    st.binary(min_size=16, max_size=16),
    st.binary(min_size=1, max_size=3).map(lambda begin: begin.ljust(16, b"\0")),
)
document_ids = st.builds(
    document_id, pages, st.sampled_from((0, 0, 0, 1, 2, 255, 256, 1 << 24, (1 << 32) - 1))
)
positions = st.sets(st.integers(0, 1 << 23), max_size=4).map(lambda found: tuple(sorted(found)))
words = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=8)
values = st.tuples(
    st.none() | st.integers(-(2**62), 2**62),
    st.none() | st.floats(allow_nan=False),
    st.none() | st.integers(-10_000, 30_000),
    st.none() | st.sampled_from(("a.test", "b.test", "é")),
    st.none() | st.lists(st.sampled_from(("red", "green", "blue", "")), max_size=3).map(tuple),
    st.none() | words,
)


@st.composite
def docs(draw: st.DrawFn) -> Doc:
    """Some document."""
    gone = draw(st.sampled_from((False, False, False, True)))
    terms = () if gone else tuple(sorted(draw(st.sets(st.sampled_from(TERMS), max_size=6))))
    return Doc(
        draw(document_ids),
        float(draw(st.integers(1, 5))),
        draw(st.sampled_from((b"", b"0123456789abcdef", b"\xff" * 15))),
        gone,
        draw(st.integers(0, 255)),
        Stored(draw(words), draw(words), draw(words), headings=tuple(draw(st.lists(words)))),
        tuple(draw(st.lists(st.integers(0, 3000), min_size=FIELDS, max_size=FIELDS))),
        draw(values),
        tuple((term, draw(st.integers(1, 255)), draw(positions)) for term in terms),
    )


def by_id(found: list[Doc]) -> list[Doc]:
    """Each id once, in order."""
    return [doc for _, doc in sorted({doc.id: doc for doc in found}.items())]


collections = st.lists(docs(), max_size=9).map(by_id)
