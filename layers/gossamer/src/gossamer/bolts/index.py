"""INDEX: a batch of documents becomes a segment.

Order of effects: the segment's file first, then the manifest that names it. A crash in between
leaves a file that nothing names, which is swept. Which of two versions of a page is found is
decided when a segment is published (`bolts.manifest`), so a message that comes twice or late
changes nothing.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from gossamer.bolts.languages import languages_of
from gossamer.bolts.manifest import IndexWriter, add_segment
from gossamer.core.ids import document_id, page_of
from gossamer.core.index import column_values
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import digest
from gossamer.core.index.automatic import COMPLETED, with_values
from gossamer.core.index.declared import stored_types
from gossamer.core.index.postings import read
from gossamer.core.index.schema import CLUSTER, COLUMNS, FETCHED, FIELDS, ITEM, PAGE
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.index.segments.identities import identities
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.writer import Documents, TermWriter, part, segment
from gossamer.core.index.suggestions.entries import MOST_OF_BATCH
from gossamer.core.index.suggestions.gathering import Described, gather
from gossamer.core.index.suggestions.phrases import Phrase, frequent_phrases
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.collection import CollectionSettings, IndexSchema
    from gossamer.core.ids import DocumentId, UrlId
    from gossamer.core.index.declared import TextField
    from gossamer.core.index.postings import Words
    from gossamer.core.index.segments.columns import ColumnType, Value
    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.index.segments.table import Postings
    from gossamer.core.index.suggestions.entries import Occurrences
    from gossamer.messages import DocumentParsed
    from gossamer.ports.documents import DocumentStore, Version
    from gossamer.ports.home import Home
    from gossamer.ports.urls import UrlStore


KEYWORDS = ("keyword", "keywords")  # types of columns whose values are suggested


@dataclass(frozen=True, slots=True)
class Batch:
    """What becomes a segment: documents, what is known of them, and pages that are gone."""

    versions: Sequence[Version]  # in the order of their ids
    words: Words
    clusters: Mapping[DocumentId, int] = field(default_factory=dict)  # equal for similar pages
    levels: Mapping[UrlId, int] = field(default_factory=dict)  # PageRank of their pages
    gone: Mapping[UrlId, float] = field(default_factory=dict)  # since which version


def gone_of(messages: Sequence[DocumentParsed], urls: UrlStore) -> dict[UrlId, float]:
    """Which pages some messages say are gone, and since when.

    A message may be late: a page that was fetched since has come back, and stays.
    """
    gone = {url_id(message.url): message.fetched_at for message in messages if message.gone}
    records = [(id, urls.get(id)) for id in gone]
    return {
        id: gone[id]
        for id, record in records
        if record is not None and record.fetched_at <= gone[id]
    }


def index(writer: IndexWriter, batch: Batch, analyzer: Analyzer, schema: IndexSchema) -> int:
    """Index a batch; returns how many postings it has."""
    if not batch.versions and not batch.gone:
        return 0
    name = writer.name()
    known, pieces, postings = segment_of(batch, analyzer, schema, writer.store.format)
    size = writer.store.put(name, pieces)
    described = analyzer.describe()
    made, languages = schema.digest(described), languages_of(batch.versions, analyzer)
    add_segment(writer, name, size, known, described, made, languages)
    return postings


def segment_of(
    batch: Batch, analyzer: Analyzer, schema: IndexSchema, format: int = DEFAULT_FORMAT
) -> tuple[Identities, Iterator[bytes], int]:
    """The documents, the bytes and the number of postings of a segment."""
    documents, table = _inverted(batch, analyzer, schema)
    terms = TermWriter()
    terms.add(table)
    pieces = segment(documents, [terms.written], analyzer.describe(), schema.q, format)
    return documents.identities, pieces, len(table)


def part_of(batch: Batch, analyzer: Analyzer, schema: IndexSchema) -> Iterator[bytes]:
    """The bytes of a part: a segment that is merged with others before it is published."""
    return part(*_inverted(batch, analyzer, schema), analyzer.describe(), schema.q)


def _inverted(batch: Batch, analyzer: Analyzer, schema: IndexSchema) -> tuple[Documents, Postings]:
    table = batch.words.postings(analyzer, schema.weights)
    rows = _rows(batch)
    if batch.gone:  # which have numbers too
        numbers = np.flatnonzero([not row.gone for row in rows])
        table = dataclasses.replace(table, documents=numbers[table.documents])
    known = identities(
        [row.id for row in rows],
        [row.version for row in rows],
        [row.anchors for row in rows],
        [row.gone for row in rows],
        [batch.levels.get(page_of(row.id), 0) for row in rows],
    )
    stored = [row.stored for row in rows]
    lengths, columns = _lengths(batch, rows), _columns(batch, rows, schema)
    suggestions = _suggestions(batch, rows, analyzer, schema).entries(known.levels, MOST_OF_BATCH)
    return Documents(known, stored, lengths, columns, suggestions=suggestions), table


def _suggestions(
    batch: Batch, rows: Sequence[_Row], analyzer: Analyzer, schema: IndexSchema
) -> Occurrences:
    """What a search box may suggest of a batch."""
    numbers = [number for number, row in enumerate(rows) if not row.gone]
    fields = [name for name, each in schema.columns.items() if each.type in KEYWORDS]
    fields += [name for name in COMPLETED if name in schema.automatic]
    documents = [
        Described(
            number,
            rows[number].stored.url,
            rows[number].stored.title,
            rows[number].stored.headings,
            version.names,
            column_values.keywords_of(rows[number].stored, fields) if fields else (),
        )
        for number, version in zip(numbers, batch.versions, strict=True)
    ]
    return gather(documents, _phrases(batch, analyzer, numbers))


def _phrases(batch: Batch, analyzer: Analyzer, numbers: Sequence[int]) -> list[Phrase]:
    found, starts = batch.words.bodies()
    texts = [version.document.text for version in batch.versions]
    analyzers = {analyzer.of_language(v.document.language) for v in batch.versions}
    each = [known.term for known in analyzers]
    phrases = frequent_phrases(
        found, starts, batch.words.written, lambda word: not all([t(word) for t in each]), texts
    )
    return [Phrase(text, [numbers[place] for place in at]) for text, at in phrases]


class _Row(NamedTuple):
    """A document of the segment, or a page that is gone."""

    id: DocumentId
    version: float
    stored: Stored
    anchors: bytes = b""
    gone: bool = False


def _rows(batch: Batch) -> list[_Row]:
    rows = [_Row(v.id, v.fetched_at, stored(v), digest(v.anchors)) for v in batch.versions]
    rows += [_Row(document_id(id), at, Stored(""), gone=True) for id, at in batch.gone.items()]
    return sorted(rows, key=lambda row: row.id)


def stored(version: Version) -> Stored:
    """What is shown of a document."""
    document = version.document
    return Stored(
        document.link or document.url,
        document.title,
        document.text,
        document.description,
        document.language,
        document.published_at,
        document.canonical,
        tuple([text for _, text in document.headings]),
        version.id,
        version.fetched_at,
        document.kind or (ITEM if document.key or document.place else PAGE),
        document.template,
        document.values,
        document.date or document.published_at,  # which is all that older documents have
        document.date_source,
        document.unavailable_after,
    )


def _lengths(batch: Batch, rows: Sequence[_Row]) -> Ints:
    lengths = np.zeros((len(rows), len(FIELDS)), np.int64)
    lengths[[not row.gone for row in rows]] = batch.words.lengths[:, : len(FIELDS)]
    return lengths


def _columns(
    batch: Batch, rows: Sequence[_Row], schema: IndexSchema
) -> dict[str, tuple[ColumnType, Sequence[Value]]]:
    kept = [row.stored for row in rows]
    of_index: dict[str, Sequence[Value]] = {
        FETCHED: [row.version for row in rows],
        CLUSTER: [_signed(batch.clusters.get(row.id, 0)) for row in rows],
    }
    columns = {**schema.columns, **with_values(schema.automatic, kept)}
    types = COLUMNS | stored_types(columns)
    values = column_values.standard(kept) | of_index | column_values.declared(columns, kept)
    return {name: (type, values[name]) for name, type in types.items()}


def _signed(value: int) -> int:
    """64 bits as a column of numbers holds them."""
    return value - (1 << 64) if value >= 1 << 63 else value


def analyzer_of(home: Home) -> Analyzer:
    """The analyzer that a collection was indexed with; of a new one, that of its settings."""
    described = home.index.manifest().analyzer
    if described:
        return Analyzer.from_description(described)
    return _analyzer(home.settings.get())


def _analyzer(settings: CollectionSettings) -> Analyzer:
    return Analyzer(**msgspec.structs.asdict(settings.analyzer))


def made_otherwise(home: Home, settings: CollectionSettings | None = None) -> int:
    """How many documents were indexed by other settings than the present ones, or than these."""
    settings = settings or home.settings.get()
    schema = settings.schema.digest(_analyzer(settings).describe())
    return home.index.manifest().made_otherwise(schema)


def words_of(
    versions: Sequence[Version], analyzer: Analyzer, declared: Mapping[str, TextField] = {}
) -> Words:
    """The words of some documents, read once for all that is done with them."""
    return read([v.document for v in versions], analyzer, [v.names for v in versions], declared)


def without(versions: Sequence[Version], gone: Mapping[UrlId, float]) -> list[Version]:
    """The versions of pages that were not found gone since."""
    return [v for v in versions if v.fetched_at > gone.get(page_of(v.id), -1.0)]


def due(messages: Sequence[DocumentParsed], documents: DocumentStore) -> list[Version]:
    """All documents of the pages that some messages announce, as they are by now, by id."""
    ids = {url_id(message.url) for message in messages}
    return [version for page in documents.pages(sorted(ids)) for version in page.versions()]
