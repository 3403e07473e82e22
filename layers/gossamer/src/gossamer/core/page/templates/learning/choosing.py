"""Which of many paths finds on every marked page what is marked there, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.candidates import paths_to
from gossamer.core.page.templates.learning.costs import CHOICE, CUT, cost_of
from gossamer.core.page.templates.learning.cuts import NO_CUT, Cut, cut_of
from gossamer.core.page.templates.learning.kinds import plain
from gossamer.core.page.templates.learning.occurrences import occurrences
from gossamer.core.page.templates.learning.paths import Path
from gossamer.core.page.templates.learning.verifying import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.page_view import PageView

MAX_TRIED: Final = 1_000  # candidates of a field
MAX_JOINED: Final = 4  # paths of one field
VOTE: Final = 1.5  # cost that a path may have more for each page it was met on
MAX_SPARES: Final = 2
MAX_SPARE: Final = 4.5  # cost
MAX_PAIRED: Final = 300  # candidates that are tried beside another one


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A page and the values of one field on it; `wrong` are those that it is not."""

    view: PageView
    values: Sequence[str]
    wrong: frozenset[str] = frozenset()
    kind: Kind = "text"
    base: str = ""
    says: bool = True  # what the values are, and not only what they are not

    def plain(self, values: Iterable[str]) -> set[str]:
        """Values without the ways to write them."""
        return {plain(value, self.kind, self.base) for value in values} - {""}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path with its cut, and what it finds on each of the marked pages."""

    path: Path
    cut: Cut
    found: tuple[tuple[str, ...], ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The paths of a field, how well they do on the marked pages, and whether all finds count."""

    candidates: tuple[Candidate, ...]
    many: bool
    f1: float

    @property
    def raw(self) -> list[str]:
        """The texts that were found on the marked pages."""
        return [text for each in self.candidates for page in each.found for text in page]


@dataclass(slots=True)
class _Support:
    """On which pages a path was met, and what stood around the value there."""

    pages: set[int] = field(default_factory=set)
    sides: list[tuple[str, str]] = field(default_factory=list)


def choose(pages: Sequence[Marked]) -> Choice | None:
    """The best paths to a field; None if the values stand nowhere."""
    candidates = _tried(pages)
    while candidates:
        choice = _best(candidates, pages)
        verified = {each: verify(each, pages, many=choice.many) for each in choice.candidates}
        if all(verified.values()):
            chosen = tuple(filter(None, verified.values()))
            return replace(choice, candidates=chosen)
        failed = {each.path.start for each, right in verified.items() if right is None}
        candidates = [each for each in candidates if each.path.start not in failed]
    return None


def _best(candidates: Sequence[Candidate], pages: Sequence[Marked]) -> Choice:
    one = _best_one(candidates, pages)
    if all(len(set(page.values)) <= 1 for page in pages):
        return one
    many = _best_many(candidates, pages)
    return many if many.f1 > one.f1 else one


def _tried(pages: Sequence[Marked]) -> list[Candidate]:
    supports = _supports(pages)
    needed = (sum(1 for page in pages if page.values) + 1) // 2
    if any(len(set(page.values)) > 1 for page in pages):
        needed = 1  # a second value need not stand on every page
    enough = [(path, support) for path, support in supports.items() if len(support.pages) >= needed]
    enough.sort(key=lambda pair: cost_of(pair[0]) - VOTE * len(pair[1].pages))
    tried = (_candidate(path, support, pages) for path, support in enough[:MAX_TRIED])
    return [candidate for candidate in tried if candidate is not None]


def _supports(pages: Sequence[Marked]) -> dict[Path, _Support]:
    supports: dict[Path, _Support] = defaultdict(_Support)
    for number, page in enumerate(pages):
        for value in dict.fromkeys(page.values):
            for place in occurrences(page.view, value, page.kind, page.base):
                # In the order in which they are met: of equal ones the first is taken, always.
                unlike = dict.fromkeys(paths_to(page.view, place))
                for path in filter(Path.can_be_said, unlike):
                    supports[path].pages.add(number)
                    supports[path].sides.append((place.left, place.right))
    return supports


def _candidate(path: Path, support: _Support, pages: Sequence[Marked]) -> Candidate | None:
    cut = cut_of(support.sides)
    if cut is None:
        return None
    found = tuple(_found(path, cut, page.view) for page in pages)
    cost = cost_of(path) + (CUT if cut != NO_CUT else 0.0)
    if any(len(set(each)) > 1 for each in found):
        cost += CHOICE
    return Candidate(path, cut, found, cost)


