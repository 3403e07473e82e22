"""SEARCH: a query becomes a page of results, each with its reasons."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.errors import QueryError, TransientError
from gossamer.core.search.plan import Plan, plan_query
from gossamer.core.search.query import Phrase, Query, parse_query
from gossamer.core.search.result import DocumentView, Hit, SearchResponse
from gossamer.core.search.scoring import Profile, best, profiles_of
from gossamer.core.search.snippet import snippet
from gossamer.search.boolean import Evaluator
from gossamer.search.explain import Explainer
from gossamer.search.grouping import MAX_RESULTS, Gatherer, candidates, each_alone, shown
from gossamer.search.snapshot import Snapshot
from gossamer.search.weighted_terms import WeightedTerm, had_by, score, weigh

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.near_duplicates.collapse import Cluster
    from gossamer.ports.documents import DocumentStore, Version
    from gossamer.ports.index import IndexStore
    from gossamer.ports.live_documents import Ordinal
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
        settings: CollectionSettings,
        timer: Callable[[], float],
    ) -> None:
        self._index = index
        self._documents = documents
        self._analyzer = analyzer
        self._explainer = Explainer(analyzer, settings.weights)
        self.profiles = profiles_of(settings)
        self._default_profile = settings.profile
        self._timer = timer
        self._snapshot: Snapshot | None = None
        self._gatherer = Gatherer(index)
        self._pages: dict[int, Ordinal] | None = None
        self._read: dict[DocumentId, Version] = {}

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
        chosen = self._profile(profile)
        plan = plan_query(parse_query(query), self._analyzer)
        first, last = (page - 1) * limit, min(page * limit, MAX_RESULTS)
        every = similar == "all"
        total, hidden, hits = self._unchanged(
            lambda snapshot: self._page(plan, snapshot, chosen, first, last, explain, every)
        )
        return SearchResponse(
            query=query,
            mode=plan.mode,
            total=total,
            total_is_exact=True,
            page=page,
            limit=limit,
            took_ms=round(1000 * (self._timer() - began), 3),
            hits=hits,
            similar=hidden,
        )

    def _profile(self, name: str) -> Profile:
        chosen = self.profiles.get(name or self._default_profile)
        if chosen is None:
            raise QueryError(f"unknown profile {name!r}; known: {', '.join(self.profiles)}", 0)
        return chosen

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
        plan: Plan,
        snapshot: Snapshot,
        profile: Profile,
        first: int,
        last: int,
        explain: bool,
        every: bool,
    ) -> Page:
        terms = weigh(plan, snapshot, profile)
        ordinals, scores = self._score(plan, terms, snapshot, profile)
        gathered = each_alone if every else self._gatherer.clusters
        clusters = gathered(ordinals, scores[ordinals], last)
        page = clusters[first:last]
        hits = self._hits(page, scores, plan, terms, profile, first, explain)
        return len(ordinals), sum(len(cluster.others) for cluster in clusters), hits

    def ranking(self, text: str, count: int, profile: str = "") -> list[str]:
        """The URLs of the best answers to plain words, whatever signs stand between them."""
        snapshot, chosen = self.snapshot(), self._profile(profile)
        plan = plan_query(Query(Phrase(text), "ranked", text), self._analyzer)
        ordinals, scores = self._score(plan, weigh(plan, snapshot, chosen), snapshot, chosen)
        top = best(ordinals, scores[ordinals], count).tolist()
        pages = self._index.look_up(top)
        return [pages[ordinal].url for ordinal in top if ordinal in pages]

    def _score(
        self, plan: Plan, terms: list[WeightedTerm], snapshot: Snapshot, profile: Profile
    ) -> tuple[Ints, np.ndarray]:
        """The documents that match, and the score of every ordinal."""
        scores = score(terms, profile, snapshot.capacity)
        if plan.mode == "ranked":
            found = np.flatnonzero(scores != 0)  # an eighth of the time that floats take
        else:
            found = Evaluator(snapshot, self._live_pages).matches(plan.match)
        scores[found] += profile.rank_part(snapshot.ranks[found])
        return found, scores

    def _live_pages(self) -> dict[int, Ordinal]:
        if self._pages is None:
            live = self.snapshot().live.tolist()
            self._pages = self._index.look_up(live)
        return self._pages

    def _hits(
        self,
        clusters: list[Cluster],
        scores: np.ndarray,
        plan: Plan,
        terms: list[WeightedTerm],
        profile: Profile,
        first: int,
        explain: bool,
    ) -> list[Hit]:
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
            pieces = snippet(text, self._analyzer, had_by(ordinal, plan.wanted, terms))
            similar = len(cluster.others)
            reasons = None
            if explain:
                level = float(self.snapshot().ranks[ordinal])
                reasons = self._explainer.explain(version, ordinal, terms, profile, level, similar)
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

    def _read_all(self, ids: list[DocumentId]) -> None:
        """Have these documents at hand; those of the latest pages of results are remembered."""
        if len(self._read) + len(ids) > MAX_READ:
            self._read.clear()
        missing = [id for id in ids if id not in self._read]
        self._read.update((v.id, v) for v in self._documents.read(missing, newest=False))

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


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else ""
