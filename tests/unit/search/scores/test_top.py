"""The best documents are those of brute force, however little of the lists is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.segments import dictionary
from gossamer.core.index.segments.identities import identities
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.table import Postings
from gossamer.core.index.segments.writer import Documents, TermWriter, segment
from gossamer.core.search.planner import plan_query
from gossamer.core.search.query import parse_query
from gossamer.core.search.scoring import idf, profiles_of, term_scale
from gossamer.search import segment_view
from gossamer.search.asked_terms import asked_terms, read_lists
from gossamer.search.budget import UNLIMITED
from gossamer.search.memory import Memory
from gossamer.search.ranking import rank
from gossamer.search.scores import top as module
from gossamer.search.scores import whole_list
from gossamer.search.scores.candidates import Candidates, Scratch
from gossamer.search.scores.scored_list import UNIT, ScoredList, impacts_in, rank_parts
from gossamer.search.scores.top import Heaviest, Known, top
from gossamer.search.scores.whole_list import WholeList
from gossamer.search.segment_view import SegmentView, TermList
from gossamer.search.snapshot import Part, Snapshot
from tests.effort import share_of
from tests.unit.core.index.segments.making import Files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.search.scores.top import Top

TERMS = ("aa", "bb", "cc", "dd")
SEEDS = range(share_of(300))


@pytest.fixture
def small_layers() -> Iterator[None]:
    """Lists of some hundred postings have all kinds of layers, and are worth stopping in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary, "FREQUENT", 8)
        patch.setattr(dictionary, "LAYERS", (4, 16, 64, 256))
        patch.setattr(module, "WORTHWHILE", 0)
        patch.setattr(module, "WORTHWHILE_TOGETHER", 0)
        patch.setattr(module, "FEW", 0)
        yield


@pytest.fixture(params=["lists at hand", "lists far away", "long lists"])
def knowing(request, monkeypatch):
    """Documents are looked up in whole lists, in layers that were read, in arrays of impacts."""
    monkeypatch.setattr(whole_list, "FIRST", 50)
    if request.param == "lists far away":
        monkeypatch.setattr(TermList, "is_known", lambda self: False)
    monkeypatch.setattr(segment_view, "SHORT", 10_000 if request.param == "long lists" else 0)


@dataclass
class Case:
    """Some lists over one segment, and what is asked of them."""

    lists: list[ScoredList]
    among: Candidates
    impacts: list[dict[int, int]]  # by list: document → impact

    def brute(self, count: int) -> tuple[list[int], list[int], int]:
        """The best documents, their scores, and how many there are; dictionaries and loops."""
        scores: dict[int, int] = {}
        for each, impacts in zip(self.lists, self.impacts, strict=True):
            for document, impact in impacts.items():
                added = int(np.rint(impact * (each.scale * UNIT)))
                scores[document] = scores.get(document, 0) + added
        allowed, live = self.among.allowed, self.among.live
        assert live is not None
        if allowed is not None:
            scores = {n: scores.get(n, 0) for n in np.flatnonzero(allowed).tolist()}
        ranked = sorted(
            (-(score + int(self.among.rank_parts[self.among.levels[document]])), document)
            for document, score in scores.items()
            if live[document]
        )
        best = ranked[:count]
        return [document for _, document in best], [-score for score, _ in best], len(ranked)


def live_among(case: Case, documents: np.ndarray) -> int:
    """How many of some documents are live."""
    assert case.among.live is not None
    return int(case.among.live[documents].sum())


def view_of(
    lists: dict[str, dict[int, int]],
    documents: int,
    first_id: int = 0,
    files: Files | None = None,
) -> SegmentView:
    """A segment with these terms: document → impact."""
    terms = sorted(lists)
    rows = [sorted(lists[term].items()) for term in terms]
    flat = np.array([pair for row in rows for pair in row], np.int64).reshape(-1, 2)
    table = Postings(
        terms,
        np.cumsum([0, *map(len, rows)]),
        flat[:, 0],
        flat[:, 1].astype(np.uint8),
        np.zeros(len(flat), np.int64),
        np.zeros(0, np.int64),
    )
    writer = TermWriter()
    writer.add(table)
    known = identities(
        [b"%016d" % (first_id + 3 * n) for n in range(documents)],  # type: ignore[misc]
        [1.0] * documents,
        [b""] * documents,
        [False] * documents,
        [0] * documents,
    )
    stored = [Stored("")] * documents
    body = Documents(known, stored, np.zeros((documents, 1), np.int64))
    name, files = str(first_id), Files() if files is None else files
    files[name] = b"".join(segment(body, [writer.written], {}))
    return SegmentView(files.open(name), Memory())


