"""The settings of a collection: how its texts are analysed, weighed and ranked.

One struct, one file (`collection.toml`), one place in each home. The defaults are what a collection
has whose settings were never stored. The analyzer, the weights and what is declared are applied
when a document is indexed, the profile, its blend, the formula, weighted words and chosen results
when a query is answered.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

import msgspec

from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.index.automatic import automatic
from gossamer.core.index.declared import (
    Column,
    Positive,
    Share,
    TextField,
    Weight,
    check_declared,
    stored_types,
)
from gossamer.core.index.languages import SAME_LANGUAGE, STEMMERS, STOP_WORDS, default_of
from gossamer.core.search.curated import Curated, check_curated

if TYPE_CHECKING:
    from collections.abc import Mapping

ProfileName: TypeAlias = Literal["bm25", "tfidf"]
PROFILE_NAMES: tuple[str, ...] = get_args(ProfileName)
DEFAULT_Q = 3
GramLength: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=4)]
StopWord: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
WordLength: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=100)]
Points = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
MAX_WORDS = 1_000  # that are weighted
MAX_BYTES = 300_000  # of all settings as JSON: an item of DynamoDB has at most 400 KB
_Table: TypeAlias = dict[str, object]


class AnalyzerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How text becomes terms; an index keeps the analyzer that it was begun with."""

    language: str = "en"  # "" for none: no stop words, and endings are kept
    stem: bool = True
    stop_words: bool = True  # leave out the language's function words
    smallest_word: Annotated[int, msgspec.Meta(ge=1, le=10)] = 1  # letters; shorter ones are gaps


class FieldWeight(msgspec.Struct, frozen=True):
    """How one field counts: its weight, how much its length matters, and its usual length."""

    weight: Weight
    b: Share
    pivot: Positive


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """BM25F, as `core.index.impacts` computes it."""

    # A plateau over four judged collections: moving k1, or a title's or body's number, by a third
    # costs less than two per cent (docs/relevance.md). Those sets have no headings, images or
    # anchors; what others call a page counts more than a heading, less than what it calls itself.
    k1: Positive = 2.0
    body: FieldWeight = FieldWeight(1.0, 0.7, 100.0)
    title: FieldWeight = FieldWeight(3.0, 0.5, 8.0)
    headings: FieldWeight = FieldWeight(1.5, 0.5, 30.0)
    images: FieldWeight = FieldWeight(0.5, 0.5, 10.0)
    anchors: FieldWeight = FieldWeight(2.0, 0.5, 20.0)

    def of(self, field: str) -> FieldWeight:
        """The weight of a field."""
        found: FieldWeight = getattr(self, field)
        return found


class IndexSchema(msgspec.Struct, frozen=True, kw_only=True):
    """How documents are indexed: the weights of their fields, and what the collection declares."""

    weights: Weights = Weights()
    fields: dict[str, TextField] = {}
    columns: dict[str, Column] = {}
    q: int = DEFAULT_Q  # letters of the pieces by which similar words are found
    structured: bool = True  # whether there are columns of what pages declare themselves

    @property
    def automatic(self) -> dict[str, Column]:
        """The columns of what pages declare themselves, besides those below `columns`."""
        return automatic(self.columns, self.fields) if self.structured else {}

    @property
    def all_columns(self) -> dict[str, Column]:
        """All columns that queries may name, those that are declared first."""
        return {**self.columns, **self.automatic}

    def of(self, field: str) -> TextField:
        """How a field counts."""
        if field in self.fields:
            return self.fields[field]
        given = self.weights.of(field)
        return TextField(weight=given.weight, b=given.b, pivot=given.pivot)

    def digest(self, analyzer: Mapping[str, str | int | bool]) -> str:
        """Equal for schemas that, with an analyzer, make the same segment of a document."""
        fields = [(name, field) for name, field in self.fields.items()]
        columns = sorted(stored_types(self.columns).items())
        parts = [sorted(analyzer.items()), self.weights, fields, columns]
        if self.q != DEFAULT_Q:  # indexes that were made before there were such pieces stay valid
            parts.append(self.q)
        if not self.structured:
            parts.append("without structured data")
        made = msgspec.json.encode(tuple(parts))
        return hashlib.blake2b(made, digest_size=6).hexdigest()


class TypoSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How misspelt words of a query are treated."""

    on: bool = True  # False: no spelling is corrected or suggested
    # Letters of the pieces by which similar words are found; when documents are indexed.
    q: GramLength = DEFAULT_Q
    # A query that finds fewer results is answered in another spelling; 0: it is only suggested.
    min_results: Annotated[int, msgspec.Meta(ge=0, le=100)] = 1
    one_edit: WordLength = 5  # letters from which a word may have one mistake
    two_edits: WordLength = 9  # and from which two


class Blend(msgspec.Struct, frozen=True):
    """How a profile mixes the scores of text and of links."""

    text: Weight
    rank: Weight
    half: Share = 0.0  # the level of PageRank that counts half of the most; 0: levels as they are


class StructuredSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the data that pages declare about themselves."""

    columns: bool = True  # False: filters, facets and sorting know only declared columns


class QueryLogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whether queries are counted, without who asked, and for how many days."""

    on: bool = False
    days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 30
    completions: bool = False  # True: what was asked on three days or more completes queries


class CollectionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of a collection."""

    version: int = 0  # how often they were stored
    analyzer: AnalyzerSettings = AnalyzerSettings()
    weights: Weights = Weights()
    profile: ProfileName = "bm25"  # of queries that name none
    # The weight and the half are from the middle of a plateau: half or twice the weight moves the
    # reciprocal rank of pages looked for by name by a hundredth (docs/relevance.md, 2026-11).
    bm25: Blend = Blend(1.0, 0.4, 0.25)
    tfidf: Blend = Blend(0.6, 0.4)
    typos: TypoSettings = TypoSettings()
    fields: dict[str, TextField] = {}  # text fields that documents have as values, by name
    columns: dict[str, Column] = {}  # likewise columns
    structured: StructuredSettings = StructuredSettings()
    query_log: QueryLogSettings = QueryLogSettings()
    strict_queries: bool = False  # read every query in the exact language, and fill up no answer
    # Words that queries do not look for beside others, as the function words of the language.
    stop_list: Annotated[list[StopWord], msgspec.Meta(max_length=1000)] = []
    synonym_weight: Share = 0.7  # what a synonym counts of the word that it stands for; 0: nothing
    compound_weight: Share = 0.5  # likewise a compound of it, in German; 0: none are looked for
    synonyms: str = ""  # which list of synonyms is stored; set by `gossamer synonyms` alone
    templates: str = ""  # which list of templates is stored; set by `gossamer template` alone
    formula: str = ""  # what it computes is added to the score of each document that matches
    words: dict[str, Points] = {}  # added where a query has the word and a document too
    results: dict[str, Curated] = {}  # by query

    @property
    def schema(self) -> IndexSchema:
        """The part that is applied when a document is indexed."""
        return IndexSchema(
            weights=self.weights,
            fields=self.fields,
            columns=self.columns,
            q=self.typos.q,
            structured=self.structured.columns,
        )


LISTS = ("synonyms", "templates")  # the names of lists that are kept beside the settings
KEPT = ("version", *LISTS)  # what a file of settings does not say, and does not change
# Tables whose keys are the collection's own.
DECLARED = ("fields", "columns", "words", "results")


def check_settings(settings: CollectionSettings) -> None:
    """Raise SettingError for what a type cannot say."""
    from gossamer.core.search.formula.compiling import compile_formula, kinds_of  # numpy
    from gossamer.core.search.formula.constants import check_constants

    _check_language(settings.analyzer.language)
    check_declared(settings.columns, settings.fields)
    compile_formula(settings.formula, kinds_of(settings.schema.all_columns))
    check_constants(settings.formula)
    if len(settings.words) > MAX_WORDS:
        raise SettingError(f"at most {MAX_WORDS:,} words are weighted", ["words"])
    check_curated(settings.results)
    if len(msgspec.json.encode(settings)) > MAX_BYTES:
        raise SettingError(f"all settings together have at most {MAX_BYTES:,} bytes")


def packed(text: str) -> bytes:
    """A list as a home keeps it."""
    return zlib.compress(text.encode())


def unpacked(body: bytes) -> str:
    """The list again."""
    return zlib.decompress(body).decode()


def list_name(body: bytes) -> str:
    """Equal for equal lists, so that settings and their list always fit each other."""
    return hashlib.blake2b(body, digest_size=8).hexdigest()


def decode_settings(body: bytes) -> CollectionSettings:
    """Settings as a home keeps them, in JSON."""
    try:
        return msgspec.json.decode(body, type=CollectionSettings)
    except msgspec.DecodeError as error:
        raise ConfigurationError(
            f"the settings of this collection were written by another version of gossamer: {error};"
            " use that one, or a newer one"
        ) from error


def _check_language(language: str) -> None:
    known = {"", *STEMMERS, *STOP_WORDS, *SAME_LANGUAGE}
    if default_of(language) not in known:
        names = ", ".join(sorted(known - {""}))
        raise SettingError(
            f'unknown language {language!r}; known: {names}, "auto" for that of each document, or'
            ' "" for none',
            ["analyzer", "language"],
        )
