"""SEARCH: a query becomes a page of results, each with its reasons."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.errors import QueryError, TransientError
from gossamer.core.index.anchors import whole_name
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.search.query import (
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Word,
    parse_query,
)
from gossamer.core.search.result import DocumentView, Hit, SearchResponse
from gossamer.core.search.scoring import (
    DEFAULT_PROFILE,
    PROFILES,
    Profile,
    accumulate,
    best,
    idf,
    term_scale,
)
from gossamer.core.search.snippet import Wanted, snippet
from gossamer.search.boolean import Evaluator
from gossamer.search.explain import Explainer
from gossamer.search.grouping import MAX_RESULTS, Gatherer, candidates, each_alone, shown
from gossamer.search.query_terms import Part
from gossamer.search.snapshot import Snapshot, TermList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.impacts import Weights
    from gossamer.core.near_duplicates.collapse import Cluster
    from gossamer.ports.documents import DocumentStore, Version
    from gossamer.ports.index import IndexStore, Ordinal
    from gossamer.search.snapshot import Ints

    Page = tuple[int, int, list[Hit]]  # how many there are, or are hidden; and some of them

MAX_READ = 500  # documents remembered
MAX_TRIES = 10  # of a query that is overtaken by changes of the index


class Searcher:
    """Answers queries over one collection."""

    def __init__(
        self,
        index: IndexStore,
        documents: DocumentStore,
        analyzer: Analyzer,
        weights: Weights,
        timer: Callable[[], float],
    ) -> None:
        self._index = index
        self._documents = documents
        self._analyzer = analyzer
        self._explainer = Explainer(analyzer, weights)
        self._timer = timer
        self._snapshot: Snapshot | None = None
        self._gatherer = Gatherer(index)
        self._pages: dict[int, Ordinal] | None = None
        self._read: dict[bytes, Version] = {}

    def snapshot(self) -> Snapshot:
        """The index as it is now; the same object while nothing changes."""
        version = self._index.manifest().version
        if self._snapshot is None or self._snapshot.manifest.version != version:
            self._snapshot = Snapshot(self._index)
            self._gatherer = Gatherer(self._index)
            self._pages = None
            self._read.clear()
        return self._snapshot

    def search(
        self,
        query: str,
        *,
        page: int = 1,
        limit: int = 10,
        explain: bool = False,
        profile: str = "",
        similar: str = "one",
    ) -> SearchResponse:
        """A page of results; of similar pages one or, on request, "all" are shown."""
        began = self._timer()
        chosen = _profile(profile)
        parsed = parse_query(query)
        first, last = (page - 1) * limit, min(page * limit, MAX_RESULTS)
        every = similar == "all"
        total, hidden, hits = self._unchanged(
            lambda snapshot: self._page(parsed, snapshot, chosen, first, last, explain, every)
        )
        return SearchResponse(
            query=query,
            mode=parsed.mode,
            total=total,
            total_is_exact=True,
            page=page,
            limit=limit,
            took_ms=round(1000 * (self._timer() - began), 3),
            hits=hits,
            similar=hidden,
        )

    def _unchanged(self, read: Callable[[Snapshot], Page]) -> Page:
        """What is read while nothing changes: a compaction drops what it has replaced."""
        for _ in range(MAX_TRIES):
            snapshot = self.snapshot()
            found = read(snapshot)
            if self._index.manifest().version == snapshot.manifest.version:
                return found
        raise TransientError("the index changes faster than it can be read")

    def _page(
        self,
        query: Query,
        snapshot: Snapshot,
        profile: Profile,
        first: int,
        last: int,
        explain: bool,
        every: bool,
    ) -> Page:
        parts = self._parts(query, snapshot, profile)
        ordinals, scores = self._score(query, parts, snapshot, profile)
        gathered = each_alone if every else self._gatherer.clusters
        clusters = gathered(ordinals, scores[ordinals], last)
        page = clusters[first:last]
        hits = self._hits(page, scores, query, parts, profile, first, explain)
        return len(ordinals), sum(len(cluster.others) for cluster in clusters), hits

    def ranking(self, text: str, count: int, profile: str = "") -> list[str]:
        """The URLs of the best answers to plain words, whatever signs stand between them."""
        snapshot, chosen = self.snapshot(), _profile(profile)
        query = Query(Phrase(text), "ranked", text)
        parts = self._parts(query, snapshot, chosen)
        ordinals, scores = self._score(query, parts, snapshot, chosen)
        top = best(ordinals, scores[ordinals], count).tolist()
        pages = self._index.look_up(top)
        return [pages[ordinal].url for ordinal in top if ordinal in pages]

    def _score(
        self, query: Query, parts: list[Part], snapshot: Snapshot, profile: Profile
    ) -> tuple[Ints, np.ndarray]:
        """The documents that match, and the score of every ordinal."""
        scores = np.zeros(snapshot.capacity)
        total = sum(part.weight for part in parts)
        for part in parts:
            scale = term_scale(profile, part.weight, total)
            accumulate(scores, part.found.ordinals, part.found.impacts, scale)
        if query.mode == "ranked":
            found = np.flatnonzero(scores != 0)  # an eighth of the time that floats take
        else:
            found = Evaluator(snapshot, self._analyzer, self._live_pages).matches(query.node)
        scores[found] += profile.rank_part(snapshot.ranks[found])
        return found, scores

    def _parts(self, query: Query, snapshot: Snapshot, profile: Profile) -> list[Part]:
        """What the query asks for, each term once with how often it is asked.

        Plain words may also be the name of a page: that counts as one more word.
        """
        terms = list(self._names(query.node))
        names = Counter(terms)
        if query.mode == "ranked" and profile.named and (whole := whole_name(terms)):
            names[whole] = 1
        parts = []
        for name, times in names.items():
            found = (
                _prefix_list(name[:-1], snapshot)
                if name.endswith("*")
                else snapshot.documents(name)
            )
            weight = times * idf(found.df, snapshot.size)
            parts.append(Part(name, times, found, weight))
        return [part for part in parts if part.found.df]

    def _names(self, node: Node) -> Iterator[str]:
        """The terms that a document should have; a prefix ends with a star."""
        match node:
            case Word(text) | Phrase(text):
                words = self._analyzer.words(text)
                yield from (term for word in words if (term := self._analyzer.term(word)))
            case Prefix(text):
                words = self._analyzer.words(text)
                yield from (f"{self._analyzer.fold(word)}*" for word in words[-1:])
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._names(part)
            case Field("title", inner):
                yield from self._names(inner)
            case Not() | Field() | _:
                return

    def _live_pages(self) -> dict[int, Ordinal]:
        if self._pages is None:
            live = self.snapshot().live.tolist()
            self._pages = self._index.look_up(live)
        return self._pages

    def _hits(
        self,
        clusters: list[Cluster],
        scores: np.ndarray,
        query: Query,
        parts: list[Part],
        profile: Profile,
        first: int,
        explain: bool,
    ) -> list[Hit]:
        wanted = self._wanted(query.node)
        pages = self._gatherer.look_up([o for cluster in clusters for o in candidates(cluster)])
        self._read_all([page.id for page in pages.values()])
        hits = []
        for number, cluster in enumerate(clusters, first + 1):
            ordinal = shown(cluster, pages, self._read)
            page = pages.get(ordinal)
            version = self._read.get(page.id) if page else None
            if page is None or version is None:
                continue
            document = version.document
            text = document.text or document.description
            pieces = snippet(text, self._analyzer, _had(wanted, ordinal, parts))
            similar = len(cluster.others)
            reasons = None
            if explain:
                level = float(self.snapshot().ranks[ordinal])
                reasons = self._explainer.explain(version, ordinal, parts, profile, level, similar)
            hits.append(
                Hit(
                    rank=number,
                    id=ordinal,
                    url=page.url,
                    title=document.title or page.url,
                    snippet="".join(piece.text for piece in pieces),
                    highlights=pieces,
                    score=round(float(scores[ordinal]), 6),
                    date=document.published_at or _iso(page.fetched_at),
                    language=page.language,
                    similar=similar,
                    explain=reasons,
                )
            )
        return hits

    def _read_all(self, ids: list[bytes]) -> None:
        """Have these documents at hand; those of the latest pages of results are remembered."""
        if len(self._read) + len(ids) > MAX_READ:
            self._read.clear()
        missing = [id for id in ids if id not in self._read]
        self._read.update((v.id, v) for v in self._documents.read(missing, newest=False))

    def _wanted(self, node: Node) -> Wanted:
        """What a snippet should show: words of a phrase only where they stand together."""
        terms: set[str] = set()
        phrases: list[tuple[str, ...]] = []
        for text in _texts(node):
            found = tuple(self._analyzer.term(word) for word in self._analyzer.words(text))
            non_stop = [term for term in found if term]
            if len(non_stop) > 1:
                phrases.append(found)
            terms.update(non_stop if len(non_stop) == 1 else ())
        prefixes = (name[:-1] for name in self._names(node) if name.endswith("*"))
        return Wanted(terms=frozenset(terms), prefixes=tuple(prefixes), phrases=tuple(phrases))

    def document(self, id: int) -> DocumentView | None:
        """A live document by its ordinal."""
        page = self._index.look_up([id]).get(id)
        document = self._documents.get(page.id) if page else None
        if page is None or document is None:
            return None
        return DocumentView(
            id=id,
            url=page.url,
            title=document.title,
            description=document.description,
            language=document.language,
            published_at=document.published_at,
            fetched_at=_iso(page.fetched_at),
            headings=[text for _, text in document.headings],
            text=document.text,
        )


def _profile(name: str) -> Profile:
    chosen = PROFILES.get(name or DEFAULT_PROFILE)
    if chosen is None:
        raise QueryError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}", 0)
    return chosen


def _prefix_list(prefix: str, snapshot: Snapshot) -> TermList:
    """All words that begin alike, as if they were one term of middling weight."""
    ordinals = snapshot.prefixed(prefix)
    return TermList(ordinals, np.full(len(ordinals), MAX_IMPACT // 2, np.uint8))


def _texts(node: Node) -> Iterator[str]:
    match node:
        case Phrase(text) | Word(text):
            yield text
        case And(parts) | Or(parts):
            for part in parts:
                yield from _texts(part)
        case Field("title", inner):
            yield from _texts(inner)
        case _:
            return


def _had(wanted: Wanted, ordinal: int, parts: list[Part]) -> Wanted:
    """What of the query a document has: a snippet need not look for the rest."""
    names = {part.name for part in parts if part.find(ordinal) is not None}
    return Wanted(
        terms=wanted.terms & names,
        prefixes=tuple(prefix for prefix in wanted.prefixes if f"{prefix}*" in names),
        phrases=wanted.phrases,
    )


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else ""
