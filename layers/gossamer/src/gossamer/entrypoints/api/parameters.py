"""The parameters of requests: how they are read, checked and described.

One table serves both the check of a request and its description in /openapi.json, so that the two
cannot disagree.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote_plus

import msgspec

from gossamer.core.collection import PROFILE_NAMES
from gossamer.core.errors import GossamerError
from gossamer.core.ids import DocumentId
from gossamer.core.search.fields import FACETS, RELEVANCE, SHOWN, SORTS
from gossamer.core.search.lexemes import MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = str | int | bool | tuple[str, ...] | None

MAX_QUERY = 1_000  # characters of a filter, and of what is completed
MAX_ENCODED = 4_000  # bytes of a query in an address, as they stand there
MAX_PAGE = 1_000
MAX_LIMIT = 100
MAX_SUGGESTIONS = 20
MAX_NAMES = 500  # characters of a list of names
MAX_FILTERS = 20
MAX_DEPTH = 10_000  # page × limit: every rank above a page must be computed for it

TABLES = {"csv": "text/csv", "jsonl": "application/jsonl"}  # formats of results and their types
TRUTHS = {"true": True, "1": True, "false": False, "0": False}
DIGITS = re.compile(r"[0-9]{1,16}", re.ASCII)
IDS = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{8})?", re.ASCII)
WHITESPACE = "\t\n\r"


class BadParameter(GossamerError):
    """A parameter is missing, unknown, repeated or out of range."""

    def __init__(self, code: str, message: str, field: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field.encode(errors="replace").decode()  # half a character is no JSON
        self.position = position


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its type, its limits, and what it is for."""

    name: str
    kind: Literal["text", "integer", "boolean", "choice", "id"]
    description: str
    default: str | int | bool | None = None
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()
    required: bool = False
    suffix: str = ""  # that may follow an id
    example: str = ""  # for clients to see; empty: none
    encoded: int = 0  # bytes at most in an address, percent-encoded; 0: only characters are counted
    most: int = 1  # how often it may be given; more than once makes a list of it

    def values(self, texts: Sequence[str]) -> Value:
        """What a request means by all that it gives; nothing, if it is required, is an error."""
        if self.most > 1:
            if len(texts) > self.most:
                raise self._bad(f"is given {len(texts)} times; at most {self.most} are allowed")
            return tuple([str(self.read(text)) for text in texts])
        if len(texts) != 1:
            message = f"{self.name} is given {len(texts)} times"
            raise BadParameter("repeated_parameter", message, self.name)
        return self.read(texts[0])

    def read(self, text: str) -> str | int | bool:
        """The value that a request means."""
        if self.kind == "text":
            return self._text(text)
        if self.kind == "integer":
            return self._integer(text)
        if self.kind == "id":
            if not IDS.fullmatch(text):
                raise self._bad("must be the id of a search result, as it stands there")
            return text
        if self.kind == "boolean":
            if text not in TRUTHS:
                raise self._bad("must be true or false")
            return TRUTHS[text]
        if text not in self.choices:
            raise self._bad(f"must be one of: {', '.join(self.choices)}")
        return text

    def schema(self) -> dict[str, object]:
        """The same as a JSON Schema."""
        kinds: dict[str, dict[str, object]] = {
            "text": {
                "type": "string",
                "minLength": int(self.is_needed),
                "maxLength": self.maximum,
            },
            "integer": {"type": "integer", "minimum": self.minimum, "maximum": self.maximum},
            "boolean": {"type": "boolean"},
            "id": {"type": "string", "pattern": self._ids()},
            "choice": {"type": "string", "enum": list(self.choices)},
        }
        described = kinds[self.kind]
        if self.most > 1:
            return {"type": "array", "items": described, "maxItems": self.most}
        return described if self.default is None else {**described, "default": self.default}

    @property
    def is_needed(self) -> bool:
        """Whether an empty value is a mistake."""
        return self.required or self.most > 1

    def _ids(self) -> str:
        return f"^{IDS.pattern}{f'(?:{re.escape(self.suffix)})?' if self.suffix else ''}$"

    def _text(self, text: str) -> str:
        size = len(quote_plus(text, errors="replace")) if self.encoded else 0
        if size > self.encoded:
            raise self._bad(
                f"has {size:,} bytes in an address; at most {self.encoded:,} are allowed."
                " POST /search takes longer ones"
            )
        if len(text) > self.maximum:
            raise self._bad(f"has {len(text):,} characters; at most {self.maximum:,} are allowed")
        for position, character in enumerate(text):
            if character not in WHITESPACE and unicodedata.category(character) in ("Cc", "Cs"):
                raise self._bad(f"has a control character at {position}", position)
        if self.is_needed and not text.strip():
            raise BadParameter("missing_parameter", f"{self.name} is empty", self.name)
        return text

    def _integer(self, text: str) -> int:
        if DIGITS.fullmatch(text) and self.minimum <= int(text) <= self.maximum:
            return int(text)
        raise self._bad(f"must be a whole number from {self.minimum:,} to {self.maximum:,}")

    def _bad(self, message: str, position: int | None = None) -> BadParameter:
        return BadParameter("invalid_parameter", f"{self.name} {message}", self.name, position)


