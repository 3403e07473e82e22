"""A week of a stack, step by step on a virtual clock."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.adapters.aws.home import WINDOW
from scripts.scale import batch_jobs, deployment, job_items, limits, profile, web
from scripts.scale.findings import DAY, HOUR, Findings
from scripts.scale.functions import Bolt, Turn
from scripts.scale.index_growth import IndexGrowth
from scripts.scale.plan import WEEK
from scripts.scale.profile import STREAMS, Given
from scripts.scale.queue import Queue
from scripts.scale.sums import Sums
from scripts.scale.tables import ADVICE, Tables

if TYPE_CHECKING:
    from scripts.scale.plan import Plan
    from scripts.scale.profile import Profile
    from scripts.scale.queue import Cohort

PACK = 50.0  # URLs
UNCHANGED = 0.7  # of the pages that are visited again: an assumption
LATE = HOUR  # a queue whose oldest message is older is a finding
COMPACT_EVERY = 300.0


class Week:
    """The state of a stack and of the web that it crawls."""

    def __init__(self, plan: Plan, measured: Profile | None = None) -> None:
        self.plan = plan
        self.stack = deployment.read(plan.parameters)
        self.profile = measured or profile.load()
        self.classes = web.classes(plan.pages, plan.hosts)
        self.spacing = web.spacing(plan.delay)
        self.queues = {s: Queue(self.stack[s].receives, self.stack[s].visibility) for s in STREAMS}
        self.index = IndexGrowth(self.stack["compact"].timeout)
        self.tables, self.findings, self.sums = Tables(plan.jobs), Findings(), Sums()
        self.booked = [0.0 for _ in self.classes]
        self.packed = 0.0  # URLs in messages of `frontier`
        self.now, self._hour = 0.0, (0.0, 0.0)
        self._bolts = {
            stream: Bolt(self.stack[stream], self.profile.steps[stream]) for stream in STREAMS
        }
        timed = plan.delay > 0 and not plan.eager
        self._bolts["fetch"] = replace(self._bolts["fetch"], timed=timed)
        self._filled = self._bolts  # with what their messages hold in this step

    def run(self, until: float = WEEK) -> Sums:
        """Go through the week."""
        self._seed()
        while self.now < until and not self._is_over():
            self._step()
            self.now += self.plan.step
        self._sum_up(until)
        return self.sums

    def _is_over(self) -> bool:
        """Whether the crawl is all that was asked for, and has nothing left to do."""
        ends = self.plan.eager or self.plan.until_done
        return ends and self.now > 0 and self._is_idle()

    def _waiting(self) -> list[float]:
        return [each.waiting + each.found for each in self.classes]

    def _seed(self) -> None:
        for each in self.classes:
            each.known = each.found = each.hosts
        hosts = sum(each.hosts for each in self.classes)
        self.queues["frontier"].put(hosts, 0.0)
        self.packed = hosts
        # robots.txt of every host: a message to FETCH, and a pack that is parked meanwhile
        self.queues["fetch"].put(hosts, 0.0)
        self._use({name: units * hosts for name, units in self.profile.parked.items()})

    # ── one step ────────────────────────────────────────────────────────────────────────────────
    def _step(self) -> None:
        for queue in self.queues.values():
            queue.reveal(self.now)
        if not self._is_idle():
            self._book()
            turns = self._within_tables(self._within_account(self._turns()))
            for stream, turn in turns.items():
                self._do(stream, turn)
        self._watch()
        self._on_schedule()

    def _is_idle(self) -> bool:
        return not any(queue.due for queue in self.queues.values()) and sum(self._waiting()) < 1e-6

    def _book(self) -> None:
        """SCHEDULE books slots as far ahead as it may; what finds none is parked."""
        fetch = self.queues["fetch"]
        bolt = self._bolts["fetch"]
        a_second = (
            bolt.function.concurrency * bolt.function.batch / bolt.seconds(bolt.function.batch)
        )
        room = max(0.0, a_second * WINDOW - fetch.depth())
        allowed = [each.allowed(self.plan.step, self.spacing) for each in self.classes]
        share = min(1.0, room / total) if (total := sum(allowed)) else 0.0
        for n, each in enumerate(self.classes):
            each.waiting -= allowed[n] * share
            self.booked[n] += allowed[n] * share
        fetch.put(total * share, self.now, self._version())

    def _version(self) -> int:
        deployed = self.plan.incidents.deploy_at
        return 2 if deployed is not None and self.now >= deployed else 1

    def _turns(self) -> dict[str, Turn]:
        deployed = self.plan.incidents.deploy_at
        cold = deployed is not None and 0 <= self.now - deployed < self.plan.step
        found = {}
        self._filled = self._with_contents()
        for stream, bolt in self._filled.items():
            due, most = self.queues[stream].depth(), bolt.function.concurrency
            if stream == "index" and self.index.is_full(self.now, self.findings):
                found[stream] = Turn(0.0, 0.0, 0.0)
            elif self._crashes(stream):
                found[stream] = bolt.died(due, self.plan.step, most)
            elif self.plan.eager:
                batch = min(max(due, 1.0), bolt.function.batch)
                found[stream] = Turn(due, due / batch, bolt.seconds(batch))
            else:
                found[stream] = bolt.turn(due, self.plan.step, most, cold=cold)
            self.sums.full[stream] += found[stream].messages < 0.999 * due
        return found

    def _with_contents(self) -> dict[str, Bolt]:
        """The functions with what their messages hold now."""
        packs = self.queues["frontier"].depth()
        bolts = dict(self._bolts)
        if packs:
            bolts["frontier"] = replace(bolts["frontier"], urls=self.packed / packs)
        shown = sum(each.shown for each in self.classes)
        fresh = sum(min(c.pages - c.known, c.shown * web.BRANCHING) for c in self.classes)
        links = self.profile.shape.links
        if shown:
            bolts["links"] = replace(bolts["links"], urls=links, fresh=fresh / shown)
        return bolts

    def _crashes(self, stream: str) -> bool:
        what = self.plan.incidents
        return (
            stream == what.crash_of
            and what.crash_at is not None
            and 0 <= self.now - what.crash_at < what.crash_for
        )

    def _within_account(self, turns: dict[str, Turn]) -> dict[str, Turn]:
        used = sum(turn.concurrency(self.plan.step) for turn in turns.values())
        self.sums.most_at_once = max(self.sums.most_at_once, used)
        if used <= limits.ACCOUNT_CONCURRENCY or self.plan.eager:
            return turns
        what = f"{used:,.0f} functions at once, an account has {limits.ACCOUNT_CONCURRENCY:,.0f}"
        self.findings.note("account", self.now, what, "ask AWS for a higher quota")
        return _scaled(turns, dict.fromkeys(turns, limits.ACCOUNT_CONCURRENCY / used))

    def _within_tables(self, turns: dict[str, Turn]) -> dict[str, Turn]:
        bolts = self._filled
        by_stream = {s: self._used(bolts[s], turn) for s, turn in turns.items()}
        if self.plan.limited:
            reserved = job_items.reserving(self.profile.reserved, turns["fetch"].messages)
            by_stream["frontier"] = _added(by_stream["frontier"], reserved)
        wanted: dict[str, float] = defaultdict(float)
        for used in by_stream.values():
            for name, units in used.items():
                wanted[name] += units / self.plan.step
        self._check_bucket(wanted)
        shares = self.tables.shares(wanted, self.now, self.findings)
        self.sums.throttled.update(shares.keys())
        if not shares:
            least = dict.fromkeys(turns, 1.0)
        else:
            least = {s: min((shares.get(n, 1.0) for n in by_stream[s]), default=1.0) for s in turns}
        for stream, used in by_stream.items():
            self._use({name: units * least[stream] for name, units in used.items()})
        return _scaled(turns, least)

    def _used(self, bolt: Bolt, turn: Turn) -> dict[str, float]:
        """What a turn asks of AWS."""
        if self._crashes(bolt.function.name):
            return {}
        used = bolt.step.used(bolt.given(turn))
        if self.plan.eager:  # one process, which has read the job
            return used
        return _added(used, job_items.reading(turn, self.plan.step, limited=self.plan.limited))

    def _check_bucket(self, wanted: dict[str, float]) -> None:
        puts = wanted.get("s3put bucket:warc/", 0.0)
        if puts > limits.PREFIX_PUTS:
            what = f"{puts:,.0f} PUT/s to one prefix of S3, which takes {limits.PREFIX_PUTS:,.0f}"
            self.findings.note("s3", self.now, what, "several prefixes for WARC files")

    def _use(self, units: dict[str, float]) -> None:
        for name, count in units.items():
            self.sums.units[name] += count

    # ── what messages cause ─────────────────────────────────────────────────────────────────────
    def _do(self, stream: str, turn: Turn) -> None:
        queue, depth = self.queues[stream], self.queues[stream].depth()
        bolt = self._filled[stream]
        taken = queue.take(turn.messages)
        self._account(stream, bolt, turn)
        if self._crashes(stream):
            queue.hold(taken, self.now)
            self._check_in_flight(stream)
            return
        self._note_old(taken)
        count = sum(cohort.count for cohort in taken)
        if count > 0:
            getattr(self, f"_{stream}")(count, count / depth, turn)

    def _account(self, stream: str, bolt: Bolt, turn: Turn) -> None:
        sums, given = self.sums, bolt.given(turn)
        before = sums.given.get(stream, Given()).numbers()
        sums.given[stream] = Given(*(a + b for a, b in zip(before, given.numbers(), strict=True)))
        starts = turn.invocations * turn.seconds / limits.PROCESS_SECONDS
        seconds = turn.invocations * turn.seconds + starts * limits.COLD_START
        sums.plain["gbms"] += bolt.function.memory_mb / 1024 * seconds * 1e3
        sums.plain["invocations"] += turn.invocations
        sums.plain["logs"] += turn.messages * limits.MESSAGE_LOG_BYTES
        sums.plain["logs"] += turn.invocations * limits.CALL_LOG_BYTES

    def _note_old(self, taken: list[Cohort]) -> None:
        if self._version() > 1:
            old = sum(cohort.count for cohort in taken if cohort.version == 1)
            self.sums.old_messages += old
            self.sums.old_until = self.now if old else self.sums.old_until

    def _check_in_flight(self, stream: str) -> None:
        held = self.queues[stream].in_flight()
        if held > limits.IN_FLIGHT:
            what = f"{held:,.0f} messages of {stream} in flight, SQS allows {limits.IN_FLIGHT:,.0f}"
            self.findings.note("in-flight", self.now, what, "roll back sooner", is_break=False)

    def _frontier(self, count: float, share: float, turn: Turn) -> None:
        del count, turn
        urls = self.packed * share
        self.packed -= urls
        room = WINDOW / self.spacing if self.spacing else PACK
        for each in self.classes:
            moved = each.found * share
            each.found -= moved
            each.waiting += moved
        late = sum(max(0.0, each.waiting - each.hosts * room) for each in self.classes)
        packs = min(urls, late) / PACK  # what finds no slot within the window is parked once
        self._use({name: units * packs for name, units in self.profile.parked.items()})

    def _fetch(self, count: float, share: float, turn: Turn) -> None:
        del turn
        pages = 0.0
        for n, each in enumerate(self.classes):
            moved = self.booked[n] * share
            self.booked[n] -= moved
            fresh = min(moved, each.pages - each.fetched)
            again = moved - fresh
            each.fetched += fresh
            each.shown += fresh
            pages += fresh
            self.sums.revisits += again
            self.queues["parse"].put(again * (1 - UNCHANGED), self.now, self._version())
        self.sums.pages += pages
        if self.sums.pages >= 0.999 * self.plan.pages and not self.sums.finished_at:
            self.sums.finished_at = self.now
        self.queues["parse"].put(pages, self.now, self._version())

    def _parse(self, count: float, share: float, turn: Turn) -> None:
        del share, turn
        self.queues["links"].put(count, self.now, self._version())
        self.queues["index"].put(count, self.now, self._version())

    def _links(self, count: float, share: float, turn: Turn) -> None:
        del count, turn
        fresh = sum(each.discover(each.shown * share) for each in self.classes)
        self.packed += fresh
        self.queues["frontier"].put(fresh * self.profile.shape.packs, self.now, self._version())

    def _index(self, count: float, share: float, turn: Turn) -> None:
        del share
        self.sums.indexed += count
        self.index.add(count, count / turn.invocations if turn.invocations else 1.0, self.now)

    # ── what the clock causes ───────────────────────────────────────────────────────────────────
    def _on_schedule(self) -> None:
        now, step = self.now, self.plan.step
        self._invoke("frontier", 2.0)  # the sweep of every minute
        self._use(
            {f"sqs queue:{s}": limits.FIRST_POLLERS * step / limits.LONG_POLL for s in STREAMS}
        )
        if now % COMPACT_EVERY < step:
            took = self.index.compact(now, self.stack["merge"].concurrency, self.findings)
            self._invoke("compact", took)
            self._use(self.index.take_units())
            self._invoke("merge", self.index.merge_seconds)
            self.index.merge_seconds = 0.0
        if now % DAY < step and now > 0 and self.stack.parameters["RankSchedule"] == "ENABLED":
            self._add(batch_jobs.rank(self.sums.pages, self.stack["rank"], now, self.findings))
        if self.plan.recrawl and now % HOUR < step and self.sums.finished_at:
            self._recrawl()
        self._redrive()

    def _recrawl(self) -> None:
        known = sum(each.known for each in self.classes)
        self._add(batch_jobs.recrawl(known, self.stack["recrawl"], self.now, self.findings))
        for each in self.classes:
            each.waiting += each.fetched * self.plan.recrawl * HOUR / DAY

    def _redrive(self) -> None:
        what = self.plan.incidents
        if what.crash_at is None:
            return
        due = what.crash_at + what.crash_for + what.redrive_after
        queue = self.queues[what.crash_of]
        if queue.buried:
            said = (
                f"{what.crash_of.upper()} dies with every batch: SQS gives messages up after"
                f" {queue.receives} receives; they become dead letters"
            )
            advice = "roll back within two hours of the alarm; then `redrive`"
            self.findings.note("crash", self.now, said, advice, is_break=False)
        if due <= self.now:
            self.sums.redriven += queue.redrive(self.now, self._version())

    def _invoke(self, name: str, seconds: float) -> None:
        memory = self.stack[name].memory_mb
        used = {"gbms": memory / 1024 * seconds * 1e3, "invocations": 1.0}
        self._add(used | {"logs": limits.CALL_LOG_BYTES})

    def _add(self, units: dict[str, float]) -> None:
        for kind, count in units.items():
            self.sums.plain[kind] += count

    # ── watching ────────────────────────────────────────────────────────────────────────────────
    def _watch(self) -> None:
        began, pages = self._hour
        if self.now - began >= HOUR:
            rate = (self.sums.pages - pages) / (self.now - began)
            self.sums.fastest = max(self.sums.fastest, rate)
            self._hour = self.now, self.sums.pages
        for stream, queue in self.queues.items():
            age = queue.oldest(self.now)
            self.sums.oldest[stream] = max(self.sums.oldest[stream], age)
            if age > LATE and not self._is_after_crash():
                what = f"the oldest message of {stream} has waited for an hour"
                self.findings.note(f"late {stream}", self.now, what, _more(stream))

    def _is_after_crash(self) -> bool:
        at = self.plan.incidents.crash_at
        return at is not None and self.now >= at

    def _sum_up(self, until: float) -> None:
        if self.plan.pages - self.sums.pages <= 0.001 * self.plan.pages:
            return
        why, advice, is_break = self._bottleneck(0.5 * until / self.plan.step)
        what = f"{self.sums.pages:,.0f} of {self.plan.pages:,} pages in the week: {why}"
        self.findings.note("unfinished", until, what, advice, is_break=is_break)

    def _bottleneck(self, often: float) -> tuple[str, str, bool]:
        """What the crawl waited for in most steps."""
        for name, steps in self.sums.throttled.most_common(1):
            if steps > often:
                return f"DynamoDB refuses {name}", ADVICE.get(name, "a higher quota"), True
        for stream, steps in self.sums.full.most_common(1):
            if steps > often:
                return f"{stream} is full", _more(stream), True
        return (
            "politeness: the largest hosts take longer",
            "more time, or fewer pages a host",
            False,
        )


def _more(stream: str) -> str:
    name = "Schedule" if stream == "frontier" else stream.capitalize()
    return f"a larger {name}Concurrency"


def _scaled(turns: dict[str, Turn], shares: dict[str, float]) -> dict[str, Turn]:
    return {
        stream: Turn(
            turn.messages * shares[stream], turn.invocations * shares[stream], turn.seconds
        )
        for stream, turn in turns.items()
    }


def _added(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    return {name: first.get(name, 0.0) + second.get(name, 0.0) for name in {**first, **second}}