def random_list(
    source: np.random.Generator, documents: int, share: float, strengths: np.ndarray | None = None
) -> dict[int, int]:
    """Impacts that fall off as in real lists, or hardly at all, so that there are ties."""
    chosen = np.flatnonzero(source.random(documents) < share)
    most = int(source.choice([3, 30, 255]))
    strong = source.pareto(1.0, documents) if strengths is None else strengths
    found = 1 + most / 25 * strong[chosen] * source.random(len(chosen))
    impacts = np.clip(found, 1, most).astype(int)
    return dict(zip(chosen.tolist(), impacts.tolist(), strict=True))


def random_case(seed: int, documents: int = 0) -> Case:
    source = np.random.default_rng(seed)
    documents = documents or int(source.integers(30, 900))
    names = TERMS[: source.integers(1, 5)]
    strengths = source.pareto(1.0, documents) if seed % 3 else None  # heavy in all lists or in one
    shares = [float(source.choice([0.05, 0.3, 0.9])) for _ in names]
    lists = {
        term: random_list(source, documents, share, strengths)
        for term, share in zip(names, shares, strict=True)
    }
    lists = {term: found for term, found in lists.items() if found}
    view = view_of(lists, documents)
    live = source.random(documents) < source.choice([0.5, 0.95, 1.0])
    # Where all scales are alike and levels are whole impacts, sums are often equal.
    has_ties = seed % 2 == 0
    most_level = source.choice([0, 0, 4]) if has_ties else source.choice([0, 100, 255])
    levels = source.integers(0, most_level + 1, documents) * (source.random(documents) < 0.3)
    by_level = rank_parts(np.linspace(0, 1.0 if has_ties else source.choice([0.05, 5.0]), 256))
    among = Candidates(live, None, levels.astype(np.uint8), by_level, Scratch(documents))
    scales = [1.0] if has_ties else [1.0, 0.2, 3.7]
    scored = [
        ScoredList(
            view.term(term),
            float(source.choice(scales)) / MAX_IMPACT,
            sum(bool(live[document]) for document in found),
        )
        for term, found in lists.items()
    ]
    return Case(scored, among, list(lists.values()))


COUNTS = (1, 2, 10, 33, 2000)


def is_right(case: Case, found: Top, count: int) -> bool:
    documents, scores, total = case.brute(count)
    return (
        found.documents.tolist() == documents
        and found.scores.tolist() == scores
        and (found.total == total if found.is_exact else len(documents) <= found.total <= total)
    )


