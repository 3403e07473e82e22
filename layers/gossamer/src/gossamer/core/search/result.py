"""The structs that a search returns."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 `How` is read from JSON, too
from typing import Literal, TypedDict

import msgspec

from gossamer.core.page.values import Value


class How(TypedDict, total=False):
    """How a query is answered; what is not said has its default."""

    page: int  # from 1
    limit: int  # results on a page
    explain: bool
    profile: str  # of scoring; "" for the collection's own
    similar: str  # "one" of similar pages, or "all"
    like: str  # the id of a result on this page: show the similar pages that it stands for, instead
    exact_total: bool  # else the total may be a lower bound, and says so
    filters: Sequence[str]  # conditions on fields, all of which hold for what is found
    facets: Sequence[str]  # columns whose values are counted; "*" for those that a page shows
    sort: str  # a column to sort by instead of the score; "-" before it: from the highest down
    fields: Sequence[str]  # values of the documents that results show; "*" for all
    today: int  # days since 1970, to which a formula counts ages; what is not said is today
    spellings: dict[str, list[tuple[str, int]]]  # of words with a tilde; found by the searcher
    correct: bool  # False: search as typed, and suggest no other spelling
    strict: bool  # read the query in the exact language, and answer nothing else
    fill: bool  # False: do not fill up a boolean answer that has few results
    snippets: bool  # False: results without texts, as for measuring thousands of them


class HowRead(How, total=False):
    """How a query is answered, with what the searcher knows of the whole index."""

    languages: Sequence[str]  # by whose rules the query is read, those of most documents first
    compounds: dict[str, list[list[str]]]  # of words of the query, and their parts
    # What fills up a boolean answer: the ranked words of the query, or all of its text.
    loosened: Literal["words", "text"]
    required: list[int]  # places of the quoted phrases that documents must have
    terms: list[str]  # of a long query: those that count


class Highlight(msgspec.Struct, frozen=True):
    """A piece of a snippet; `hit` marks words that the query asked for."""

    text: str
    hit: bool = False


class FieldPart(msgspec.Struct, frozen=True):
    """What one field contributed to the weight of a term."""

    field: str  # title, headings, body, images, anchors
    frequency: int
    weight: float


class TermPart(msgspec.Struct, frozen=True):
    """What one term of the query contributed to a score.

    In quotes, all of them together: the page is called just so, by itself or by others.
    """

    term: str
    df: int  # documents that have it
    idf: float
    weight: float  # the saturated, quantised weight of the term in this document, 0 to 1
    score: float  # its part of the sum
    fields: list[FieldPart] = []
    as_written: float = 0.0  # in that: the most that the parts of a word as C++ could have added
    synonym_of: str = ""  # what was typed, if the document has a synonym of it instead
    factor: float = 1.0  # what a synonym weighs of that


class BoostPart(msgspec.Struct, frozen=True):
    """What a setting of the owner contributed to a score."""

    what: Literal["formula", "word"]
    name: str  # the text of the formula, or the word
    score: float  # its part of the sum
    values: dict[str, float] = {}  # that the formula computed with


class Explanation(msgspec.Struct, frozen=True):
    """Why a document has its score: the parts sum to it."""

    profile: str
    score: float
    terms: list[TermPart]
    rank: float = 0.0  # PageRank, 0 to 1
    rank_score: float = 0.0  # its part of the sum
    similar: int = 0  # pages that are not shown because this one is
    boosts: list[BoostPart] = []  # parts of the sum that the settings of the collection add
    pinned: bool = False  # whether it is where it is by the owner's choice, not by its score


class Hit(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One result."""

    rank: int  # 1 is the first of all pages
    id: str  # of the document, for /documents/{id}
    url: str
    title: str
    snippet: str  # HTML-free text
    highlights: list[Highlight] = []  # the same snippet, in pieces
    score: float
    date: str = ""  # ISO 8601: when it was published or else changed; "" if nothing says so
    date_source: str = ""  # meta, json-ld, time, file (all in the page), sitemap or last-modified
    fetched: str = ""  # ISO 8601: when we read it
    language: str = ""
    kind: str = ""  # as pdf, entry, image, audio or video; "" is a page or an item
    page: int = 0  # of a PDF file, that the snippet is on; 0 elsewhere
    similar: int = 0  # pages nearly the same, of lower rank, that it stands for
    values: dict[str, Value] = {}  # those that were asked for, if the document has them
    pinned: bool = False  # by the owner of the collection, for this query
    picture: bool = False  # whether /documents/{id}/picture has the one that its values name
    named: bool = False  # whether the query, as a whole, is a name of it
    filled: bool = False  # whether it fills up a boolean answer: it has some of the query's words
    explain: Explanation | None = None

    @property
    def link(self) -> str:
        """Where a person goes on: the page of a file that the snippet is on."""
        return f"{self.url}#page={self.page}" if self.page > 1 else self.url


