"""A world, run from its beginning to its end."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from gossamer.adapters.aws import home as aws_home
from gossamer.adapters.local import home as local_home
from gossamer.batch.merge_plan import send_tasks
from gossamer.bolts.manifest import ABANDONED, GRACE, sweep
from gossamer.bolts.packs import packs
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.politeness import CLOUD_GRACE, EMBEDDED_GRACE, GracePolicy, Starts
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.urls import host_of
from gossamer.entrypoints.lambdas.lease import LEASE
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.homes import analyzer_of, index_writer
from gossamer.messages import Emission, Link, LinksFound
from gossamer.ports import Ports
from gossamer.ports.fetcher import LATE, HttpRequest, HttpResponse
from gossamer.topology import STREAMS
from tests.item_reader import reading_items
from tests.simulation import checks, document_checks, link_checks, schedules
from tests.simulation.account import Account
from tests.simulation.beside import MOST_DEATHS, Beside
from tests.simulation.faults import Exposed, ExposedQueues, Misfortune
from tests.simulation.generator import COMMON
from tests.simulation.index_book import IndexBook
from tests.simulation.kernel import Kernel, current
from tests.simulation.lives import Lives
from tests.simulation.observer import Observer
from tests.simulation.queues import SimulatedQueues
from tests.simulation.stages import STAGES
from tests.simulation.web import Web

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.crawl.host_record import HostChange
    from gossamer.entrypoints.lambdas.sqs import Case
    from gossamer.messages import Stream
    from gossamer.ports.jobs import JobState
    from tests.simulation.observer import Violation
    from tests.simulation.spec import World
    from tests.simulation.stages import Stage

JOB = "web"
SEASON = 61 * 86_400.0  # longer than any page is left alone
MOST_RECRAWLS = 12  # calls in which RECRAWL must have nothing left to ask for
MOST_STEPS = 400_000  # events; a world that needs more will never end
PORTS = (
    *("urls", "hosts", "frontier", "pages", "contents"),
    *("documents", "edges", "jobs", "quotas", "reputation", "index"),
)


class Pace(NamedTuple):
    """How fast a home is, and how far ahead it plans."""

    grace: GracePolicy
    window: float
    latency: float  # seconds at most that a store takes
    tend_every: float


CLOUD = Pace(CLOUD_GRACE, aws_home.WINDOW, latency=0.03, tend_every=60.0)
EMBEDDED = Pace(EMBEDDED_GRACE, local_home.WINDOW, latency=0.0005, tend_every=2.0)


@dataclass
class Outcome:
    """What came of a world."""

    world: World
    violations: list[Violation]
    requests: int = 0
    seconds: float = 0.0  # of virtual time
    log: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    # Passes through FETCH in a calm world, and pairs of similar pages.
    passes: Counter[str] = field(default_factory=Counter)


class Silence(Telemetry):
    """Nothing is logged: the simulation keeps its own book."""

    def message(self, stream: Stream, case: Case) -> None:
        """Nothing."""

    def buried(self, stream: Stream, case: Case, reason: str) -> None:
        """Nothing."""


class WebFetcher:
    """Requests to the simulated web. A process may die while it waits for an answer."""

    def __init__(self, run: Simulation) -> None:
        self._run = run

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """One request, unless it is too late for it."""
        run, task = self._run, current()
        assert task is not None
        may_start = self._keep_gap(request)
        now = run.kernel.now  # what happens below is told by the clock of the program
        if now > request.start_by or not may_start:
            return HttpResponse(url=request.url, started_at=now, fault=LATE)
        run.starts.note(host_of(request.url), run.kernel.true_now, request.gap)
        asked = run.observer.asks(task, request.url, run.kernel.true_now, now)
        response = run.web.answer(request.url, now, request.headers)
        run.log.append(f"{now:.3f} GET {request.url} → {response.code or response.fault}")
        run.misfortune.before(task, "the request", effect=True)
        run.kernel.sleep(response.seconds)
        run.misfortune.after(task, "the request")
        run.observer.answered(asked, response)
        return response

    def _keep_gap(self, request: HttpRequest) -> bool:
        """Wait as the fetcher of the embedded home does, of which there is one at a time."""
        run, host = self._run, host_of(request.url)
        while (wait := run.starts.free_at(host, request.gap) - run.kernel.true_now) > 0:
            if run.kernel.now + wait > request.start_by:
                return False
            run.kernel.sleep(wait)
        return True

    async def close(self) -> None:
        """Nothing to let go of."""


class Leased:
    """The jobs of a home, and leases by the account: those outlive a process."""

    def __init__(self, jobs: Any, run: Simulation) -> None:
        self._jobs, self._run = jobs, run

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        return self._run.account.lease(name, owner, until, now)

    def end_lease(self, name: str, epoch: int) -> None:
        self._run.account.end_lease(name, epoch)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)


HOUSEKEEPING = ("to_tend", "asleep", "end_done", "progress", "set_progress")


class Tended:
    """A home whose jobs are looked after: what only housekeeping does is never disturbed."""

    def __init__(self, run: Simulation, home: Any) -> None:
        self._run, self._home = run, home
        self.frontier = Overlaid(home.frontier, has_packs=run.stage.has_parked)
        self.queues = Overlaid(home.queues, depth=self._depth, backlog=lambda *_: 0)
        self.jobs = Overlaid(
            home.jobs,
            set_state=self._set_state,
            **{name: getattr(run.home.jobs, name) for name in HOUSEKEEPING},
        )
        self.settings, self.template_health = run.home.settings, run.home.template_health
        self.free_part, self.close_part = run.home.free_part, run.home.close_part
        self.recount_part = run.home.recount_part
        self.distrust_counts = run.home.distrust_counts
        self.wake_later_than = run.home.wake_later_than

    def _depth(self) -> Counter[str]:
        streams = [stream for stream in STREAMS if stream != "index"]
        return Counter({"frontier": self._run.queues.told_depth(*streams)})

    def _set_state(self, job: str, state: JobState, reason: str = "", **how: Any) -> bool:
        self._run.log.append(f"{self._run.kernel.now:.3f} the job is {state} {reason}")
        return bool(self._run.home.jobs.set_state(job, state, reason, **how))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._home, name)


class Overlaid:
    """A store with some methods replaced."""

    def __init__(self, inner: Any, **methods: Any) -> None:
        self._inner = inner
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Simulation:
    """One world and everything in it."""

    def __init__(self, world: World, folder: Path, stage: str = "local") -> None:
        pace = CLOUD if world.cloud_pace else EMBEDDED
        self.world, self.pace = world, pace
        self.log: list[str] = []
        self.kernel = Kernel(Random(world.seed ^ 0x5EED))
        self.starts = Starts(began=self.kernel.true_now)
        self.web = Web(world)
        self.observer = Observer(world)
        self.lives = Lives(self.observer)
        self.misfortune = Misfortune(self.kernel, world.faults, pace.latency, self.log)
        self.stage: Stage = STAGES[stage](folder, self.kernel)
        self.home = self.stage.homes[0]  # the world's own view: nothing ever happens to it
        self.queues = SimulatedQueues(self.kernel, world.faults, self.stage.hold)
        probe = analyzer_of(self.home).term(self.kernel.chance.choice(COMMON))
        # On one machine a process that has a file open keeps it, though it is deleted.
        grace = 0.0 if world.beside else GRACE
        self.book = IndexBook(self.kernel, self.observer, probe, grace)
        self.searchers = schedules.Searchers(self.book)
        exposed = [self._expose(home) for home in self.stage.homes]
        self.account = Account(
            self.kernel,
            self.queues,
            exposed[1:] or exposed,
            self._tended,
            self.misfortune,
            self.observer,
            pace.tend_every,
        )
        self.misfortune.interludes = self._interludes()
        self.beside = Beside(self.account) if world.beside else None
        if self.beside is not None:
            self.account.handlers["index"] = self.beside.handler
        self._quiet_at = self.kernel.true_now
        self.is_ranked = False  # since this round began
        self.poison: list[bytes] = []
        self.injected: set[bytes] = set()
        self.document_of: dict[str, int] = {}  # by URL, the round in which it was last read
        self.empty_of: dict[str, int] = {}  # the same for pages that were read and had no document
        self.item_ids: dict[tuple[str, str], bytes] = {}  # of items, by URL and key
        self.pairs: Counter[str] = Counter()  # of similar pages

    def _tended(self, worker: Worker) -> Worker:
        """The same process, at housekeeping."""
        home: Any = Tended(self, worker.home)
        return Worker(Ports(home, worker.ports.fetcher), worker.clock, telemetry=Silence())

    def _expose(self, home: Any) -> Worker:
        """What a function works with in one of its processes."""
        self._watch(home.hosts)
        self.book.watch(home.index)
        self.lives.watch(home.urls)

        def exposed(name: str, inner: Any) -> Any:
            return Exposed(name, inner, self.misfortune, self.stage.wait_for)

        stores = {name: exposed(name, getattr(home, name)) for name in PORTS}
        seen: Any = SimpleNamespace(
            **stores | {"jobs": Leased(stores["jobs"], self)},
            parser=exposed("parser", self.stage.parser(home)),
            grace=self.pace.grace,
            window=self.pace.window,
            queues=ExposedQueues("queues", self.queues, self.misfortune, self.stage.wait_for),
            commit=lambda: None,
            settings=home.settings,
            host_languages=home.host_languages,
        )
        return Worker(Ports(seen, WebFetcher(self)), self.kernel, telemetry=Silence())

    def _watch(self, hosts: Any) -> None:
        """Rules count as read from the moment that they are stored."""
        change = hosts.change

        def watched(host: str, what: HostChange) -> Any:
            record = change(host, what)
            if what.robots_until and not record.robots_unavailable:
                self.observer.learned(host, self.kernel.true_now)
            return record

        hosts.change = watched

    # ── what happens ────────────────────────────────────────────────────────────────────────────

    def run(self, most_steps: int = MOST_STEPS) -> Outcome:
        """Everything, and then the questions."""
        self._set_clock_wrong()
        self.home.jobs.configure(JOB, self._config(), self.kernel.now)
        links = [Link(seed) for seed in self.world.job.seeds]
        found = LinksFound(job=JOB, source="", depth=0, via="seed", links=links)
        self.queues.send([Emission("links", found)], self.kernel.now)
        self._plan_trouble()
        self.account.tend()
        for round_ in range(1, self.world.job.rounds + 1):
            if round_ > 1 and not self._begin_round(round_, most_steps):
                break
            self.is_ranked = False
            self._plan_rankings()
            self._plan_late_indexings(round_)
            self._finish(most_steps)
            self._make_up(most_steps)
            if self.observer.violations:
                break
            checks.check_all(self, round_)
            document_checks.check_all(self)
            self._rank(most_steps)
            link_checks.check_all(self, round_)
            if changed := self._rank(most_steps):
                self.observer.violate("ranks", f"{changed} are called otherwise the second time")
        if not self.observer.violations:
            self._sweep()
        return self._outcome()

    def _sweep(self) -> None:
        """Long after the last change, only files that are in use are left."""
        self.kernel.skip(ABANDONED + 1)
        for _ in range(2):  # what is dropped while the manifest changes is retired, too
            writer = index_writer(self.home, self.kernel)
            send_tasks(writer, self.queues)  # type: ignore[arg-type]
            sweep(writer, orphans=True)
            self.kernel.skip(GRACE + 1)
        self.book.check_swept(self.home.index.names())

    def _make_up(self, most_steps: int) -> None:
        """Index what was forgotten when a crawl died, as the end of a crawl does."""
        if self.beside is None:
            return
        for _ in range(MOST_DEATHS):
            made = self.beside.make_up()
            self._finish(most_steps)
            if made.whole or self.observer.violations:
                return

    def _finish(self, most_steps: int) -> None:
        """Go on until all is quiet."""
        self._quiet_at = self.kernel.true_now
        if not self.kernel.run(self._is_over, self.kernel.steps + most_steps):
            self.observer.violate("ends", f"after {most_steps} events: {self._what_is_left()}")

    def _config(self) -> JobConfig:
        job = self.world.job
        return JobConfig(
            seeds=list(job.seeds),
            delay=job.delay,
            max_delay=job.max_delay,
            max_pages=job.max_pages,
            max_documents=job.max_documents,
            max_depth=job.max_depth,
            retries=job.retries,
            retry_wait=job.retry_wait,
            sitemaps=job.sitemaps,
            traps=TrapConfig(),
        )

    def _set_clock_wrong(self) -> None:
        """Let the clock of the program be ahead from the beginning, and right some time later."""
        faults, kernel = self.world.faults, self.kernel

        def set_right() -> None:
            self.log.append(f"{kernel.now:.3f} the clock goes back by {kernel.ahead:g} s")
            kernel.ahead = 0.0
            self.observer.clock_set_at = kernel.true_now

        if faults.ahead:
            kernel.ahead = faults.ahead
            kernel.at(kernel.now + faults.right_after, set_right)

    def _plan_trouble(self) -> None:
        chance, faults = self.kernel.chance, self.world.faults
        for _ in range(faults.stalls):
            self._later(60, partial(self.queues.stall, chance.choice(list(STREAMS))))
        for _ in range(faults.poison):
            body = chance.choice([b"not json", b'{"kind":"LinksFound","version":99,"job":"web"}'])
            self.poison.append(body)
            self._later(30, partial(self._inject, chance.choice(list(STREAMS)), body))
        for _ in range(faults.pauses):
            self._later(120, self._pause)
        if faults.stop:
            self._later(60, partial(self._set_state, "running", "stopped"))
        for _ in range(chance.randint(0, 3)):
            self._later(900, partial(self.account.compact, at_once=chance.random() < 0.5))

    def _interludes(self) -> list[Callable[[], None]]:
        """What other processes do just when the index changes."""
        faults = self.world.faults
        found: list[Callable[[], None]] = [
            *[partial(self.account.compact, at_once=True)] * faults.compactions,
            *[partial(schedules.merge_some, self.account)] * faults.merges,
            *[partial(schedules.search, self.account, self.searchers)] * faults.searches,
        ]
        self.kernel.chance.shuffle(found)
        return found

    def _plan_late_indexings(self, round_: int) -> None:
        """INDEX read some documents before the round began, and goes on in the middle of it."""
        if not self.world.faults.late_indexings:
            return
        stamps = [s for s in self.home.documents.stamps() if self.book.can_be_found(s.page)]
        pages = self.home.documents.pages([stamp.page for stamp in stamps])
        versions = [version for page in pages for version in page.versions()]

        def index_late() -> None:
            # A ranking repairs what INDEX spoils; the one before the questions must be the last.
            if versions and not self.is_ranked and self.web.round == round_:
                schedules.index_late(self.account, versions)

        for _ in range(self.world.faults.late_indexings):
            self._later(120, index_late)

    def _later(self, most: float, action: Callable[[], Any]) -> None:
        """Do something within so many seconds."""
        self.kernel.at(self.kernel.now + most * self.kernel.chance.random(), action)

    def _pause(self) -> None:
        self._set_state("running", "paused")
        self._later(90, partial(self._set_state, "paused", "running"))

    def _inject(self, stream: Stream, body: bytes) -> None:
        self.injected.add(body)
        self.queues.put(stream, body)

    def _set_state(self, before: JobState, after: JobState) -> None:
        record = self.home.jobs.get(JOB)
        if record is not None and record.state == before:
            self.log.append(f"{self.kernel.now:.3f} a person: {after}")
            self.home.jobs.set_state(JOB, after, "")

    def _plan_rankings(self) -> None:
        for _ in range(self.world.faults.rankings):
            self._later(60, partial(schedules.rank, self.account))

    def _rank(self, most_steps: int) -> int:
        """Rank undisturbed, once no lease is in the way; returns how many were renamed."""
        self.is_ranked = True
        self.kernel.skip(LEASE)
        done = schedules.rank(self.account, immune=True)
        self._finish(most_steps)
        self._make_up(most_steps)
        if not done:
            self.observer.violate("ranks", "no ranking got the lease")
        return done[0].anchors_changed if done else 0

    def _begin_round(self, round_: int, most_steps: int) -> bool:
        """Crawl again; not what a person has stopped, unless a person does."""
        record = self.home.jobs.get(JOB)
        recrawled = self.world.job.again == "recrawl"
        if recrawled and record is not None and record.state == "stopped":
            return False
        self.web.round = round_
        self.observer.begin_round()
        self.log.append(f"{self.kernel.now:.3f} round {round_}")
        if recrawled:
            self._recrawl(most_steps)
        else:
            self._refresh()
        return True

    def _recrawl(self, most_steps: int) -> None:
        """Much later, RECRAWL is called until it finds nothing left to be asked for."""
        wait = SEASON
        for _ in range(MOST_RECRAWLS):
            self.kernel.skip(wait)
            asked = schedules.recrawl(self.account)
            self._finish(most_steps)
            if asked.pages == 0 or self.observer.violations:
                return
            wait = 60 * schedules.HOUR_OR_SO
        self.observer.violate("ends", "RECRAWL never has enough")

    def _refresh(self) -> None:
        self.home.jobs.begin_round(JOB, self.kernel.now)
        emissions = list(packs(JOB, self.home.urls.revisit(JOB)))
        self.home.jobs.set_state(JOB, "running")
        self.queues.send(emissions, self.kernel.now)

    def _is_over(self) -> bool:
        record = self.home.jobs.get(JOB)
        ended = record is not None and record.state in ("finished", "stopped")
        if not ended or self.queues.depth() or not self.account.is_idle:
            self._quiet_at = self.kernel.true_now
        # One more housekeeping call: a person may have stopped the job just now.
        return self.kernel.true_now > self._quiet_at + 2 * self.pace.tend_every

    def _what_is_left(self) -> str:
        depth = {stream: len(held) for stream, held in self.queues.waiting.items() if held}
        states = Counter(record.state.value for record in self.home.urls.all())
        return f"queues {depth}, parked {self.home.frontier.count()}, URLs {dict(states)}"

    def _outcome(self) -> Outcome:
        return Outcome(
            self.world,
            self.observer.violations,
            requests=len(self.observer.requests),
            seconds=self.kernel.now,
            log=self.log,
            ends=Counter(record.state.value for record in self.home.urls.all()),
            passes=checks.count_passes(self) + self.pairs,
        )


def simulate(world: World, stage: str = "local", most_steps: int = MOST_STEPS) -> Outcome:
    """Run a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=_fast_folder()))
    try:
        tokens = (f"{number:012x}" for number in itertools.count())
        with patch("gossamer.homes.token_hex", lambda _: next(tokens)), reading_items():
            simulation = Simulation(world, folder, stage)
            try:
                return simulation.run(most_steps)
            finally:
                simulation.stage.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fast_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
