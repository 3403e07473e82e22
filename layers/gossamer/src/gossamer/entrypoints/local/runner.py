"""The runner of a crawl on one machine.

One loop pumps messages from the SQLite queues through the bolts; requests and parser processes run
beside it. A message is acknowledged in the same transaction as its effects and its emissions, and a
request keeps its place in the concurrency until that transaction is durable: a kill repeats at most
the requests in flight.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from typing import TYPE_CHECKING, Literal

from gossamer.bolts.packs import packs
from gossamer.bolts.schedule import has_budget, sweep
from gossamer.core.crawl.claims import MAX_CLOCK_SKEW
from gossamer.core.crawl.host_pace import latest_wake
from gossamer.core.crawl.job import normalised_seeds
from gossamer.core.crawl.politeness import latest_slot
from gossamer.core.errors import StoreFailed, UndecodableMessage
from gossamer.core.urls import url_id
from gossamer.entrypoints.dispatch import deal_with, end_dead_letter, forget_packs
from gossamer.entrypoints.local.report import duration
from gossamer.entrypoints.seeding import reopen
from gossamer.messages import (
    DocumentParsed,
    Emission,
    Link,
    LinksFound,
    decode,
)
from gossamer.topology import CLOSING_STREAMS, CRAWL_STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.entrypoints.local.index_beside import IndexBeside
    from gossamer.messages import Stream
    from gossamer.ports import Ports
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord
    from gossamer.ports.queues import Delivery

    Watcher = Callable[["Runner"], None]

log = logging.getLogger(__name__)

RunState = Literal["finished", "stopped", "paused", "interrupted"]
SWEEP_EVERY = 0.05
CONTROL_EVERY = 0.5
CHECKPOINT_EVERY = 10.0
DRAIN_PATIENCE = 15.0  # seconds that requests under way may still take after Ctrl-C
RETRY_WAIT = 1.0  # before a message whose bolt raised is tried again
SYNC_BATCH = 16  # messages of the quick bolts per turn: more would keep due slots waiting
PARSE_AHEAD = 3  # pages per parser process, so that none waits for the loop


class Runner:
    """Runs one job of an embedded home until it is finished, stopped or interrupted."""

    def __init__(
        self,
        home: Home,
        ports: Ports,
        job: str,
        clock: Callable[[], float],
        *,
        parsers: int = 1,
        watchers: tuple[Watcher, ...] = (),
        revise: bool = False,
        refresh: bool = False,
        again: Sequence[Emission] | None = None,
        beside: IndexBeside | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`revise`: the rules have changed. `refresh`: ask again for all that was asked before.

        `again`: ask once more, but only for these. `beside` indexes what is parsed. `timer` counts
        seconds whatever happens to the clock.
        """
        self.home = home
        self.job = job
        self.clock = clock
        self.timer = timer
        self._last_now = clock()
        self._counted_until = timer()
        self._ports = ports
        self._watchers = watchers
        self._must_revise = revise
        self._must_refresh = refresh
        self._again = again
        self.beside = beside
        self._limits: dict[Stream, int] = {
            "fetch": self.record.config.concurrency,
            "parse": parsers * PARSE_AHEAD,
        }
        self.active: dict[Stream, set[asyncio.Task[None]]] = {"fetch": set(), "parse": set()}
        self._wake = asyncio.Event()
        self._checkpoint: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._checkpoint.set_result(None)
        self._interrupted = False
        self._failure: StoreFailed | None = None
        self._closing = ""  # the reason why nothing new is fetched any more
        self._next = dict.fromkeys(("sweep", "control"), 0.0)
        self._next["checkpoint"] = self._counted_until + CHECKPOINT_EVERY

    @property
    def record(self) -> JobRecord:
        """The job as it stands."""
        record = self.home.jobs.get(self.job)
        if record is None:
            raise KeyError(self.job)
        return record

    @property
    def seconds(self) -> float:
        """How long the job has been running, over all its runs."""
        return self.record.seconds + self.timer() - self._counted_until

    async def run(self) -> RunState:
        """Pump until there is nothing left to do."""
        self._take_signals()
        self._begin()
        while not self._is_over():
            moved = self._turn()
            await self._pause(moved)
        return await self._end()

    def _take_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.interrupt)

    def interrupt(self) -> None:
        """Stop taking new messages and let what is under way come to its end."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
        self._wake.set()

    def _begin(self) -> None:
        now, ended = self.clock(), self.record.state in ("finished", "stopped")
        self.home.queues.send(self._seeds() if self._again is None else self._again, now)
        if ended and self._must_refresh:
            self.home.jobs.begin_round(self.job, now)
            self.home.queues.send(packs(self.job, self.home.urls.revisit(self.job)), now)
        if (ended and self._again is None) or self._must_revise:
            reopen(self.home, self.record, now)
        self.home.jobs.set_state(self.job, "running")
        self._wake_later_than_honest(now)
        self.home.commit()

    def _wake_later_than_honest(self, now: float) -> None:
        """Let go on what an earlier clock, which was ahead, has put off for too long."""
        latest = latest_wake(self.record.config, self._ports.grace, self._ports.window, now)
        self.home.wake_later_than(latest, now)

    def _heed_clock(self, now: float) -> None:
        """Say so when the clock goes back: hosts wait for slots that were booked by it before."""
        back, self._last_now = self._last_now - now, now
        if back > MAX_CLOCK_SKEW:
            pace = latest_slot(now, self.record.config.delay, self._ports.window)
            until = time.strftime("%H:%M:%S", time.localtime(min(pace, now + back)))
            log.warning(
                "the clock went back by %s. To keep its distance from requests already made, the"
                " crawl waits until about %s.",
                *(duration(back), until),
            )
            self._wake_later_than_honest(now)

    def _seeds(self) -> Iterator[Emission]:
        get, seeds = self.home.urls.get, normalised_seeds(self.record.config)
        links = [Link(seed) for seed in seeds if get(url_id(seed)) is None]
        if links:
            found = LinksFound(job=self.job, source="", depth=0, via="seed", links=links)
            yield Emission("links", found)

    def _is_over(self) -> bool:
        if self._failure is not None:
            raise self._failure
        if self._interrupted:
            return True
        if any(self.active.values()):
            return False
        depth = self.home.queues.depth()
        if self._closing:
            return not any(depth[stream] for stream in CLOSING_STREAMS)
        if any(depth.values()):
            return False
        if self.home.frontier.next_at() is None:
            return True
        spent = self.record.state == "running" and not has_budget(self.record)
        return spent and not self.home.free_waiting(self.job, self.clock())

    def _turn(self) -> bool:
        """Give every bolt something to do; False when none had anything."""
        now = self.clock()
        self._heed_clock(now)
        self._tend(now)
        if self.record.state == "paused":
            return False
        moved = False
        for stream in CLOSING_STREAMS if self._closing else CRAWL_STREAMS:
            moved |= self._start(stream, now) if stream in self.active else self._run(stream, now)
        return moved

    def _tend(self, now: float) -> None:
        """What is done now and then."""
        if self._is_due("sweep", SWEEP_EVERY):
            self._send(sweep(self.job, self._ports, now), now)
        if self._is_due("control", CONTROL_EVERY):
            self._obey(self.home.take_command(self.job))
            self._mind_the_time()
            self._fold_log()
        if self.beside is not None:
            self.beside.tend(self.timer())
        for watch in self._watchers:
            watch(self)

    def _fold_log(self) -> None:
        due = self._is_due("checkpoint", CHECKPOINT_EVERY)
        if (due or self.home.needs_checkpoint()) and self._checkpoint.done():
            self._checkpoint.result()  # a disk that failed is heard here
            self._checkpoint = asyncio.create_task(self.home.checkpoint())

    def _is_due(self, what: str, every: float) -> bool:
        now = self.timer()
        due = now >= self._next[what]
        if due:
            self._next[what] = now + every
        return due

    def _obey(self, wish: str) -> None:
        if wish == "stop":
            self._closing = "stopped"
        elif wish == "pause":
            self.home.jobs.set_state(self.job, "paused")
        elif wish == "resume":
            self.home.jobs.set_state(self.job, "running")

    def _mind_the_time(self) -> None:
        now = self.timer()
        self.home.jobs.spend_seconds(self.job, now - self._counted_until)
        self._counted_until = now
        limit = self.record.config.max_seconds
        if limit is not None and self.seconds >= limit and not self._closing:
            self._closing = "max-seconds"

    def _start(self, stream: Stream, now: float) -> bool:
        """Start as many messages of a slow bolt as its concurrency has room for."""
        active = self.active[stream]
        deliveries = self.home.queues.receive(stream, self._limits[stream] - len(active), now)
        for delivery in deliveries:
            task = asyncio.create_task(self._work(stream, delivery))
            active.add(task)
            task.add_done_callback(active.discard)
        return bool(deliveries)

    def _run(self, stream: Stream, now: float) -> bool:
        """Run a quick bolt on the spot: it never waits for anything."""
        deliveries = self.home.queues.peek(stream, SYNC_BATCH, now)
        for delivery in deliveries:
            step = self._deal_with(stream, delivery)
            try:
                step.send(None)
            except StopIteration:
                continue
            raise RuntimeError(f"the bolt of {stream} waited for something")
        return bool(deliveries)

    async def _work(self, stream: Stream, delivery: Delivery) -> None:
        try:
            await self._deal_with(stream, delivery)
            if stream == "fetch":  # its place is kept until its effects are durable
                await self.home.committed()
        except StoreFailed as error:
            self._failure = error
        self._wake.set()

    async def _deal_with(self, stream: Stream, delivery: Delivery) -> None:
        queues, message = self.home.queues, None
        try:
            message = decode(delivery.body)
            emissions = await deal_with(stream, message, self._ports, self.clock())
        except UndecodableMessage as error:
            queues.bury(stream, delivery, str(error), self.clock())
        except StoreFailed:
            raise
        except Exception as error:
            log.exception("bolt of %s failed", stream)
            self._retry_or_bury(stream, delivery, error)
        else:
            self._send(emissions, self.clock())
            queues.acknowledge([delivery])

    def _send(self, emissions: list[Emission], now: float) -> None:
        # What is to be indexed is found in the documents' own table here: no message must be kept.
        sent = [emission for emission in emissions if emission.stream != "index"]
        if self.beside is not None:
            for emission in emissions:
                if isinstance(emission.message, DocumentParsed):
                    self.beside.note(emission.message, self.timer())
        self.home.queues.send(sent, now)
        forget_packs(sent, self.home.frontier)

    def _retry_or_bury(self, stream: Stream, delivery: Delivery, error: Exception) -> None:
        queues, now = self.home.queues, self.clock()
        if not queues.is_hopeless(delivery):
            queues.retry(delivery, now + RETRY_WAIT)
            return
        queues.bury(stream, delivery, f"{type(error).__name__}: {error}", now)
        end_dead_letter(decode(delivery.body), self._ports, now)

    async def _pause(self, moved: bool) -> None:
        """Let requests and parsers go on; wait for the next due moment if nothing moved."""
        if moved:
            await asyncio.sleep(0)
            return
        self.home.commit()
        now = self.clock()
        free = [stream for stream, t in self.active.items() if len(t) < self._limits[stream]]
        due = [self.home.queues.due_at(stream) for stream in ("links", "frontier", *free)]
        if self.record.state == "paused":
            due = []
        wait = min([SWEEP_EVERY, *(max(0.0, at - now) for at in due)])
        self._wake.clear()
        try:
            async with asyncio.timeout(max(wait, 0.001)):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _end(self) -> RunState:
        await self._drain()
        if self.beside is not None:
            self.home.commit()
            await self.beside.close(finish=True)
        state: RunState = "interrupted"
        if not self._interrupted:
            state = "stopped" if self._closing == "stopped" else "finished"
            reason = self._closing or self._spent_limit()
            cut = bool(reason) and self.home.close_waiting(self.job, reason) > 0
            self.home.jobs.set_state(self.job, state, reason if cut else "")
        self._mind_the_time()
        self.home.commit()
        await self._checkpoint
        await self.home.checkpoint()
        return state

    async def _drain(self) -> None:
        tasks = [task for group in self.active.values() for task in group]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=DRAIN_PATIENCE)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _spent_limit(self) -> str:
        if self.record.pages_left == 0:
            return "max-pages"
        return "max-documents" if self.record.documents_left == 0 else ""