class FacetValue(msgspec.Struct, frozen=True):
    """A value of a column, and how many of the documents that match have it."""

    value: str
    count: int


class CorrectedWord(msgspec.Struct, frozen=True):
    """A word of the query that is likely misspelt, and the word of the collection it may be."""

    typed: str
    corrected: str
    start: int  # where it begins in the query as typed
    documents: int  # how many have the corrected word, as it is written
    edits: int  # letters to add, remove, replace or swap; another first letter counts twice


class Correction(msgspec.Struct, frozen=True):
    """Another spelling of the query.

    If it was applied, the results are those of the corrected query; else it is a suggestion.
    """

    typed: str  # the query as typed
    corrected: str
    applied: bool
    words: list[CorrectedWord]  # what became what; all other words are as typed


class Answer(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A small answer that stands above the results: it was computed, or is one of the documents."""

    kind: Literal["arithmetic", "units", "card"]
    asked: str  # as typed: 2^10, 10 km
    text: str  # 1024, 6.21371192 miles; of a card, what the document says
    id: str = ""  # of a card: its document
    url: str = ""
    title: str = ""
    values: dict[str, Value] = {}  # all that the document has


class SearchResponse(msgspec.Struct, kw_only=True):
    """A page of results.

    `total` counts all documents that match, whether they are shown or not; `similar` counts those
    that were met up to this page and are not shown, because one that is nearly the same is.
    """

    query: str
    mode: str  # "ranked" or "boolean"
    total: int
    total_is_exact: bool
    page: int  # from 1
    limit: int
    took_ms: float
    hits: list[Hit]
    similar: int = 0
    facets: dict[str, list[FacetValue]] = {}  # the most frequent values of the columns asked for
    correction: Correction | None = None  # another spelling, applied or suggested
    # What of the query was understood otherwise than it may have been meant, and what is missing.
    notes: list[str] = []
    partial: bool = (
        False  # whether the time was over before all was done; `notes` say what is missing
    )
    answer: Answer | None = None  # of a query that clearly asks for one
    logged: bool = False  # whether queries and clicks are counted, for POST /clicks
    # Of `total`: ranked results that fill up a boolean answer with fewer than ten. They come last.
    filled: int = 0

    @property
    def left(self) -> int:
        """How many results come after this page; some of them may be similar to each other."""
        return max(0, self.total - self.similar - self.page * self.limit)


class Suggestion(msgspec.Struct, frozen=True):
    """A completion of what was typed."""

    text: str
    kind: str  # title, name, heading, phrase, or the field that it is a value of
    url: str = ""  # the page that is called so; "" if it is no page's


class SuggestResponse(msgspec.Struct, kw_only=True):
    """Completions of what was typed, the best first."""

    query: str
    suggestions: list[Suggestion]
    took_ms: float
    partial: bool = False  # whether a part of the index was not looked at


class LinkView(msgspec.Struct, frozen=True):
    """The other end of a link, and the link's words."""

    url: str
    anchor: str


class InLinksView(msgspec.Struct, frozen=True):
    """Who links to a document: how many pages, and the best-ranked of them."""

    total: int = 0
    links: list[LinkView] = []


class DocumentView(msgspec.Struct, kw_only=True):
    """A document as the API shows it, with the links of its page."""

    id: str
    page: str  # the id of its page: equal for all documents of the page
    url: str  # of the page
    title: str
    description: str
    language: str
    published_at: str
    fetched_at: str
    headings: list[str]
    text: str
    kind: str = "page"
    template: str = ""
    values: dict[str, Value] = {}
    date: str = ""  # when it was published or else changed; "" if nothing says so
    date_source: str = ""  # meta, json-ld, time (all in the page), sitemap or last-modified
    inlinks: InLinksView = InLinksView()
    outlinks: list[LinkView] = []  # the first of them


class TemplateStats(msgspec.Struct, frozen=True):
    """What a template finds on its newest pages, and what it finds less of than before."""

    template: str
    pages: int  # the newest ones
    items: float  # records of a page
    reasons: dict[str, int]  # how many of them have nothing, or too little
    alarms: list[str]  # in sentences


class CollectionStats(msgspec.Struct, kw_only=True):
    """How large a collection is, and how its crawl stands."""

    collection: str
    documents: int
    urls: int
    by_state: dict[str, int]
    hosts: int
    bytes: int
    index_bytes: int
    crawl_state: str  # running, paused, interrupted (killed), stopped, finished or none
    crawl_reason: str = ""  # a sentence: why a job that is paused or has ended stands so
    crawl_seconds: float
    crawl_pages: int
    crawl_waiting: int
    facets: list[str] = []  # whose values are counted for `facets=*`
    sorts: list[str] = []  # what results can be sorted by, besides relevance
    templates: list[TemplateStats] = []  # what each finds, and whether that is less than before
