"""A search service in memory: what the API and the page are tested against."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gossamer.core.collection import IndexSchema
from gossamer.core.errors import QueryError
from gossamer.core.ids import document_id
from gossamer.core.index.declared import Column
from gossamer.core.index.schema import day_of
from gossamer.core.search.fields import fields_of
from gossamer.core.search.query import And, Field, Not, Or, Phrase, Prefix, Span, Word, parse_filter
from gossamer.core.search.result import (
    BoostPart,
    CollectionStats,
    Correction,
    DocumentView,
    Explanation,
    FacetValue,
    FieldPart,
    Highlight,
    Hit,
    InLinksView,
    LinkView,
    SearchResponse,
    Suggestion,
    SuggestResponse,
    TermPart,
)
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.views.stored_copy import PageCopy, Versions
from gossamer.entrypoints.api.views.stored_pictures import Picture
from gossamer.entrypoints.cli.explain_url import Biography
from gossamer.ports.pages import StoredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.page.values import Value
    from gossamer.core.search.query import Node
    from gossamer.entrypoints.api.backend import SearchService

BRAND = Column(type="keyword", facet=True, sort=True)
# Without what pages declare of themselves: tests are about this one column.
FIELDS = fields_of(IndexSchema(columns={"brand": BRAND}, structured=False))
WORD = re.compile(r"\w+")
# One green dot.
PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=="
)
TITLE_WEIGHT = 0.3


@dataclass
class Served:
    """The API over a search service that tests can replace."""

    service: SearchService = field(default_factory=lambda: FakeSearch())

    def app(self, make: Callable[[Backend], Any] = make_app) -> Any:
        return make(Backend(lambda: self.service))


@dataclass(frozen=True)
class FakePage:
    url: str
    title: str
    text: str
    date: str = "2026-03-14T09:26:53Z"
    language: str = "en"
    date_source: str = "meta"
    kind: str = "page"
    brand: str = ""  # a declared column
    pinned: bool = False
    boosts: tuple[BoostPart, ...] = ()  # what its owner's settings add to its score
    picture: bool = False  # whether one of it is stored
    values: dict[str, Value] = field(default_factory=dict)  # others that its document has


THREADS = [
    FakePage(
        "https://silk.test/spiders/orb-web.html",
        "The orb web, from hub to frame",
        "An orb weaver first drops a bridge line, then stretches the frame and the radii. The"
        " sticky spiral of silk comes last, laid from the rim towards the hub, and each thread is"
        " tested with a foot before the spider moves on.",
    ),
    FakePage(
        "https://silk.test/fibres/silk-moth.html",
        "Silk moth",
        "A cocoon of the silk moth is one unbroken thread, up to nine hundred metres long. Reeling"
        " it takes hot water, patience and a fine sense for the end of the silk.",
        date="2025-11-02",
        date_source="last-modified",
    ),
    FakePage(
        "https://silk.test/spiders/ballooning.html",
        "Ballooning: how spiders fly",
        "On a calm morning a small spider climbs a stalk, lifts its abdomen and lets out a thread"
        " of gossamer silk until the air takes it. Some have been caught four kilometres up.",
    ),
    FakePage(
        "https://wires.test/wires/atlantic-cable.html?edition=1866&chapter=the%20landing",
        "The Atlantic cable",
        "Two thousand miles of copper thread in gutta-percha, lost twice and raised once from the"
        " bed of the sea. The first message took sixteen hours.",
        date="",
    ),
    FakePage(
        "https://looms.test/weaving/jacquard.html",
        "Jacquard and the punched card",
        "Each card lifts a row of warp threads; a chain of cards weaves a portrait in silk. The"
        " loom reads, and what it reads is a program.",
    ),
]

HOSTILE = FakePage(
    "javascript:alert(document.domain)//evil.test/<img src=x onerror=alert(1)>",
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked=2'>\u202egnorw",
    'silk "><svg onload=window.hacked=3> <a href="javascript:window.hacked=4">click</a>'
    " </p><style>body{display:none}</style>",
    date='"><script>window.hacked=5</script>',
    language='"><script>',
)


def many(number: int) -> list[FakePage]:
    """Pages enough to turn them."""
    return [
        FakePage(
            f"https://thread.test/notes/{index:04}",
            f"Note {index} on thread",
            f"This is the note number {index}. It is about thread, and about how one thread leads"
            " to the next.",
        )
        for index in range(number)
    ]


def fake_id(number: int) -> str:
    """The id of a page of `FakeSearch`, as a result has it."""
    pages = FakeSearch().pages
    return document_id(url_id(pages[number].url)).hex() if number < len(pages) else f"{number:032x}"


@dataclass
class FakeSearch:
    """Any word matches; quotes must close and parentheses must balance."""

    pages: list[FakePage] = field(default_factory=lambda: [*THREADS, *many(60)])
    crawl_state: str = "finished"
    crawl_pages: int = 65
    crawl_waiting: int = 0
    parsed: int | None = None  # URLs in that state; None: as many as there are pages
    counts_all: bool = True  # else the total is exact on request only
    filters: list[tuple[str, ...]] = field(default_factory=list)  # of each query
    strict: list[bool] = field(default_factory=list)  # of each query
    filled: int = 0  # of the results of each query, those that fill up an answer
    asked: list[str] = field(default_factory=list)  # without those that count facets
    clicks: list[str] = field(default_factory=list)  # queries whose results were opened
    logs: bool = False  # whether clicks are counted
    typed: list[str] = field(default_factory=list)  # what completions were asked for
    stopped: str = ""  # the note of an answer that is partial
    copied: bytes = b""  # the page that every document was read from
    correction: Correction | None = None
    earlier: dict[int, PageCopy] = field(default_factory=dict)  # versions of every page

    def search(
        self,
        query: str,
        *,
        page: int = 1,
        limit: int = 10,
        explain: bool = False,
        profile: str = "",
        similar: str = "one",
        like: str = "",
        exact_total: bool = False,
        filters: Sequence[str] = (),
        facets: Sequence[str] = (),
        sort: str = "",
        fields: Sequence[str] = (),
        correct: bool = True,
        strict: bool = False,
        fill: bool = True,
        snippets: bool = True,
        spellings: dict[str, list[tuple[str, int]]] | None = None,
        today: int = 0,
    ) -> SearchResponse:
        if not facets:
            self.asked.append(query)
        self.strict.append(strict)
        self.filters.append(tuple(filters))
        _check(query)
        words = WORD.findall(query.lower())
        scored = [(self._explanation(words, each, profile), each) for each in self.pages]
        found = [pair[1] for pair in scored if pair[0].terms]
        nodes = [parse_filter(text, FIELDS.types) for text in filters]
        scored = [pair for pair in scored if pair[0].terms and _passes(pair[1], nodes)]
        scored.sort(key=lambda pair: -pair[0].score)
        order = FIELDS.order(sort)
        if order is not None:
            by = "brand" if order.column.startswith("brand") else "date"
            scored.sort(key=lambda pair: getattr(pair[1], by), reverse=order.descending)
        start = (page - 1) * limit
        hits = [
            self._hit(
                start + index + 1, each, words, why if explain else None, why.score, bool(fields)
            )
            for index, (why, each) in enumerate(scored[start : start + limit])
        ]
        for hit in hits[max(0, len(hits) - self.filled) :] if fill and not strict else ():
            hit.filled = True
        return SearchResponse(
            query=query,
            mode="boolean" if '"' in query else "ranked",
            total=len(scored),
            total_is_exact=self.counts_all or exact_total,
            page=page,
            limit=limit,
            took_ms=1.25,
            hits=hits,
            facets={name: _counted(name, found, nodes) for name in FIELDS.facets_named(facets)},
            notes=[self.stopped] if self.stopped else [],
            partial=bool(self.stopped),
            logged=self.logs,
            correction=self.correction if correct else None,
            filled=min(self.filled, len(hits)) if fill and not strict else 0,
        )

    def suggest(self, typed: str, limit: int) -> SuggestResponse:
        self.typed.append(typed)
        wanted = typed.lower().strip()
        found = [
            Suggestion(page.title, "title", page.url)
            for page in self.pages
            if f" {wanted}" in f" {page.title.lower()}"
        ]
        return SuggestResponse(query=typed, suggestions=found[:limit], took_ms=0.5)

    def clicked(self, query: str) -> bool:
        self.clicks.append(query)
        return self.logs

    def document(self, id: DocumentId) -> DocumentView | None:
        page = next((page for page in self.pages if document_id(url_id(page.url)) == id), None)
        if page is None:
            return None
        return DocumentView(
            id=id.hex(),
            page=id.hex(),
            url=page.url,
            title=page.title,
            description="",
            language=page.language,
            published_at=page.date,
            fetched_at="2026-08-21T10:00:00Z",
            headings=[page.title],
            text=page.text,
            inlinks=InLinksView(
                len(self.pages) - 1,
                [LinkView(other.url, other.title) for other in self.pages if other is not page],
            ),
            outlinks=[LinkView(other.url, other.title) for other in self.pages],
        )

    def copy(self, id: DocumentId, at: int = 0) -> PageCopy | None:
        if at:
            return self.earlier.get(at)
        page = next((page for page in self.pages if document_id(url_id(page.url)) == id), None)
        if page is None:
            return None
        body = f"<title>{page.title}</title><h1>{page.title}</h1><p>{page.text}</p>".encode()
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        kept = StoredPage(url=page.url, code=200, headers=headers, body=self.copied or body)
        return PageCopy(kept, "2026-08-21T10:00:00Z")

    def picture(self, id: DocumentId) -> Picture | None:
        shown = (page for page in self.pages if document_id(url_id(page.url)) == id)
        page = next(shown, None)
        return Picture(PNG, "image/png") if page is not None and page.picture else None

    def versions(self, id: DocumentId) -> Versions:
        return Versions(tuple(self.earlier))

    def explain(self, url: str) -> Biography:
        return Biography(url=url, state="unknown", explanation="no page links to it")

    def collections(self) -> list[str]:
        return ["other", "web"]

    def stats(self) -> CollectionStats:
        return CollectionStats(
            collection="web",
            documents=len(self.pages),
            urls=len(self.pages) + self.crawl_waiting,
            by_state={
                "parsed": len(self.pages) if self.parsed is None else self.parsed,
                "discovered": self.crawl_waiting,
            },
            hosts=4,
            bytes=1_843_200,
            index_bytes=311_296,
            crawl_state=self.crawl_state,
            crawl_seconds=83.0,
            crawl_pages=self.crawl_pages,
            crawl_waiting=self.crawl_waiting,
            facets=FIELDS.shown_facets,
            sorts=list(FIELDS.sorts),
        )

    def _explanation(self, words: list[str], page: FakePage, profile: str) -> Explanation:
        terms = [part for word in dict.fromkeys(words) if (part := self._term(word, page))]
        rank = 1 / (1 + self.pages.index(page))
        rank_score, added = 0.1 * rank, [part.score for part in page.boosts]
        return Explanation(
            profile=profile or "bm25",
            score=sum([*[part.score for part in terms], *added, rank_score]),
            terms=terms,
            rank=rank,
            rank_score=rank_score,
            boosts=list(page.boosts),
        )

    def _term(self, word: str, page: FakePage) -> TermPart | None:
        in_title, in_text = _count(word, page.title), _count(word, page.text)
        if not in_title + in_text:
            return None
        df = sum(1 for each in self.pages if _count(word, each.title + " " + each.text))
        idf = math.log(1 + (len(self.pages) - df + 0.5) / (df + 0.5))
        parts = [
            FieldPart(name, frequency, weight)
            for name, frequency, weight in (
                ("title", in_title, TITLE_WEIGHT * in_title),
                ("body", in_text, 0.1 * in_text),
            )
            if frequency
        ]
        total = sum(part.weight for part in parts)
        weight = total / (total + 0.5)
        return TermPart(word, df, idf, weight, idf * weight, parts)

    def _hit(
        self,
        rank: int,
        page: FakePage,
        words: list[str],
        why: Explanation | None,
        score: float,
        with_values: bool,
    ) -> Hit:
        own: dict[str, Value] = {"brand": page.brand} if page.brand else {}
        return Hit(
            values=own | page.values if with_values else {},
            rank=rank,
            id=document_id(url_id(page.url)).hex(),
            url=page.url,
            title=page.title,
            snippet=page.text,
            highlights=_highlights(page.text, set(words)),
            score=score,
            date=page.date,
            date_source=page.date_source,
            fetched="2026-08-21T10:00:00Z",
            language=page.language,
            explain=why,
            pinned=page.pinned,
            picture=page.picture,
            kind="" if page.kind == "page" else page.kind,
        )


def _passes(page: FakePage, nodes: Sequence[Node], but: str = "") -> bool:
    """Whether a page meets all conditions, of which those on one field may be left out."""
    return all(_meets(page, node) for node in nodes if not but or _names(node) != {but})


def _names(node: Node) -> set[str]:
    match node:
        case Field(name):
            return {name}
        case Not(part):
            return _names(part)
        case And(parts) | Or(parts):
            return set().union(*map(_names, parts))
    return set()


def _meets(page: FakePage, node: Node, field: str = "") -> bool:
    match node:
        case Field(name, inner):
            return _meets(page, inner, name)
        case Not(part):
            return not _meets(page, part, field)
        case And(parts):
            return all(_meets(page, part, field) for part in parts)
        case Or(parts):
            return any(_meets(page, part, field) for part in parts)
        case Span(low, high):
            return bool(page.date) and low <= (day_of(page.date) or 0) <= high
        case Word(text) | Phrase(text) | Prefix(text):
            return _value(page, field) == text
    return True


def _value(page: FakePage, field: str) -> str:
    values = {"lang": page.language, "kind": page.kind, "brand": page.brand, "year": page.date[:4]}
    return values.get(field, urlsplit(page.url).netloc)


def _counted(facet: str, pages: Sequence[FakePage], nodes: Sequence[Node]) -> list[FacetValue]:
    """Exact counts, which filters on the same field do not narrow."""
    field = {"site": "host", "year": "date"}.get(facet, facet)
    values = [_value(page, facet) for page in pages if _passes(page, nodes, field)]
    most = Counter(filter(None, values)).most_common()
    return [FacetValue(v, n) for v, n in sorted(most, key=lambda pair: (-pair[1], pair[0]))]


def _count(word: str, text: str) -> int:
    return WORD.findall(text.lower()).count(word)


def _highlights(text: str, words: set[str]) -> list[Highlight]:
    pieces = ((piece, piece.lower() in words) for piece in re.split(r"(\w+)", text))
    runs = ((hit, "".join(text for text, _ in run)) for hit, run in groupby(pieces, itemgetter(1)))
    return [Highlight(text, hit) for hit, text in runs if text]


def _check(query: str) -> None:
    if query.count('"') % 2:
        raise QueryError("this quote is never closed", query.rindex('"'))
    depth = 0
    for position, character in enumerate(query):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            raise QueryError("nothing opened this parenthesis", position)
    if depth:
        raise QueryError("a parenthesis is never closed", query.rindex("("))
    if query.rstrip().endswith(("&", "|")):
        raise QueryError("an operator needs something on its right", len(query))