def _found(path: Path, cut: Cut, view: PageView) -> tuple[str, ...]:
    values = path.values(view)
    return tuple(filter(None, map(cut.apply, values))) if cut != NO_CUT else tuple(values)


def _best_one(candidates: Sequence[Candidate], pages: Sequence[Marked]) -> Choice:
    """The best path of those whose first value counts, with others for pages where it has none."""
    best = max(candidates, key=lambda each: (_f1([_firsts(each)], pages), -each.cost))
    chosen, score = [best], _f1([_firsts(best)], pages)
    while score < 1 and len(chosen) < MAX_JOINED:
        rated = [
            (_f1([_fallback([*chosen, each])], pages), each)
            for each in candidates
            if each.cut == best.cut
        ]
        top, added = max(rated, key=lambda pair: (pair[0], -pair[1].cost))
        if top <= score:
            break
        chosen, score = [*chosen, added], top
    if len(chosen) == 1:
        chosen += _spares(best, score, candidates, pages)
    return Choice(tuple(chosen), many=False, f1=score)


def _spares(
    best: Candidate, score: float, candidates: Sequence[Candidate], pages: Sequence[Marked]
) -> list[Candidate]:
    """Paths that do as well and begin elsewhere: for pages where the best finds nothing."""
    spares: list[Candidate] = []
    for each in sorted(candidates, key=lambda each: each.cost):
        starts = {spare.path.start for spare in [best, *spares]}
        if each.cut != best.cut or each.path.start in starts or each.cost > MAX_SPARE:
            continue
        if _is_counted(each):  # on a page without the value another one stands there
            continue
        if _f1([_firsts(each)], pages) >= score:
            spares.append(each)
        if len(spares) == MAX_SPARES:
            break
    return spares


def _is_counted(candidate: Candidate) -> bool:
    """Whether it is one of several by its place: the second row, the first price."""
    steps = (step.nth for step in candidate.path.steps)
    return candidate.path.nth > 0 or any(steps) or any(len(each) > 1 for each in candidate.found)


def _firsts(candidate: Candidate) -> list[set[str]]:
    return [set(each[:1]) for each in candidate.found]


def _fallback(candidates: Sequence[Candidate]) -> list[set[str]]:
    pages = zip(*(each.found for each in candidates), strict=True)
    return [set(next((found[:1] for found in page if found), ())) for page in pages]


def _best_many(candidates: Sequence[Candidate], pages: Sequence[Marked]) -> Choice:
    """The paths that together find all values of a page."""
    unlike = _unlike(candidates)
    best = max(unlike, key=lambda each: (_f1([_alls(each)], pages), -each.cost))
    chosen, score = [best], _f1([_alls(best)], pages)
    while score < 1 and len(chosen) < MAX_JOINED:
        sets = list(map(_alls, chosen))
        rated = [
            (_f1([*sets, _alls(each)], pages), each)
            for each in unlike[:MAX_PAIRED]
            if each.cut == best.cut
        ]
        top, added = max(rated, key=lambda pair: (pair[0], -pair[1].cost))
        if top <= score:
            break
        chosen, score = [*chosen, added], top
    return Choice(tuple(chosen), many=True, f1=score)


def _unlike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of those that find the same the cheapest, the cheapest first."""
    unlike: dict[tuple[object, ...], Candidate] = {}
    for each in sorted(candidates, key=lambda each: each.cost):
        unlike.setdefault((each.found, each.cut), each)
    return list(unlike.values())


def _alls(candidate: Candidate) -> list[set[str]]:
    return [set(each) for each in candidate.found]


def _f1(found: Iterable[list[set[str]]], pages: Sequence[Marked]) -> float:
    """How much of what is marked is found, and how much of what is found is marked."""
    right = wrong = missed = 0
    for page, *parts in zip(pages, *found, strict=True):
        values, truth = page.plain(set().union(*parts)), page.plain(page.values)
        if page.says:
            right += len(values & truth)
            wrong += len(values - truth)
            missed += len(truth - values)
        wrong += 3 * len(values & page.plain(page.wrong))
    return 2 * right / max(1, 2 * right + wrong + missed)
