"""Every page ends with exactly one live version, whichever process dies in between."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.aws.index.store import AwsIndexStore
from gossamer.core.ids import DocumentId
from gossamer.ports.live_documents import Ordinal
from tests.unit.adapters.aws.small_dynamodb import SmallDynamoDB

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = [b"a" * 16, b"b" * 16]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.adapters.aws.clients.time.sleep", lambda _seconds: None)


class Killed(BaseException):
    """A process ended in the middle."""


@dataclass
class Worker:
    """A process that runs step by step: a step is one call to DynamoDB."""

    work: Callable[[], None]
    die_after: int = -1
    is_done: bool = False
    died: bool = False
    _may_go: threading.Event = field(default_factory=threading.Event)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()
        self._wait()

    def step(self) -> None:
        """Let it make its next call, and go on until the one after."""
        self._stopped.clear()
        self._may_go.set()
        self._wait()

    def _wait(self) -> None:
        assert self._stopped.wait(60), "a worker hangs"

    def _run(self) -> None:
        try:
            self.before_call("start")
            self.work()
        except Killed:
            self.died = True
        self.is_done = True
        self._stopped.set()

    def before_call(self, _operation: str) -> None:
        if self.die_after == 0:
            raise Killed
        self.die_after -= 1
        self._stopped.set()
        self._may_go.wait()
        self._may_go.clear()


class World:
    """Messages about pages, processes that index them, and a database."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.database = SmallDynamoDB()
        self.published: dict[int, tuple[bytes, float]] = {}
        self.newest: dict[bytes, float] = {}
        self._next = 0

    def store(self, before_call: Callable[[str], None]) -> AwsIndexStore:
        clients = SmallDynamoDB()
        clients.tables, clients.before_call = self.database.tables, before_call
        store: Any = AwsIndexStore(clients, "s", "web", lambda: 0.0)  # type: ignore[arg-type]
        return store  # type: ignore[no-any-return]

    def index(self, message: list[tuple[bytes, float]], worker: Worker) -> Callable[[], None]:
        """What INDEX does with a batch: new ordinals, postings, then the flip."""

        def work() -> None:
            ordinals = []
            for id, version in message:
                ordinals.append(Ordinal(self._next, DocumentId(id), version, "u"))
                self.published[self._next] = id, version
                self._next += self.rng.choice([1, 7168])  # now and then in another bitmap
            self.store(worker.before_call).set_live(ordinals)

        return work

    def worker(self, message: list[tuple[bytes, float]], die_after: int = -1) -> Worker:
        worker = Worker(lambda: None, die_after)
        worker.work = self.index(message, worker)
        return worker

    def run(self, messages: list[list[tuple[bytes, float]]]) -> None:
        """Deliver messages, some at once; what dies is delivered again."""
        for message in messages:
            for id, version in message:
                self.newest[id] = max(version, self.newest.get(id, 0.0))
        running = [(m, self.worker(m, self.rng.choice([-1, *range(8)]))) for m in messages]
        for _, worker in running:
            worker.start()
        while running:
            message, worker = self.rng.choice(running)
            if not worker.is_done:
                worker.step()
            if worker.is_done:
                running.remove((message, worker))
                if worker.died:
                    again = self.worker(message, self.rng.choice([-1, -1, *range(8)]))
                    again.start()
                    running.append((message, again))

    def check(self) -> None:
        store = self.store(lambda _operation: None)
        live = store.live()
        owners = sorted(self.published[ordinal][0] for ordinal in live)
        assert owners == sorted(self.newest), "each page has one live version"
        for ordinal in live:
            id, version = self.published[ordinal]
            assert version == self.newest[id], "and it is the newest"
        assert sorted(store.look_up(live)) == live


@pytest.mark.parametrize("part", range(4))
def test_every_page_ends_with_one_live_version_whatever_dies(part: int):
    for seed in range(part * 80, (part + 1) * 80):
        world = World(seed)
        rng = world.rng
        for _ in range(rng.choice([1, 2])):
            messages = [
                [
                    (id, float(rng.choice([1, 2, 2, 3])))
                    for id in rng.sample(PAGES, rng.choice([1, 2]))
                ]
                for _ in range(rng.choice([2, 3]))
            ]
            world.run(messages)
        try:
            world.check()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def test_the_ordinals_that_a_page_left_are_forgotten_once_they_are_dead():
    world = World(0)
    store = world.store(lambda _operation: None)
    for version in range(1, 20):
        store.set_live([Ordinal(version, DocumentId(PAGES[0]), float(version), "u")])

    (item,) = world.database.tables["urls"].values()
    assert len(item["old"]["L"]) <= 2
    assert store.live() == [19]


def test_a_slow_process_does_not_raise_the_dead():
    """It moved the pointer first, was overtaken, and set its bit last."""
    world = World(0)
    slow = world.worker([(PAGES[0], 1.0)])
    slow.start()
    while "urls" not in world.database.tables:
        slow.step()
    world.newest[PAGES[0]] = 2.0
    fast = world.worker([(PAGES[0], 2.0)])
    fast.start()
    for worker in (fast, slow):
        while not worker.is_done:
            worker.step()

    world.check()
