"""A group of segments answers: what one function does of a query that several share."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.errors import NotStored, OverBudget
from gossamer.core.ids import DocumentId
from gossamer.core.search.long_queries import is_long
from gossamer.search.asked_terms import frequencies, read_lists
from gossamer.search.asking import Asker
from gossamer.search.budget import FOR_RESULTS, NOT_SHOWN, NOT_SPELLED, Budget
from gossamer.search.facets import all_counts
from gossamer.search.groups.questions import (
    Answer,
    Candidate,
    Compounds,
    CompoundWords,
    Costly,
    Count,
    Counted,
    Find,
    FoundDocument,
    Gone,
    Near,
    NearWords,
    Question,
    Rank,
    RankedRows,
    Row,
    Show,
    Shown,
    Suggest,
    Suggested,
    Together,
    Write,
    WrittenWords,
)
from gossamer.search.lookup import Lookup, count_long, fetch, find, look_up
from gossamer.search.ranking import Found, ids_of
from gossamer.search.results.hits import HitWriter
from gossamer.search.results.similar_results import cluster_values
from gossamer.search.snapshot import Snapshots
from gossamer.search.spelling.neighbours import InSnapshot
from gossamer.search.suggest.completions import OF_A_SEGMENT
from gossamer.search.suggest.suggester import Suggester

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.manifest import Manifest
    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.search.result import Hit
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.segments import SegmentStore

    _AboutWords = Near | Together | Compounds | Write
    _Words = NearWords | Counted | CompoundWords | WrittenWords

# What a group knows of words that it has no reads left to look for.
NOTHING: Final[dict[type, _Words]] = {
    Near: NearWords([]),
    Together: Counted([]),
    Compounds: CompoundWords([]),
    Write: WrittenWords([]),
}
MOST_GROUPS = 2  # whose segments a process keeps open: it may be asked for another each time


class _Opened:
    """The segments of a group, and what is remembered of them."""

    def __init__(self, index: SegmentStore) -> None:
        self.snapshots = Snapshots(index, is_part=True)
        self.suggester = Suggester(self.snapshots.read)


class Group:
    """Answers for whichever segments a question names."""

    def __init__(
        self,
        index: SegmentStore,
        documents: DocumentStore,
        analyzer: Analyzer,
        settings: CollectionSettings,
        synonyms: Sequence[str] = (),
    ) -> None:
        self._index, self._documents = index, documents
        self._asker = Asker(analyzer, settings, synonyms)
        self._writer = HitWriter(documents, analyzer, settings)
        self._opened: OrderedDict[tuple[str, ...], _Opened] = OrderedDict()

    def answer(self, question: Question) -> Answer:
        """The answer to a question; to the same one always the same, while its files are there."""
        try:
            return self._answer(question, self._open(question.manifest))
        except NotStored:
            return Gone()

    def _open(self, manifest: Manifest) -> _Opened:
        key = tuple(segment.name for segment in manifest.segments)
        found = self._opened.pop(key, None) or _Opened(self._index)
        self._opened[key] = found
        while len(self._opened) > MOST_GROUPS:
            self._opened.popitem(last=False)
        return found

    def _answer(self, question: Question, known: _Opened) -> Answer:
        opened = known.snapshots
        snapshot = opened.of(question.manifest)
        if isinstance(question, Find):
            return FoundDocument(find(DocumentId(question.id), snapshot, opened))
        budget = self._budget(question)
        if isinstance(question, Suggest):
            found = known.suggester.suggest(question.typed, OF_A_SEGMENT, snapshot, budget)
            return Suggested(found, left_out=list(budget.left_out), reads=budget.taken)
        if isinstance(question, Near | Together | Compounds | Write):
            return self._spelling(question, InSnapshot(self._index, opened, snapshot, budget))
        asking = self._asker.read(question.query, question.how)
        if isinstance(question, Count) and is_long(asking.plan):
            dfs = count_long(asking, self._index, opened, snapshot, budget)
            return Counted(dfs, left_out=list(budget.left_out), reads=budget.taken)
        if isinstance(question, Count):
            fetch(asking, self._index, opened, snapshot, budget)
            listed, _ = read_lists(asking.plan, snapshot, asking.profile, budget)
            dfs, left_out = frequencies(listed), list(budget.left_out)
            return Counted(dfs, left_out=left_out, reads=budget.taken)
        lookup = look_up(
            asking, self._index, opened, snapshot, question.whole, budget, self._documents
        )
        if isinstance(question, Rank):
            return _ranked(lookup, question.count)
        if lookup.snapshot is not snapshot:  # some lists were not read in time: show all the same
            lookup = replace(lookup, terms=[], snapshot=snapshot)
            budget.leave_out(NOT_SHOWN)
        return self._shown(lookup, [Found(*place) for place in question.places])

    def _budget(self, question: Costly) -> Budget:
        seconds, reads = (
            math.inf if most is None else most for most in (question.seconds, question.reads)
        )
        budget = Budget(seconds, time.monotonic, reads, self._reads_so_far)
        if not isinstance(question, Show | Suggest):  # the next turns need some, too
            budget.keep_back(question.count if isinstance(question, Rank) else FOR_RESULTS)
        return budget

    def _reads_so_far(self) -> float:
        return self._index.reads + self._documents.reads

    def _spelling(self, question: _AboutWords, words: InSnapshot) -> Answer:
        try:
            found = self._looked_up(question, words)
        except OverBudget:
            found = NOTHING[type(question)]
            words.budget.leave_out(NOT_SPELLED)
        budget = words.budget
        return msgspec.structs.replace(found, left_out=list(budget.left_out), reads=budget.taken)

    def _looked_up(self, question: _AboutWords, words: InSnapshot) -> _Words:
        if isinstance(question, Near):
            return NearWords(words.near(question.words))
        if isinstance(question, Together):
            return Counted(words.together(question.pairs))
        if isinstance(question, Write):
            readers = self._asker.readers(question.languages)
            return WrittenWords(words.written(question.words, readers))
        reader = self._asker.reader_of_compounds(question.languages)
        return CompoundWords(words.compounds(question.words, reader) if reader else [])

    def _shown(self, lookup: Lookup, found: list[Found]) -> Shown:
        lookup.far(found)
        documents = lookup.stored(found)
        hits = zip(self._writer.write(lookup, found, documents), documents, strict=True)
        now = time.time()
        shown = [_candidate(hit, stored, now) for hit, stored in hits]
        return Shown(shown, left_out=list(lookup.budget.left_out), reads=lookup.budget.taken)


def _candidate(hit: Hit, stored: Stored, now: float) -> Candidate:
    return Candidate(
        hit,
        stored.canonical,
        stored.is_over(now),
        stored.template,
        stored.kind,
        stored.fetched_at,
    )


def _ranked(lookup: Lookup, count: int) -> RankedRows:
    snapshot, ranked = lookup.snapshot, lookup.best(count)
    ids = ids_of([each[:2] for each in ranked.best], snapshot)
    values = ranked.values or [None] * len(ranked.best)
    clusters = cluster_values(ranked.best, snapshot, ranked.pinned)
    each = zip(ranked.best, clusters, values, strict=True)
    return RankedRows(
        best=[Row(ids[at[:2]], *at, cluster, value) for at, cluster, value in each],
        total=ranked.total,
        is_exact=ranked.is_exact,
        facets=all_counts(lookup.asking.facets, snapshot, ranked),
        left_out=list(lookup.budget.left_out),
        pinned=ranked.pinned,
        reads=lookup.budget.taken,
    )
