"""SEARCH: a query becomes a page of results, each with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from gossamer.core.errors import NotStored, QueryError, TransientError
from gossamer.core.ids import DocumentId, page_of
from gossamer.core.index.schema import PAGE
from gossamer.core.index.segments.identities import as_ids
from gossamer.core.search.fields import fields_of
from gossamer.core.search.plan import Plan, plan_query
from gossamer.core.search.query import Phrase, Query, parse_query
from gossamer.core.search.result import (
    DocumentView,
    Explanation,
    FacetValue,
    Hit,
    SearchResponse,
)
from gossamer.core.search.scoring import Profile, profiles_of
from gossamer.core.search.snippet import snippet
from gossamer.search.asked_terms import AskedTerm, asked_terms, had_by
from gossamer.search.explain import Explainer
from gossamer.search.facets import facets as count_facets
from gossamer.search.grouping import MAX_RESULTS, clusters, each_alone, members, shown
from gossamer.search.ranking import by_column, rank, score_of
from gossamer.search.rounds import Rounds, fetch_documents
from gossamer.search.snapshot import Snapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.near_duplicates.collapse import Cluster
    from gossamer.core.page.values import Value
    from gossamer.core.search.fields import Order
    from gossamer.core.search.plan import Wanted
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.segments import SegmentStore
    from gossamer.search.ranking import Found, Ranked
    from gossamer.search.snapshot import Snapshot

MAX_TRIES = 5  # of a query whose files are deleted while it reads them


class Searcher:
    """Answers queries over one collection."""

    def __init__(
        self,
        index: SegmentStore,
        documents: DocumentStore,
        analyzer: Analyzer,
        settings: CollectionSettings,
        timer: Callable[[], float],
        max_age: float = 0.0,
    ) -> None:
        """`max_age`: for how many seconds a manifest that was read is used."""
        self._index = index
        self._documents = documents
        self._analyzer = analyzer
        self._explainer = Explainer(analyzer, settings.schema)
        self.profiles = profiles_of(settings)
        self._default_profile = settings.profile
        self._fields = fields_of(settings.schema)
        self._timer = timer
        self._snapshots = Snapshots(index, max_age, timer)

    def snapshot(self) -> Snapshot:
        """The index as it is now."""
        return self._snapshots.latest()

    def search(
        self,
        query: str,
        *,
        page: int = 1,
        limit: int = 10,
        explain: bool = False,
        profile: str = "",
        similar: str = "one",
        exact_total: bool = False,
        facets: Sequence[str] = (),
        sort: str = "",
        fields: Sequence[str] = (),
    ) -> SearchResponse:
        """A page of results; of similar pages one or, on request, "all" are shown.

        `facets` are columns whose values are counted; `sort` is a column to sort by instead of the
        score, with "-" before it from the highest down; `fields` are values that results show.
        """
        began, known = self._timer(), self._fields
        plan = plan_query(parse_query(query, known.types), self._analyzer, known)
        asking = _Asking(
            plan,
            self._profile(profile),
            explain,
            similar == "all",
            exact_total,
            known.facets_named(facets),
            known.order(sort),
            frozenset(fields),
        )
        first, last = (page - 1) * limit, min(page * limit, MAX_RESULTS)
        ranked, hidden, hits, found = self._stable(lambda now: self._page(asking, now, first, last))
        return SearchResponse(
            query=query,
            mode=plan.mode,
            total=ranked.total,
            total_is_exact=ranked.is_exact,
            page=page,
            limit=limit,
            took_ms=round(1000 * (self._timer() - began), 3),
            hits=hits,
            similar=hidden,
            facets=found,
        )

    def _profile(self, name: str) -> Profile:
        chosen = self.profiles.get(name or self._default_profile)
        if chosen is None:
            raise QueryError(f"unknown profile {name!r}; known: {', '.join(self.profiles)}", 0)
        return chosen

    def _stable(self, read: Callable[[Snapshot], _Page]) -> _Page:
        """Read from one snapshot; from the next one, if its files are deleted meanwhile."""
        for _ in range(MAX_TRIES):
            try:
                return read(self.snapshot())
            except NotStored:
                self._snapshots.forget()
        raise TransientError("the index changes faster than it can be read")

    def _page(self, asking: _Asking, snapshot: Snapshot, first: int, last: int) -> _Page:
        if self._index.is_far:  # else what is needed is read when it is
            Rounds(self._index.heads, self._snapshots.read).fetch(asking.plan, snapshot)
        terms = asked_terms(asking.plan, snapshot, asking.profile)

        def best(count: int) -> Ranked:
            ranked = rank(
                asking.plan, terms, snapshot, asking.profile, count, all_of_them=asking.needs_all
            )
            if asking.order is None:
                return ranked
            score = partial(score_of, terms, snapshot, asking.profile)
            return by_column(ranked, snapshot, asking.order, count, score)

        if asking.every:
            ranked, found = each_alone(best, last)
        else:
            ranked, found = clusters(best, snapshot, last)
        page = _Shown(asking, terms, snapshot, ranked.best)
        hits = self._hits(page, found[first:last], first)
        counted = count_facets(asking.facets, snapshot, ranked.matching)
        return ranked, sum(len(cluster.others) for cluster in found), hits, counted

    def ranking(self, text: str, count: int, profile: str = "") -> list[str]:
        """The URLs of the best answers to plain words, whatever signs stand between them."""
        snapshot, chosen = self.snapshot(), self._profile(profile)
        plan = plan_query(Query(Phrase(text), "ranked", text), self._analyzer)
        terms = asked_terms(plan, snapshot, chosen)
        ranked = rank(plan, terms, snapshot, chosen, count)
        return [snapshot.parts[each.part].url(each.document) for each in ranked.best]

    def _hits(self, page: _Shown, found: list[Cluster], first: int) -> list[Hit]:
        documents = self._stored(page, members(found))
        places = [shown(cluster, documents) for cluster in found]
        wanted = had_by([page.best[p][:2] for p in places], page.asking.plan.wanted, page.terms)
        return [
            self._hit(page, cluster, (page.best[place], documents[place], wants), number)
            for number, (cluster, place, wants) in enumerate(
                zip(found, places, wanted, strict=True), first + 1
            )
        ]

    def _stored(self, page: _Shown, places: Sequence[int]) -> dict[int, Stored]:
        """What is stored of some results, by their places."""
        found = [page.best[place] for place in places]
        wanted = [(page.snapshot.parts[each.part].view, each.document) for each in found]
        return dict(zip(places, fetch_documents(wanted, self._snapshots.read), strict=True))

    def _hit(
        self, page: _Shown, cluster: Cluster, what: tuple[Found, Stored, Wanted], number: int
    ) -> Hit:
        at, document, wanted = what
        pieces = snippet(document.text or document.description, self._analyzer, wanted)
        return Hit(
            rank=number,
            id=document.id.hex(),
            url=document.url,
            title=document.title or document.url,
            snippet="".join([piece.text for piece in pieces]),
            highlights=pieces,
            score=round(at.score, 6),
            date=document.published_at or _iso(document.fetched_at),
            language=document.language,
            similar=len(cluster.others),
            values=_chosen(document.values, page.asking.fields),
            explain=self._explain(page, at, document, cluster) if page.asking.explain else None,
        )

    def _explain(
        self, page: _Shown, at: Found, document: Stored, cluster: Cluster
    ) -> Explanation | None:
        versions = self._documents.read([DocumentId(document.id)], newest=False)
        if not versions:
            return None
        level = float(page.snapshot.parts[at.part].levels[at.document]) / 255
        return self._explainer.explain(
            versions[0], at, page.terms, page.asking.profile, level, len(cluster.others)
        )

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""
        for part in self.snapshot().parts:
            number = int(part.view.segment.identities.find(as_ids([id]))[0])
            if number >= 0 and part.live[number]:
                [stored] = fetch_documents([(part.view, number)], self._snapshots.read)
                return _view(id, stored)
        return None


_Page: TypeAlias = "tuple[Ranked, int, list[Hit], dict[str, list[FacetValue]]]"


@dataclass(frozen=True, slots=True)
class _Asking:
    """A query and how it is to be answered."""

    plan: Plan
    profile: Profile
    explain: bool
    every: bool  # similar pages too
    exact_total: bool
    facets: Mapping[str, str]
    order: Order | None = None
    fields: frozenset[str] = frozenset()  # values that are shown

    @property
    def needs_all(self) -> bool:
        """Whether all that match must be known, not just the best."""
        return self.exact_total or bool(self.facets) or self.order is not None


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a page of results is made of."""

    asking: _Asking
    terms: list[AskedTerm]
    snapshot: Snapshot
    best: Sequence[Found]


def _chosen(values: Mapping[str, Value], names: frozenset[str]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name in names or "*" in names}


def _view(id: DocumentId, stored: Stored) -> DocumentView:
    return DocumentView(
        id=id.hex(),
        page=page_of(id).hex(),
        url=stored.url,
        title=stored.title,
        description=stored.description,
        language=stored.language,
        published_at=stored.published_at,
        fetched_at=_iso(stored.fetched_at),
        headings=list(stored.headings),
        text=stored.text,
        kind=stored.kind or PAGE,
        template=stored.template,
        values=stored.values,
    )


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else ""
