"""The settings of a collection: how its texts are analysed, weighed and ranked.

One struct, one file (`collection.toml`), one place in each home. The defaults are what a collection
has whose settings were never stored. The analyzer, the weights and what is declared are applied
when a document is indexed, the profile, its blend, the formula, weighted words and chosen results
when a query is answered.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
import zlib
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, cast, get_args

import msgspec

from gossamer.core.errors import ConfigurationError
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
    from collections.abc import Iterator, Mapping, Sequence

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


def read_settings(text: str, origin: str) -> CollectionSettings:
    """Settings from the text of a TOML file; what it does not name keeps its default."""
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{origin}: not TOML: {error}") from error
    return _settings_of(given, origin)


def changed(settings: CollectionSettings, changes: Sequence[str]) -> CollectionSettings:
    """Settings with some replaced, each given as `name=value`, the name with dots.

    A value is written as in TOML; a text needs no quotes.
    """
    content = _in_a_file(settings)
    for change in changes:
        content = _over(content, _assigned(change))
    found = _settings_of(content, "--set")
    return kept_of(settings, found)


def kept_of(before: CollectionSettings, given: CollectionSettings) -> CollectionSettings:
    """Settings with what a file does not say as it was before."""
    return msgspec.structs.replace(given, **{name: getattr(before, name) for name in KEPT})


def _assigned(change: str) -> _Table:
    name, sign, value = change.partition("=")
    if not sign or not name.strip():
        raise ConfigurationError(f"--set {change!r}: write NAME=VALUE, as bm25.rank=1")
    for text in (value, _literal(value.strip())):
        try:
            return tomllib.loads(f"{name} = {text}")
        except (ValueError, RecursionError):
            continue
    raise ConfigurationError(f"--set {change!r}: {name.strip()!r} is no name of a setting")


def _over(content: _Table, given: _Table) -> _Table:
    """A table with another laid over it."""
    laid = dict(content)
    for key, value in given.items():
        below = content.get(key)
        is_table = isinstance(below, dict) and isinstance(value, dict)
        laid[key] = _over(cast("_Table", below), cast("_Table", value)) if is_table else value
    return laid


def _settings_of(given: _Table, origin: str) -> CollectionSettings:
    defaults = _in_a_file(CollectionSettings())
    try:
        merged = _merge(defaults, given, "")
        settings = msgspec.convert(merged, CollectionSettings)
        check_settings(settings)
    except (ConfigurationError, msgspec.ValidationError) as error:
        raise ConfigurationError(f"{origin}: {error}") from error
    return settings


def check_settings(settings: CollectionSettings) -> None:
    """Raise ConfigurationError for what a type cannot say."""
    from gossamer.core.search.formula.compiling import compile_formula, kinds_of  # numpy

    _check_language(settings.analyzer.language)
    check_declared(settings.columns, settings.fields)
    compile_formula(settings.formula, kinds_of(settings.schema.all_columns))
    if len(settings.words) > MAX_WORDS:
        raise ConfigurationError(f"at most {MAX_WORDS:,} words are weighted")
    check_curated(settings.results)
    if len(msgspec.json.encode(settings)) > MAX_BYTES:
        raise ConfigurationError(f"all settings together have at most {MAX_BYTES:,} bytes")


def to_toml(settings: CollectionSettings) -> str:
    """Settings as a file that `read_settings` reads."""
    content = _in_a_file(settings)
    return "\n".join([f"# version {settings.version}", *_lines(content, "")])


def _in_a_file(settings: CollectionSettings) -> _Table:
    """What a person may write; the rest is the program's own."""
    content: _Table = msgspec.to_builtins(settings)
    return {key: value for key, value in content.items() if key not in KEPT}


def _lines(table: _Table, path: str) -> Iterator[str]:
    """A table in TOML: its own keys first, then the tables in it."""
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if own and path:
        yield from ["", f"[{path}]"]
    for key, value in own.items():  # numbers, texts and truths are written as in JSON
        yield f"{_key(key)} = {_literal(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _lines(value, f"{path}.{_key(key)}" if path else _key(key))


def _key(name: str) -> str:
    return name if _is_bare(name) else _literal(name)


def _literal(value: object) -> str:
    """As in JSON; TOML wants one more sign escaped."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


_is_bare = re.compile(r"[A-Za-z0-9_-]+", re.ASCII).fullmatch


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


def _merge(defaults: _Table, given: _Table, path: str) -> _Table:
    """The defaults with what is given in their place; a key that has no default is a mistake."""
    merged = dict(defaults)
    for key, value in given.items():
        if key not in defaults:
            raise ConfigurationError(f"unknown key {path + key!r}{_did_you_mean(key, defaults)}")
        default = defaults[key]
        is_table = isinstance(default, dict) and isinstance(value, dict)
        if is_table and path + key not in DECLARED:
            value = _merge(cast("_Table", default), cast("_Table", value), f"{path}{key}.")
        merged[key] = value
    return merged


def _did_you_mean(key: str, known: _Table) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"


def _check_language(language: str) -> None:
    known = {"", *STEMMERS, *STOP_WORDS, *SAME_LANGUAGE}
    if default_of(language) not in known:
        names = ", ".join(sorted(known - {""}))
        raise ConfigurationError(
            f'unknown language {language!r}; known: {names}, "auto" for that of each document, or'
            ' "" for none'
        )
