"""How much fresher is a collection with learned revisits?

Simulates pages that change by Poisson processes. Every policy crawls them once and then revisits
them with the same budget, without knowing any change rate, for as long as fixed intervals take for
40 rounds. The report also has the optimum for known rates. The claim is for a web of a hundred
times a day's budget: with many requests per page even known rates bring little.
"""

import argparse
from dataclasses import asdict, dataclass, field

import numpy as np

from gossamer.core.revisit import budget as allocation
from gossamer.core.revisit.budget import Floats
from gossamer.core.revisit.change_rate import DAY, HOUR, History
from gossamer.core.revisit.policy import Policy, Revisit, due, next_visit
from scripts.bench.report import Claim, Report, Row

PAGES = 1500
MEDIAN_RATE = 1 / (10 * DAY)
SPREAD = 1.73  # of log rate: 95 % of the pages within three orders of magnitude
BUDGETS = (0.005, 0.01, 0.03, 0.1, 1.0)  # visits per page and day
ROUNDS = 40  # visits per page, by fixed intervals
WARM_ROUNDS = 10
STEPS_A_ROUND = 24
BEGIN = 1_700_000_000.0
PROMISED = 0.01  # the budget at which MIN_RATIO is claimed
MIN_RATIO = 1.15
BUDGET_ONLY = Policy(target=0.999, min_interval=HOUR / 4)
CONTENDERS = ("fixed", "proportional", "gossamer")


