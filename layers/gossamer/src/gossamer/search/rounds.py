"""Fetch what a query needs of all segments in few rounds.

Where the index is on another machine, a round takes tens of milliseconds, however much is asked for
at once. So everything that can be foreseen is fetched of all segments together:

1. heads: the beginnings of lists, where they are kept apart, and the rests of short ones;
2. the blocks of unknown terms, the columns of filters, and the layers that heads name;
3. the layers that blocks name, and the positions of phrases;
4. what is stored of the results (`search.texts`).

Layers of a list lie side by side, so several cost one read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gossamer.core.search.plan import Between, Filter, Kind, Words, leaves
from gossamer.search.boolean import column_of, kept_as
from gossamer.search.budget import UNLIMITED
from gossamer.search.scores.top import WORTHWHILE, WORTHWHILE_TOGETHER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.core.search.plan import Plan
    from gossamer.search.budget import Budget
    from gossamer.search.segment_view import SegmentView
    from gossamer.search.snapshot import Part, Snapshot, Snapshots

    # What is wanted: where it lies, and who learns it.
    Wish = tuple[Range, Callable[[Buffer], object]]

T = TypeVar("T")
_NOT_LISTED = (Kind.PREFIX, Kind.TOGETHER)  # what has no list of its own in the index
ALL = 99  # layers: more than any list has
# Of several long lists nearly every query reads ten thousand postings, which are four layers.
FIRST_LAYERS = 4
# Postings of one word that come at once, if its first layer is not enough: they are half a
# megabyte, which takes less time than another round.
IN_ONE_ROUND = 250_000
LIKELY = 32  # documents that a page of results is chosen from


@dataclass(frozen=True, slots=True)
class Rounds:
    """Fetches in rounds."""

    opened: Snapshots
    budget: Budget = UNLIMITED

    def fetch(
        self,
        plan: Plan,
        snapshot: Snapshot,
        columns: Iterable[str] = (),
        *,
        all_of_them: bool = False,
    ) -> None:
        """Have everything at hand that a plan needs, as far as it can be foreseen.

        `columns` are read besides those of filters; with `all_of_them` lists are read to the end.
        """
        terms = _terms(plan)
        self._fetch_heads(snapshot, terms)
        self._fetch_rests(plan, snapshot, terms, all_of_them)
        columns = sorted(_filtered(plan).union(columns))
        self._fetch(
            wish
            for part in snapshot.parts
            for wish in (
                *_blocks(part, terms),
                *_columns(part, columns),
                *_layers(plan, part, _known(part, terms), all_of_them),
            )
        )
        self._fetch(
            wish
            for part in snapshot.parts
            if _is_at_hand(part, terms)  # else there were too few reads for all
            for wish in (*_layers(plan, part, terms, all_of_them), *_places(plan, part))
        )

    def fetch_counts(self, snapshot: Snapshot, terms: Sequence[str]) -> None:
        """Have at hand in how many documents terms are, and nothing of their lists."""
        self._fetch(wish for part in snapshot.parts for wish in _blocks(part, terms))

    def _fetch_heads(self, snapshot: Snapshot, terms: Sequence[str]) -> None:
        views = {part.view.name: part.view for part in snapshot.parts if part.has_heads}
        unknown = {t for view in views.values() for t in terms if self._may_have_head(view, t)}
        asked = self._affordable(sorted(unknown))
        heads = self.opened.heads(asked, sorted(views)) if asked else {}
        for (term, name), head in heads.items():
            if name in views and not views[name].knows(term):
                views[name].learn(head)

    def _may_have_head(self, view: SegmentView, term: str) -> bool:
        """Whether a head may tell something: not where the lists are in memory."""
        if view.knows(term) or view.learn_absence(term):
            return False
        number = view.segment.sparse.block_of(term)
        return number is not None and not self.opened.holds(view.segment.block_range(number))

    def _fetch_rests(
        self, plan: Plan, snapshot: Snapshot, terms: Sequence[str], all_of_them: bool
    ) -> None:
        """Fetch the second rows of short lists that the heaviest postings are not enough of."""
        views = {part.view.name: part.view for part in snapshot.parts if part.has_heads}
        keys = [
            (term, part.view.name)
            for part in snapshot.parts
            if part.has_heads
            if all_of_them or _depth(plan, part, _known(part, terms)) > 1
            for term in _known(part, terms)
            if part.view.lacks_rest(term)
        ]
        keys = self._affordable(keys)
        for (term, name), data in (self.opened.rests(keys) if keys else {}).items():
            views[name].learn_rest(term, data)

    def _fetch(self, wishes: Iterable[Wish]) -> None:
        known = self._affordable(list(dict(wishes).items()))
        fetched = self.opened.read([place for place, _ in known]) if known else ()
        for (_, learn), data in zip(known, fetched, strict=True):
            learn(data)

    def _affordable(self, wanted: list[T]) -> list[T]:
        """As many as there are reads for, and some are left: the others are read when needed."""
        left = self.budget.reads_left / 2
        return wanted if len(wanted) <= left else wanted[: int(left)]


def _terms(plan: Plan) -> list[str]:
    """The terms of a plan that are looked up; those of phrases and excluded ones, too."""
    every = (*plan.asked, plan.name)
    asked = [each.text for each in every if each and each.kind not in _NOT_LISTED]
    asked += [term for words in _synonyms(plan) for _, term in words.looked_up]
    asked += [term for words in _words(plan) for _, term in words.looked_up]
    return list(dict.fromkeys(asked))


def _together(plan: Plan) -> list[str]:
    """The parts of joined words that are looked for side by side."""
    asked = [each.parts for each in plan.asked if each.kind is Kind.TOGETHER]
    return [part for parts in asked for part in parts if part]


def _synonyms(plan: Plan) -> list[Words]:
    """What counts as a term of the query, too."""
    return [each.words for asked in plan.asked for each in asked.synonyms]


def _filtered(plan: Plan) -> set[str]:
    return {column_of(leaf) for leaf in plan.leaves() if isinstance(leaf, Filter | Between)}


def _words(plan: Plan) -> list[Words]:
    """Words that documents must have; of those of a ranked query any is enough."""
    matched = plan.filters if plan.mode == "ranked" else (plan.match, *plan.filters)
    return [leaf for match in matched for leaf in leaves(match) if isinstance(leaf, Words)]


def _known(part: Part, terms: Sequence[str]) -> list[str]:
    return [term for term in terms if part.view.knows(term)]


def _is_at_hand(part: Part, terms: Sequence[str]) -> bool:
    """Whether it is known of all terms where their lists lie."""
    view = part.view
    return all(view.knows(term) or view.missing_block(term) is None for term in terms)


def _blocks(part: Part, terms: Sequence[str]) -> Iterator[Wish]:
    view = part.view
    for term in terms:
        number = None if view.knows(term) else view.missing_block(term)
        if number is not None:
            yield view.segment.block_range(number), view.learner_of_block(number)


def _columns(part: Part, names: Iterable[str]) -> Iterator[Wish]:
    return (wish for name in names for wish in part.view.missing_column(name))


def _layers(
    plan: Plan, part: Part, terms: Sequence[str], all_of_them: bool = False
) -> Iterator[Wish]:
    view, depth = part.view, ALL if all_of_them else _depth(plan, part, terms)
    for term in terms:
        for place in view.missing_layers(term, depth):
            yield view.segment.layer_range(place), view.learner_of_layer(place)


def _depth(plan: Plan, part: Part, terms: Sequence[str]) -> int:
    """How many layers of each list are read in any case (see `search.top`)."""
    postings = sum(part.view.term(term).df for term in terms)
    is_one_word = sum(not any(each.parts) for each in plan.asked) == 1
    few = WORTHWHILE if is_one_word else WORTHWHILE_TOGETHER
    # Among dead documents the living ones are counted, as are those with words side by side.
    is_known = plan.mode == "ranked" and part.is_whole and not _together(plan)
    # Lists of synonyms are joined with those of the words, if there are some.
    others = {term for words in _synonyms(plan) for _, term in words.looked_up}
    is_known = is_known and not any([part.view.term(t).df for t in terms if t in others])
    if not is_known:
        return ALL
    if is_one_word and _is_enough(part, [term for term in terms if part.view.term(term).df]):
        return 1
    if postings <= few:
        return ALL
    return ALL if is_one_word and postings <= IN_ONE_ROUND else FIRST_LAYERS


def _is_enough(part: Part, terms: Sequence[str]) -> bool:
    """Whether the best documents are likely to be in the first layer of a list.

    Not if many weigh as little as those in the next one, nor if their ranks count, nor if some are
    called by the word: these are among the best, wherever in the list they are.
    """
    if len(terms) != 1 or part.levels.any():
        return False
    found = part.view.term(terms[0])
    first = found.known(0)
    if first is None or len(found.bounds) < 2:
        return first is not None
    return int((first.impacts > found.bounds[1]).sum()) >= LIKELY


def _places(plan: Plan, part: Part) -> Iterator[Wish]:
    phrases = [words for words in _words(plan) if len(words.placed) > 1 or words.field]
    phrases += [words for words in _synonyms(plan) if len(words.placed) > 1 and not words.are_apart]
    phrases += [Words(each.parts) for each in plan.asked if each.kind is Kind.TOGETHER]
    unknown = [words for words in phrases if not part.view.keeps(kept_as(words))]
    terms = dict.fromkeys(term for words in unknown for _, term in words.looked_up)
    return (wish for term in terms for wish in part.view.missing_places(term))
