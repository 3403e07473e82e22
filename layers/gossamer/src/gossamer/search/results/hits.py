"""Write what was found as people see it: a title, a snippet, on request the reasons."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.core.ids import DocumentId, page_of
from gossamer.core.index.schema import PAGE
from gossamer.core.page.files.page_breaks import KIND as PDF
from gossamer.core.page.files.page_breaks import page_in
from gossamer.core.search.plan import Kind
from gossamer.core.search.result import DocumentView, FacetValue, Hit
from gossamer.core.search.snippet import NOTHING, snippet
from gossamer.search.asked_terms import had_by
from gossamer.search.budget import NOT_SHOWN
from gossamer.search.results.explain import Explainer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.page.values import Value
    from gossamer.core.search.plan import Wanted
    from gossamer.core.search.result import Explanation, Highlight
    from gossamer.ports.documents import DocumentStore
    from gossamer.search.lookup import Lookup
    from gossamer.search.ranking import Found

MAX_NAMES = 50  # headings that may stand before the prose, as a table of contents


class Page(NamedTuple):
    """Some results, and what is known of all."""

    total: int  # how many match, or at least how many
    is_exact: bool
    similar: int  # that are not shown
    hits: list[Hit]
    facets: dict[str, list[FacetValue]]
    counts: Mapping[str, int] = {}  # of documents that have each term of the query
    filled: int = 0  # of `total`: ranked results that fill up a boolean answer


class HitWriter:
    """Writes results."""

    def __init__(
        self, documents: DocumentStore, analyzer: Analyzer, settings: CollectionSettings
    ) -> None:
        self._documents, self._analyzer = documents, analyzer
        self._explainer = Explainer(analyzer, settings.schema)

    def write(
        self, lookup: Lookup, found: Sequence[Found], documents: Sequence[Stored]
    ) -> list[Hit]:
        """Results, not numbered yet."""
        wanted = had_by([each[:2] for each in found], lookup.asking.plan.wanted, lookup.terms)
        each = zip(found, documents, wanted, strict=True)
        return [self._hit(lookup, at, document, wants) for at, document, wants in each]

    def _hit(self, lookup: Lookup, at: Found, document: Stored, wanted: Wanted) -> Hit:
        has_snippets = lookup.asking.has_snippets
        is_late = lookup.budget.leaves_out(NOT_SHOWN)
        explained = lookup.asking.explain and not is_late
        pieces = self._snippet(document, NOTHING if is_late else wanted) if has_snippets else []
        return Hit(
            rank=0,
            id=document.id.hex(),
            url=document.url,
            title=document.title or document.url,
            snippet="".join([piece.text for piece in pieces]),
            highlights=pieces,
            score=round(at.score, 6),
            date=document.date or document.published_at,  # of segments that have no dates yet
            date_source=document.date_source,
            fetched=_iso(document.fetched_at),
            language=document.language,
            kind=document.kind,
            page=page_in(document.text, pieces) if document.kind == PDF else 0,
            pinned=lookup.is_pinned(at),
            # Of what may become the answer all values are there; others are left out later.
            values=dict(document.values)
            if (named := _is_named(lookup, at))
            else _chosen(document.values, lookup.asking.fields),
            named=named,
            explain=self._explain(lookup, at, document) if explained else None,
        )

    def _snippet(self, document: Stored, wanted: Wanted) -> list[Highlight]:
        """Return the part of a document's text that has most of the query's words."""
        names = (document.title, *document.headings[:MAX_NAMES])
        text = document.text or document.description
        analyzer = self._analyzer.of_language(document.language)
        return snippet(text, analyzer, wanted, names=names)

    def _explain(self, lookup: Lookup, at: Found, document: Stored) -> Explanation | None:
        versions = self._documents.read([DocumentId(document.id)], newest=False)
        if not versions:
            return None
        level = float(lookup.snapshot.parts[at.part].levels[at.document]) / 255
        profile, boosts = lookup.asking.profile, lookup.explained_boosts(at)
        found = self._explainer.explain(versions[0], at, lookup.terms, profile, level, boosts)
        return msgspec.structs.replace(found, pinned=lookup.is_pinned(at))


def number(hit: Hit, rank: int, similar: int) -> Hit:
    """A result in its place, with how many similar ones it stands for."""
    hit.rank, hit.similar = rank, similar
    if hit.explain is not None:
        hit.explain = msgspec.structs.replace(hit.explain, similar=similar)
    return hit


def behind(exact: Page, others: Page, first: int, last: int) -> Page:
    """Results from the one behind `first` to `last`: all exact ones, then others that are new."""
    known = {hit.id for hit in exact.hits}
    hits = [*exact.hits, *(hit for hit in others.hits if hit.id not in known)][first:last]
    for rank, hit in enumerate(hits, first + 1):
        hit.rank = rank
    total = max(others.total, exact.total)
    return others._replace(total=total, is_exact=False, hits=hits)


def fill_up(exact: Page, others: Sequence[Hit], first: int, last: int, most: int) -> Page:
    """Return a page of a boolean answer with few results, behind which others come.

    `exact` has all of its results. There are `most` in all.
    """
    known = {hit.id for hit in exact.hits}
    new = [hit for hit in others if hit.id not in known][: max(0, most - len(exact.hits))]
    for hit in new:
        hit.filled = True
    hits = [*exact.hits, *new]
    for rank, hit in enumerate(hits, 1):
        hit.rank = rank
    total = exact.total + len(new)
    return exact._replace(total=total, hits=hits[first:last], filled=len(new))


def view(id: DocumentId, stored: Stored) -> DocumentView:
    """A whole document."""
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
        date=stored.date or stored.published_at,
        date_source=stored.date_source,
    )


def _is_named(lookup: Lookup, at: Found) -> bool:
    """Whether the whole query is a name of a document, by itself or by others."""
    names = [term for term in lookup.terms if term.asked.kind is Kind.NAME]
    return any(term.impact(at.part, at.document) for term in names)


def only_chosen(hits: Sequence[Hit], names: frozenset[str]) -> None:
    """Leave the values out of results that were not asked for."""
    for hit in hits:
        hit.values = _chosen(hit.values, names)


def _chosen(values: Mapping[str, Value], names: frozenset[str]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name in names or "*" in names}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else ""