SEARCH = (
    Parameter(
        "q",
        "text",
        'What to look for: text, or a boolean query with & | ! -word +word AND OR NOT "a phrase"'
        " site: domain: title: url: lang: kind: template: date: before: after:, and fields that"
        " the collection declares (brand:acme price:10..50 price:<50). At most 4,000 bytes, encoded"
        " as in an address; POST /search takes longer ones.",
        maximum=MAX_ENCODED,
        encoded=MAX_ENCODED,
        required=True,
        example="spider silk",
    ),
    Parameter(
        "page",
        "integer",
        f"Which page of results, from 1. page × limit may not exceed {MAX_DEPTH:,}.",
        default=1,
        minimum=1,
        maximum=MAX_PAGE,
    ),
    Parameter("limit", "integer", "Results per page.", default=10, minimum=1, maximum=MAX_LIMIT),
    Parameter("explain", "boolean", "Explain the score of every result.", default=False),
    Parameter(
        "profile",
        "choice",
        "How to score; without it, as the collection is set.",
        choices=PROFILE_NAMES,
    ),
    Parameter(
        "similar",
        "choice",
        "Of pages that are nearly the same, show one or all.",
        default="one",
        choices=("one", "all"),
    ),
    Parameter(
        "like",
        "id",
        "The id of a result with similar pages: these are shown instead of the page of results"
        " that it is on (with the same q, page, limit and sort), at most 100.",
        maximum=40,
    ),
    Parameter(
        "exact_total",
        "boolean",
        "Count every match, even where that takes longer; else the total may be a lower bound.",
        default=False,
    ),
    Parameter(
        "filter",
        "text",
        "A condition that results must meet besides, and that adds nothing to their scores:"
        ' lang:en, -kind:item, date:2024..2025, price:<50, host:"a.example" | host:"b.example". Any'
        " field of a query, and no other words. May be given several times: all must be met.",
        maximum=MAX_QUERY,
        most=MAX_FILTERS,
        example="lang:en",
    ),
    Parameter(
        "facets",
        "text",
        "Whose values to count among all that match, with commas between: "
        f"{', '.join(FACETS)}, and facets that the collection declares; * for {', '.join(SHOWN)}"
        " and all that are declared. Dates are counted by year. A filter about one field does not"
        " narrow the counts of that field.",
        default="",
        maximum=MAX_NAMES,
    ),
    Parameter(
        "sort",
        "text",
        f"By what to sort: {RELEVANCE}, {', '.join(SORTS)}, or a column that the collection"
        " declares for it; with a minus from the highest or newest down. Without a value: last.",
        default=RELEVANCE,
        maximum=MAX_NAMES,
    ),
    Parameter(
        "fields",
        "text",
        "Which values of the documents to show in results, with commas between; * for all.",
        default="",
        maximum=MAX_NAMES,
    ),
    Parameter(
        "format",
        "choice",
        "csv or jsonl: the results as a table, with a column for each of their values (those of"
        " `fields`, or all) and a row for each result; json: all that is known of them.",
        default="json",
        choices=("json", *TABLES),
    ),
    Parameter(
        "correct",
        "boolean",
        "Whether a misspelt query that finds nothing is answered in another spelling, and other"
        " spellings are suggested; `correction` in the answer says so. False: search as typed.",
        default=True,
    ),
    Parameter(
        "strict",
        "boolean",
        "Read the query in the exact language, in which whatever cannot be read is an error, and"
        " answer only what matches it: a boolean answer with fewer than ten results is not filled"
        " up with ranked ones.",
        default=False,
    ),
)

SUGGEST = (
    Parameter(
        "q",
        "text",
        "What was typed so far.",
        maximum=MAX_QUERY,
        required=True,
        example="spid",
    ),
    Parameter(
        "limit", "integer", "Completions at most.", default=8, minimum=1, maximum=MAX_SUGGESTIONS
    ),
)
FEED = tuple(
    each
    for each in SEARCH
    if each.name in ("q", "page", "limit", "similar", "filter", "sort", "correct", "strict")
)