@pytest.mark.usefixtures("small_layers", "knowing")
class TestOfSmallLayers:
    def test_the_best_documents_are_those_of_brute_force(self):
        for seed in SEEDS:
            case = random_case(seed)
            for count in COUNTS:
                found = top(case.lists, case.among, count, all_of_them=False)
                assert is_right(case, found, count), (seed, count)

    def test_the_total_is_exact_on_request(self):
        for seed in SEEDS:
            case = random_case(seed)

            found = top(case.lists, case.among, 10, all_of_them=True)

            assert found.is_exact, seed
            assert is_right(case, found, 10), seed

    @pytest.mark.parametrize("all_of_them", [False, True])
    def test_few_that_match_are_looked_up_in_the_lists(self, monkeypatch, all_of_them):
        monkeypatch.setattr(module, "FEW", 900)
        monkeypatch.setattr(module, "Heaviest", None)  # nothing else is done
        monkeypatch.setattr(module, "best_of_all", None)
        for seed in SEEDS:
            case = random_case(seed)
            allowed = np.random.default_rng(seed).random(len(case.among.levels)) < 0.02
            case = replace(case, among=replace(case.among, allowed=allowed))

            found = top(case.lists, case.among, 10, all_of_them=all_of_them)

            assert found.is_exact, seed
            assert is_right(case, found, 10), seed

    def test_the_total_of_one_list_is_exact_without_reading_it(self):
        case = random_case(3, documents=800)
        case = replace(case, lists=case.lists[:1], impacts=case.impacts[:1])

        found = top(case.lists, case.among, 1, all_of_them=False)

        assert found.is_exact
        assert is_right(case, found, 1)

    def test_only_what_is_allowed_is_found_and_all_of_it_is_counted(self):
        for seed in SEEDS:
            case = random_case(seed)
            source = np.random.default_rng(seed)
            size = len(case.among.levels)
            allowed = source.random(size) < source.choice([0.02, 0.5, 1.0])
            case = replace(case, among=replace(case.among, allowed=allowed))

            for count in COUNTS:
                found = top(case.lists, case.among, count, all_of_them=False)
                assert found.is_exact
                assert is_right(case, found, count), (seed, count)

    def test_not_all_is_read_for_a_few_results(self):
        """Else the other tests would prove nothing. The lists are hard: all layers are steps."""
        read = total = 0
        for seed in SEEDS:
            case = random_case(seed, documents=900)
            heaviest = Heaviest(case.lists, case.among, 1, UNLIMITED)
            layers = [len(each.layers.bounds) for each in case.lists]
            depth = next((n for n in range(1, max(layers)) if heaviest.best(n)), max(layers))
            read += sum(min(depth, number) for number in layers)
            total += sum(layers)

        assert read < 0.9 * total

    def test_prefixes_and_words_are_added_up(self):
        for seed in SEEDS[::3]:
            case = random_case(seed)
            chosen = np.flatnonzero(
                np.random.default_rng(seed).random(len(case.among.levels)) < 0.5
            )
            there = np.isin(np.arange(len(case.among.levels)), chosen)
            prefix = ScoredList(WholeList(there), 0.01, live_among(case, chosen))
            case.lists.append(prefix)
            case.impacts.append(dict.fromkeys(chosen.tolist(), MAX_IMPACT // 2))

            for count in COUNTS:
                found = top(case.lists, case.among, count, all_of_them=False)
                assert is_right(case, found, count), (seed, count)

    @pytest.mark.parametrize("is_ranked", [False, True])
    def test_of_documents_that_weigh_the_same_the_first_are_found(self, is_ranked):
        for seed in SEEDS[::3]:
            case = random_case(seed)
            there = np.random.default_rng(seed).random(len(case.among.levels)) < 0.3
            levels = case.among.levels if is_ranked else np.zeros_like(case.among.levels)
            only = dict.fromkeys(np.flatnonzero(there).tolist(), MAX_IMPACT // 2)
            prefix = ScoredList(WholeList(there), 0.01, live_among(case, np.flatnonzero(there)))
            case = Case([prefix], replace(case.among, levels=levels), [only])

            for count in COUNTS:
                found = top(case.lists, case.among, count, all_of_them=False)
                assert is_right(case, found, count), (seed, count)

    @pytest.mark.parametrize("lists", [16, 40])
    def test_very_many_lists_are_added_up(self, lists):
        case = random_case(1, documents=300)
        case = Case(
            [case.lists[n % len(case.lists)] for n in range(lists)],
            case.among,
            [case.impacts[n % len(case.impacts)] for n in range(lists)],
        )

        assert is_right(case, top(case.lists, case.among, 5, all_of_them=False), 5)

    @pytest.mark.parametrize("lists", [6, 8])
    def test_the_tops_of_many_long_lists_are_not_looked_at(self, monkeypatch, lists):
        """They never decide: eight words took twice as long for nothing."""
        monkeypatch.setattr(module, "Heaviest", None)
        source = np.random.default_rng(lists)
        impacts = [random_list(source, 900, 0.9) for _ in range(lists)]
        names = [f"t{n}" for n in range(lists)]
        view = view_of(dict(zip(names, impacts, strict=True)), 900)
        levels, live = np.zeros(900, np.uint8), source.random(900) < 0.9
        among = Candidates(live, None, levels, np.zeros(256, np.int64), Scratch(900))
        scored = [ScoredList(view.term(name), 0.3 / MAX_IMPACT, 900) for name in names]
        case = Case(scored, among, impacts)

        for count in COUNTS:
            assert is_right(case, top(scored, among, count, all_of_them=False), count)

    @pytest.mark.parametrize("scale", [0.0, 1e-12])
    def test_words_that_add_nothing_to_scores_still_find_documents(self, scale):
        """A collection whose settings give its text no weight found nothing."""
        case = random_case(5, documents=900)
        weightless = [replace(each, scale=scale) for each in case.lists]

        for lists in (weightless, [*weightless[:1], *case.lists[1:]]):
            some = replace(case, lists=lists)
            assert is_right(some, top(lists, some.among, 10, all_of_them=False), 10)

    def test_without_any_list_nothing_is_found(self):
        case = replace(random_case(1), lists=[], impacts=[])

        assert is_right(case, top([], case.among, 10, all_of_them=False), 10)


@pytest.mark.parametrize("count", [1, 10, 100, 20_000])
def test_long_lists_with_the_real_layers(count):
    cases = [random_case(seed, documents=13_000) for seed in range(4)]
    layers = {len(each.layers.bounds) for case in cases for each in case.lists}
    assert {3, 5} <= layers

    for case in cases:
        assert is_right(case, top(case.lists, case.among, count, all_of_them=False), count)


def tie_by_rank() -> Case:
    """What the first layer has is as good as a document below it, which has the lower number."""
    impacts = dict.fromkeys(range(40, 44), 7) | dict.fromkeys(range(40), 5)
    levels = np.zeros(44, np.uint8)
    levels[0] = 2
    by_level = rank_parts(np.arange(256) / MAX_IMPACT)
    among = Candidates(np.ones(44, np.bool_), None, levels, by_level, Scratch(44))
    return Case(
        [ScoredList(view_of({"aa": impacts}, 44).term("aa"), 1 / MAX_IMPACT, 44)], among, [impacts]
    )


@pytest.mark.usefixtures("small_layers")
def test_of_equals_the_lower_number_wins_also_from_a_layer_below():
    case = tie_by_rank()

    found = top(case.lists, case.among, 4, all_of_them=False)

    assert found.documents.tolist() == [0, 40, 41, 42]
    assert len(set(found.scores.tolist())) == 1


def best_in_no_first_layer() -> Case:
    """The best document is in the second layer of both lists; another is in the first of one.

    A lookup in one layer less than were taken finds only the other.
    """
    best, other = 0, 1
    first = {best: 100, other: 50} | dict.fromkeys(range(2, 6), 110)
    second = {best: 100, other: 101} | dict.fromkeys(range(6, 9), 110)
    impacts = [
        first | dict.fromkeys(range(20, 34), 40) | dict.fromkeys(range(60, 70), 1),
        second | dict.fromkeys(range(40, 55), 40) | dict.fromkeys(range(70, 80), 1),
    ]
    view = view_of(dict(zip(TERMS, impacts, strict=False)), 80)
    lists = [ScoredList(view.term(term), 1 / MAX_IMPACT, 30) for term in TERMS[:2]]
    assert [each.layers.bounds for each in lists] == [[110, 100, 1], [110, 100, 1]]
    levels = np.zeros(80, np.uint8)
    among = Candidates(np.ones(80, np.bool_), None, levels, np.zeros(256, np.int64), Scratch(80))
    return Case(lists, among, impacts)


@pytest.mark.usefixtures("small_layers", "knowing")
def test_the_best_of_two_lists_may_be_in_the_first_layer_of_neither():
    case = best_in_no_first_layer()

    assert top(case.lists, case.among, 1, all_of_them=False).documents.tolist() == [0]


# Is the oracle strict enough? Each of these reads too little, or believes too early.


def a_layer_too_deep(self: Known) -> int:
    depth = self.depth + 1
    return int(self.adds[self.bounds[depth]]) if depth < len(self.bounds) else 0


def no_rivals(self: Known, documents: np.ndarray) -> tuple[np.ndarray, int]:
    """What a document can have by layers that were not read is forgotten."""
    return true_look_up(self, documents)[0], 0


def a_layer_less(self: Known, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    impacts = impacts_in(self.layers, documents, min(self.depth, len(self.bounds)) - 1)
    return self.adds.take(impacts), np.where(impacts == 0, self.next_bound(), 0)


true_look_up, true_init = Known.look_up, Heaviest.__init__


def believing_ties(self: Heaviest, *arguments: object) -> None:
    true_init(self, *arguments)  # type: ignore[arg-type]
    self._wins_ties = True


NEAR, FAR = True, False
MUTANTS = {
    "a layer too deep": (NEAR, Known, "next_bound", a_layer_too_deep),
    "a layer too deep, far away": (FAR, Known, "next_bound", a_layer_too_deep),
    "looked up in a layer less": (FAR, Known, "look_up", a_layer_less),
    "no incomplete rivals": (FAR, Known, "look_up", no_rivals),
    "all ties are won": (NEAR, Heaviest, "__init__", believing_ties),
    "unmet documents have no rank": (
        *(NEAR, Candidates, "most_by_rank"),
        property(lambda self: 0),
    ),
}


@pytest.mark.usefixtures("small_layers")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_stop_condition_is_caught(mutant, monkeypatch):
    cases = [tie_by_rank(), best_in_no_first_layer(), *(random_case(seed) for seed in SEEDS)]
    is_near, *change = MUTANTS[mutant]
    monkeypatch.setattr(TermList, "is_known", lambda self: is_near)
    monkeypatch.setattr(*change)

    caught = sum(
        not is_right(case, top(case.lists, case.among, count, all_of_them=False), count)
        for case in cases
        for count in COUNTS
    )

    assert caught


# All parts of an index together.

ANALYZER = Analyzer()
PROFILES = profiles_of(CollectionSettings())


def random_snapshot(seed: int) -> tuple[Snapshot, list[dict[str, dict[int, int]]]]:
    source = np.random.default_rng(seed)
    parts, contents, infos = [], [], []
    files = Files()
    for number in range(source.integers(1, 5)):
        documents = int(source.integers(1, 300))
        lists = {t: random_list(source, documents, source.choice([0, 0.3, 0.9])) for t in TERMS}
        lists = {term: found for term, found in lists.items() if found}
        view = view_of(lists, documents, number, files)
        live = source.random(documents) < source.choice([0.6, 1.0])
        levels = (source.integers(0, 3, documents) * 100).astype(np.uint8)
        parts.append(Part(view, live, levels, bool(live.all())))
        contents.append(lists)
        count = int(np.count_nonzero(live))
        infos.append(SegmentInfo(name=str(number), size=0, documents=documents, live=count))
    return Snapshot(Manifest(segments=infos), parts), contents


def brute_rank(snapshot, contents, words, profile, *, boolean=False):
    """Every live document that has one (or all) of the words: id, score."""
    dfs = {
        word: sum(
            bool(part.live[n])
            for part, lists in zip(snapshot.parts, contents, strict=True)
            for n in lists.get(word, ())
        )
        for word in words
    }
    weights = {word: idf(df, snapshot.size) for word, df in dfs.items() if df}
    total = sum(weights.values())
    by_level = rank_parts(profile.rank_part(np.arange(256) / 255))
    found = []
    for part, lists in zip(snapshot.parts, contents, strict=True):
        for number in np.flatnonzero(part.live).tolist():
            had = [word for word in words if number in lists.get(word, ())]
            if len(had) == len(words) if boolean else had:
                scale = {w: term_scale(profile, weights[w], total) / MAX_IMPACT for w in had}
                parts = [int(np.rint(lists[w][number] * (scale[w] * UNIT))) for w in had]
                score = sum(parts) + int(by_level[part.levels[number]])
                found.append((-score, part.id(number)))
    return [(id, -score / UNIT) for score, id in sorted(found)]


@pytest.mark.usefixtures("small_layers")
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_best_of_several_segments_are_those_of_brute_force(profile):
    for seed in SEEDS[::2]:
        snapshot, contents = random_snapshot(seed)
        words = TERMS[: 1 + seed % 4]
        for sign in (" ", " & "):
            plan = plan_query(parse_query(sign.join(words)), ANALYZER)
            terms = asked_terms(plan, read_lists(plan, snapshot, profile)[0], snapshot.size)
            is_boolean = sign == " & " and len(words) > 1
            expected = brute_rank(snapshot, contents, words, profile, boolean=is_boolean)
            for count in (1, 7, 5000):
                found = rank(plan, terms, snapshot, profile, count)

                ids = [(snapshot.parts[f.part].id(f.document), f.score) for f in found.best]
                assert ids == expected[:count], (seed, sign, count)
                if found.is_exact:
                    assert found.total == len(expected)
                else:
                    assert len(ids) <= found.total <= len(expected)