@dataclass(frozen=True, slots=True)
class Web:
    """Pages and the times of their changes, with the last one before the start."""

    rates: Floats
    changes: list[Floats]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The freshness and age that one policy reached."""

    contender: str
    budget: float
    dated: bool
    requests: float  # of the budget
    freshness: float  # after the warm-up
    freshness_all: float
    age_days: float  # mean, after the warm-up


@dataclass(slots=True)
class Race:
    """One policy on one web: its histories and its visits."""

    web: Web
    contender: str
    budget: float  # visits per page and day
    dated: bool
    policy: Policy = BUDGET_ONLY
    histories: list[History] = field(default_factory=list)
    visits: list[list[float]] = field(default_factory=list)
    rates: Floats = field(default_factory=lambda: np.zeros(0))
    next_at: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def round(self) -> float:
        """Seconds in which the budget allows one visit to each page."""
        return DAY / self.budget

    def run(self) -> Outcome:
        """Crawl once, then revisit step by step within the budget."""
        count = len(self.web.rates)
        self.histories, self.visits = [History()] * count, [[] for _ in range(count)]
        self.rates = np.full(count, self.policy.prior.rate)
        self.next_at = np.zeros(count)
        self._plan()
        for page in range(count):
            self._visit(page, BEGIN + self.round * page / count)
        credit = 0.0
        for step in range(STEPS_A_ROUND * (ROUNDS - 1)):
            if step % STEPS_A_ROUND == 0:
                self._plan()
            now = BEGIN + self.round * (1 + step / STEPS_A_ROUND)
            # Unused requests stay valid for a quarter of a round.
            credit = min(credit + count / STEPS_A_ROUND, count / 4)
            chosen = self._choose(now, int(credit))
            credit -= len(chosen)
            for page in chosen:
                self._visit(page, now)
        return self._outcome()

    def _plan(self) -> None:
        if self.contender == "gossamer":
            visits_a_day = self.budget * len(self.rates)
            self.policy = allocation.within(self.policy, self.rates, visits_a_day)
            last = np.array([history.last_at for history in self.histories])
            probes = np.array([history.probe for history in self.histories])
            intervals = 1 / allocation.frequencies(self.policy, self.rates)
            self.next_at = last + np.minimum(intervals, probes)

    def _choose(self, now: float, limit: int) -> list[int]:
        ripe = np.flatnonzero(self.next_at <= now)
        if self.contender == "gossamer":
            pages = (self._revisit(int(page)) for page in ripe)
            return [int(page.id) for page in due(pages, now, self.policy, limit)]
        order = np.argsort(self.next_at[ripe], kind="stable")
        return [int(page) for page in ripe[order][:limit]]

    def _revisit(self, page: int) -> Revisit:
        history = self.histories[page]
        return Revisit(str(page), self.rates[page], history.last_at, probe=history.probe)

    def _visit(self, page: int, at: float) -> None:
        changes, history = self.web.changes[page], self.histories[page]
        last = float(changes[np.searchsorted(changes, at, "right") - 1])
        history = history.visited(at, last > history.last_at, last if self.dated else None)
        self.histories[page] = history
        self.visits[page].append(at)
        self.rates[page] = history.rate(self.policy.prior)
        self.next_at[page] = self._next(page, at)

    def _next(self, page: int, at: float) -> float:
        if self.contender == "fixed":
            return at + self.round * (1 - 0.5 / STEPS_A_ROUND)
        if self.contender == "proportional":
            return at + self.round * float(self.rates.mean() / self.rates[page])
        return next_visit(self.histories[page], at, self.policy)

    def _outcome(self) -> Outcome:
        end = BEGIN + self.round * ROUNDS
        begin = BEGIN + self.round
        warm = BEGIN + self.round * WARM_ROUNDS
        fresh, age = _judged(self.web, self.visits, warm, end)
        requests = sum(map(len, self.visits)) / (ROUNDS * len(self.visits))
        fresh_all, _ = _judged(self.web, self.visits, begin, end)
        return Outcome(
            self.contender, self.budget, self.dated, requests, fresh, fresh_all, age / DAY
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--budgets", nargs="+", type=float, default=list(BUDGETS), metavar="N")
    parser.add_argument("--seed", type=int, default=1)


def measure(settings: argparse.Namespace) -> Report:
    """Every budget, with and without Last-Modified, all policies on the same web."""
    rows: list[Row] = []
    claims: list[Claim] = []
    outcomes: list[Outcome] = []
    for budget in settings.budgets:
        web = make_web(settings.pages, ROUNDS * DAY / budget, settings.seed)
        possible = _possible(web, budget)
        for dated in (False, True):
            found = [Race(web, name, budget, dated).run() for name in CONTENDERS]
            rows += [_row(outcome, found[0]) for outcome in found]
            outcomes += found
            if budget == PROMISED:
                claims.append(_claim(found[-1], found[0], possible))
        rows.append(_bound(budget, possible, found[0]))
    return Report(
        question="freshness",
        rows=rows,
        claims=claims,
        runs=[asdict(outcome) for outcome in outcomes],
        summary={claim.name: float(claim.got) for claim in claims},
        notes=[
            f"{settings.pages} pages, change rates log-normal around one in 10 days; budget: visits"
            " per page and day; freshness and age after the warm-up (10 of 40 rounds), 'all' with"
            " it; known rates: the optimum of Cho and Garcia-Molina, by formula, for steady visits"
        ],
    )


def make_web(pages: int, seconds: float, seed: int) -> Web:
    """Pages with log-normal change rates, and their changes for so many seconds."""
    chance = np.random.default_rng(seed)
    rates = MEDIAN_RATE * np.exp(chance.normal(0.0, SPREAD, pages))
    before = BEGIN - chance.exponential(1 / rates)
    counts = chance.poisson(rates * seconds)
    changes = [
        np.concatenate([[first], BEGIN + seconds * np.sort(chance.random(count))])
        for first, count in zip(before, counts, strict=True)
    ]
    return Web(rates, changes)


def _judged(web: Web, visits: list[list[float]], begin: float, end: float) -> tuple[float, float]:
    """Exact mean freshness and mean age in seconds over all pages."""
    stale, age = 0.0, 0.0
    for changes, times in zip(web.changes, visits, strict=True):
        seen = np.array(times)
        following = np.searchsorted(changes, seen, "right")
        outdated = np.append(changes, np.inf)[following]
        until = np.clip(np.append(seen[1:], end), begin, end)
        since = np.clip(outdated, begin, until)
        known = np.where(np.isfinite(outdated), outdated, until)
        stale += float((until - since).sum())
        age += float((((until - known) ** 2 - (since - known) ** 2) * (until > since)).sum()) / 2
    total = (end - begin) * len(visits)
    return 1 - stale / total, age / total


def _possible(web: Web, budget: float) -> float:
    free = Policy(target=0.9999, min_interval=60.0, max_interval=1e5 * DAY)
    policy = allocation.within(free, web.rates, budget * len(web.rates))
    return allocation.mean_freshness(web.rates, allocation.frequencies(policy, web.rates))


def _claim(found: Outcome, fixed: Outcome, possible: float) -> Claim:
    """Freshness over that of fixed intervals, with the optimum beside it."""
    name = f"{found.budget:g} visits/page/day, {'with' if found.dated else 'no'} Last-Modified"
    best, got = possible / fixed.freshness, found.freshness / fixed.freshness
    return Claim(
        f"{name}: x fixed",
        f">= {MIN_RATIO:g} of {best:.3f} possible",
        f"{got:.3f}",
        got >= MIN_RATIO,
    )


def _row(outcome: Outcome, fixed: Outcome) -> Row:
    return {
        "visits/page/day": f"{outcome.budget:g}",
        "revisits": outcome.contender,
        "dates": "yes" if outcome.dated else "no",
        "budget used": f"{outcome.requests:.1%}",
        "freshness": f"{outcome.freshness:.3f}",
        "x fixed": f"{outcome.freshness / fixed.freshness:.3f}",
        "all": f"{outcome.freshness_all:.3f}",
        "x fixed, all": f"{outcome.freshness_all / fixed.freshness_all:.3f}",
        "age days": f"{outcome.age_days:.2f}",
    }


def _bound(budget: float, possible: float, fixed: Outcome) -> Row:
    known = Outcome("known rates", budget, False, 1.0, possible, possible, 0.0)
    return _row(known, fixed) | {"dates": "-", "all": "-", "x fixed, all": "-", "age days": "-"}
