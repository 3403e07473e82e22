"""Who calls the functions? What Lambda does: batches, at most so many at once, at least once."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import GossamerError, TransientError
from gossamer.entrypoints.dispatch import deal_with
from gossamer.entrypoints.lambdas import compact as compacting
from gossamer.entrypoints.lambdas import schedule
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.merge import merge_handler
from gossamer.entrypoints.lambdas.sqs import MAX_WAIT, Case, answer, read
from gossamer.messages import FetchRequest
from gossamer.topology import STREAMS
from tests.simulation.kernel import Died, Process, current, drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Record, Worker
    from gossamer.messages import Stream
    from tests.simulation.faults import Misfortune
    from tests.simulation.kernel import Kernel
    from tests.simulation.observer import Observer
    from tests.simulation.queues import Held, SimulatedQueues

CONCURRENCY = {"fetch": 8}
USUAL_CONCURRENCY = 3
BATCH = 5
MAX_SETBACKS = 2  # a message is dead after four tries: what suffered twice is left alone


class Account:
    """Runs the real handlers on what the queues deliver."""

    def __init__(
        self,
        kernel: Kernel,
        queues: SimulatedQueues,
        workers: list[Worker],
        tended: Callable[[Worker], Worker],
        misfortune: Misfortune,
        observer: Observer,
        tend_every: float,
    ) -> None:
        self.kernel, self.queues, self.observer = kernel, queues, observer
        self._workers, self._tended = workers, tended
        self._misfortune, self._tend_every = misfortune, tend_every
        self._running: Counter[Stream] = Counter()
        self._called = 0
        self._names: Counter[str] = Counter()
        self._leases: dict[str, tuple[int, float]] = {}
        self.handlers: dict[str, Any] = {"index": index_handler, "merge": merge_handler}
        queues.on_due = self.offer

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs that a queue or a schedule has called."""
        return not self._called and not sum(self._running.values())

    def _worker(self) -> Worker:
        """Any of the processes that are kept warm: each remembers other things."""
        return self.kernel.chance.choice(self._workers)

    # ── functions that queues trigger ───────────────────────────────────────────────────────────

    def offer(self, stream: Stream) -> None:
        """Something of a stream is due: start a function if there is room."""
        while self._running[stream] < CONCURRENCY.get(stream, USUAL_CONCURRENCY):
            batch = self.queues.take(stream, self.kernel.chance.randint(1, BATCH))
            if not batch:
                return
            self._invoke(stream, batch)

    def _invoke(self, stream: Stream, batch: list[Held]) -> None:
        immune = any(held.setbacks >= MAX_SETBACKS for held in batch)
        process = self._process(STREAMS[stream].bolt, immune)
        self._running[stream] += 1
        run = self._run_handler if stream in self.handlers else self._run_bolt

        def work() -> None:
            try:
                self._settle(batch, run(stream, batch, process))
            except Died:
                process.dead = True
            except TransientError:  # the whole invocation failed: all of its messages come back
                process.dead = True
            finally:
                for held in batch:
                    held.setbacks += process.dead
                self._running[stream] -= 1
                self.observer.process_ended(process)
                self.kernel.at(self.kernel.now, lambda: self.offer(stream))

        self.kernel.start(process, work)

    def _process(self, name: str, immune: bool) -> Process:
        self._names[name] += 1
        return Process(f"{name}-{self._names[name]}", immune)

    def _settle(self, batch: list[Held], failed: set[str]) -> None:
        """Lambda deletes what did not fail; what failed comes back when it is no longer hidden."""
        task = current()
        if task is not None:
            self._misfortune.after(task, "its answer")
        for held in batch:
            if held.id in failed:
                held.setbacks += 1
            else:
                self.queues.remove(held)

    def _run_bolt(self, stream: Stream, batch: list[Held], process: Process) -> set[str]:
        worker = self._worker()
        cases = [Case(_record(held)) for held in batch]
        left = len(cases)

        def deal(case: Case) -> None:
            nonlocal left
            self._deal_with(stream, case, worker)
            left -= 1

        for case in cases[1:]:  # the first is dealt with here, the others beside it
            self.kernel.start(process, lambda case=case: deal(case))  # type: ignore[misc]
        deal(cases[0])
        while left:
            self.kernel.sleep(0.01)
        return _failed(answer(stream, cases, worker))

    def _deal_with(self, stream: Stream, case: Case, worker: Worker) -> None:
        task = current()
        try:
            case.message = read(stream, case.record["body"])
            if task is not None:
                task.subject = f"{stream} {case.record['messageId']}"
                self.observer.begins(task, case.message, self.kernel.true_now)
            if isinstance(case.message, FetchRequest):
                wait = case.message.slot - self.kernel.now
                if 0 < wait <= MAX_WAIT:
                    self.kernel.sleep(wait)
            case.emissions = drive(deal_with(stream, case.message, worker.ports, self.kernel.now))
            if task is not None:
                self.observer.done(task, case.emissions, self.kernel.true_now)
        except Exception as error:  # noqa: BLE001 — as in the program
            if not isinstance(error, GossamerError):
                self.observer.raised(stream, error)
            case.error = error

    def _run_handler(self, stream: Stream, batch: list[Held], process: Process) -> set[str]:
        del process
        handler = self.handlers[stream](self._worker)
        return _failed(handler({"Records": [_record(held) for held in batch]}, None))

    # ── functions that time triggers ────────────────────────────────────────────────────────────

    def tend(self) -> None:
        """Look after the jobs, again and again."""

        def work() -> None:
            schedule.tend(self._tended(self._worker()), self.kernel.sleep)

        self._in_own_process("tend", work, counted=False)
        self.kernel.at(self.kernel.now + self._tend_every, self.tend)

    def compact(self, *, at_once: bool) -> None:
        """Compact the index; some merges are cut into tasks, some segments get heads."""
        bounds = self.kernel.chance.choice([{}, {"alone_bytes": 1, "part_bytes": 400}])
        event = {"at_once": at_once, "heads_from": 1, **bounds}

        def work() -> None:
            compacting.compact_handler(self._worker)(event, None)

        self._in_own_process("compact", work)

    def call(self, name: str, work: Callable[[Worker], Any], *, immune: bool = False) -> None:
        """Call a function once, in one of the processes that are kept warm."""
        self._in_own_process(name, lambda: work(self._worker()), immune=immune)

    def _in_own_process(
        self,
        name: str,
        work: Callable[[], Any],
        *,
        immune: bool = False,
        counted: bool = True,
    ) -> None:
        process = self._process(name, immune=immune)
        self._called += counted

        def careful() -> None:
            try:
                work()
            except Died:
                process.dead = True
            except GossamerError:
                pass  # it is called again
            finally:
                self._called -= counted
                self.observer.process_ended(process)

        self.kernel.start(process, careful)

    # ── leases ──────────────────────────────────────────────────────────────────

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        """Become the one who may."""
        del owner
        epoch, ends = self._leases.get(name, (0, 0.0))
        if ends > now:
            return None
        self._leases[name] = epoch + 1, until
        return epoch + 1

    def end_lease(self, name: str, epoch: int) -> None:
        """Let the next one begin; a dead process cannot."""
        task = current()
        if (task is None or not task.process.dead) and self._leases[name][0] == epoch:
            self._leases[name] = epoch, 0.0


def _record(held: Held) -> Record:
    return {
        "messageId": held.id,
        "receiptHandle": held.id,
        "body": held.body.decode("utf-8", "replace"),
        "attributes": {"ApproximateReceiveCount": str(held.received)},
    }


def _failed(response: dict[str, Any]) -> set[str]:
    return {str(entry["itemIdentifier"]) for entry in response["batchItemFailures"]}


def told(body: bytes) -> str:
    """A message for a log."""
    try:
        return json.dumps(json.loads(body))[:300]
    except ValueError:
        return repr(body[:80])