LONG_SEARCH = (
    dataclasses.replace(SEARCH[0], maximum=MAX_TEXT, encoded=0),
    *[each for each in SEARCH if each.name not in ("q", "format")],
)


def _or_empty(parameter: Parameter) -> str | int | bool | None:
    """The value of a parameter on a page that is opened without a query."""
    is_list = parameter.most > 1
    return "" if parameter.default is None and not is_list else parameter.default


PLAIN = tuple(
    dataclasses.replace(each, required=False, default=_or_empty(each))
    for each in SEARCH
    if each.name in ("q", "page", "similar", "filter", "facets", "sort", "correct", "strict")
)

EXAMPLE_ID = "0123456789abcdef0123456789abcdef"
DOCUMENT_ID = Parameter(
    "id", "id", "The id of a search result.", maximum=40, required=True, example=EXAMPLE_ID
)
DOCUMENT_NAME = Parameter(
    "id",
    "id",
    "The id of a search result; with .md behind it the document is markdown.",
    maximum=40,
    required=True,
    suffix=".md",
    example=EXAMPLE_ID,
)


MAX_TIME = 100_000_000_000
VERSIONS = tuple(
    Parameter(name, "integer", f"{what} (in seconds since 1970).", minimum=1, maximum=MAX_TIME)
    for name, what in (
        ("at", "The earlier version that was fetched then"),
        ("since", "Show what changed in the text since the version that was fetched then"),
    )
)


class SearchParameters(msgspec.Struct, frozen=True):
    """The parameters of a search."""

    q: str
    page: int
    limit: int
    explain: bool
    profile: str | None
    similar: str
    like: str | None
    exact_total: bool
    filter: tuple[str, ...]
    facets: str
    sort: str
    fields: str
    correct: bool
    strict: bool
    format: str


def read_search(
    given: Mapping[str, Sequence[str]], table: Sequence[Parameter] = SEARCH
) -> SearchParameters:
    """The parameters of a search in a query string, of which `table` has those that are taken."""
    others = {each.name: _default(each) for each in SEARCH}
    asked = msgspec.convert(others | read(table, given), SearchParameters)
    if asked.page * asked.limit > MAX_DEPTH:
        message = f"page × limit may not exceed {MAX_DEPTH:,}"
        raise BadParameter("invalid_parameter", message, "page")
    return asked


class SearchBody(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The body of POST /search: the parameters of GET /search."""

    q: str
    page: int = 1
    limit: int = 10
    explain: bool = False
    profile: str | None = None
    similar: str = "one"
    like: str | None = None
    exact_total: bool = False
    filter: list[str] = []
    facets: str = ""
    sort: str = RELEVANCE
    fields: str = ""
    correct: bool = True
    strict: bool = False


def read_long_search(body: SearchBody) -> SearchParameters:
    """Return the parameters of a search that came in a body; they are checked as in an address."""
    given = {name: _as_texts(value) for name, value in msgspec.to_builtins(body).items()}
    return read_search(given, LONG_SEARCH)


def _as_texts(value: str | int | list[str]) -> list[str]:
    if isinstance(value, list):
        return value
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def read_suggest(given: Mapping[str, Sequence[str]]) -> tuple[str, int]:
    """What was typed, and how many completions are wanted."""
    asked = read(SUGGEST, given)
    return str(asked["q"]), int(str(asked["limit"]))


def read_document_id(text: str) -> DocumentId:
    """The id of a document in a path."""
    return DocumentId(bytes.fromhex(str(DOCUMENT_ID.read(text))))


def read_versions(given: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """Which version of a page is asked for, and since which its changes; 0 for none."""
    asked = read(VERSIONS, given)
    at, since = (int(str(asked[name] or 0)) for name in ("at", "since"))
    return at, since


def read(table: Sequence[Parameter], given: Mapping[str, Sequence[str]]) -> dict[str, Value]:
    """The values of a query string, with defaults for what it does not say."""
    known = {parameter.name for parameter in table}
    for name in given:
        if name not in known:
            raise BadParameter("unknown_parameter", f"there is no parameter {name!r}", name)
    return {parameter.name: _value(parameter, given) for parameter in table}


def _value(parameter: Parameter, given: Mapping[str, Sequence[str]]) -> Value:
    if parameter.name in given:
        return parameter.values(given[parameter.name])
    if parameter.required:
        raise BadParameter("missing_parameter", f"{parameter.name} is missing", parameter.name)
    return _default(parameter)


def _default(parameter: Parameter) -> Value:
    return () if parameter.most > 1 else parameter.default
