"""What time is it in a simulated world, and whose turn is it?

Every invocation of a function is a process, every message in it a task of that process. A task runs
until it asks for time; then the kernel goes on with whatever comes next. Nothing sleeps, nothing
is in parallel, and the same seed gives the same order of everything.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import getcurrent, greenlet

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from random import Random

T = TypeVar("T")
START = 1_795_000_000.0  # in November 2026: calendars have a year to end in


class Died(BaseException):
    """The process ended here. No `except Exception` of the program may survive it."""


class Process:
    """One invocation: what it was doing is gone when it dies."""

    def __init__(self, name: str, immune: bool = False) -> None:
        self.name = name
        self.immune = immune  # nothing bad happens to it (its messages have suffered enough)
        self.dead = False


class Task(greenlet):
    """Something a process does, with a place in the order of events."""

    def __init__(self, process: Process, work: Callable[[], None], hub: greenlet) -> None:
        super().__init__(work, hub)
        self.process = process
        self.subject = ""  # what it is dealing with, for those who watch
        self.begun_at = 0.0  # since when


class Kernel:
    """A clock that jumps from event to event. The clock that the program reads may be ahead."""

    def __init__(self, chance: Random, at: float = START) -> None:
        self.chance = chance
        self.true_now = at
        self.ahead = 0.0  # seconds by which the clock of the program is wrong
        self.steps = 0
        self._events: list[tuple[float, float, int, Callable[[], Any]]] = []
        self._hub = getcurrent()

    def __call__(self) -> float:
        return self.now

    @property
    def now(self) -> float:
        """What the clock of the program says."""
        return self.true_now + self.ahead

    def at(self, moment: float, action: Callable[[], Any]) -> None:
        """Do something later; of what is due at one moment, chance says what comes first."""
        self.steps += 1
        entry = (max(moment - self.ahead, self.true_now), self.chance.random(), self.steps, action)
        heapq.heappush(self._events, entry)

    def run(self, is_over: Callable[[], bool], most: int) -> bool:
        """Go through events until all is over; False if that takes too many."""
        while self._events and not is_over():
            if self.steps > most:
                return False
            self.true_now, _, _, action = heapq.heappop(self._events)
            action()
        return True

    def skip(self, seconds: float) -> None:
        """Let time pass in which nothing happens: whatever was to come comes later."""
        self.true_now += seconds
        self._events = [(moment + seconds, *rest) for moment, *rest in self._events]  # type: ignore[misc]

    def start(self, process: Process, work: Callable[[], None]) -> None:
        """Begin a task of a process now."""

        def mortal() -> None:
            try:
                if not process.dead:
                    work()
            except Died:
                process.dead = True

        self.at(self.now, Task(process, mortal, self._hub).switch)

    def sleep(self, seconds: float) -> None:
        """Let time pass for the task that asks, and others go on meanwhile."""
        task = getcurrent()
        if isinstance(task, Task):
            self.at(self.now + seconds, task.switch)
            self._hub.switch()
            if task.process.dead:
                raise Died


def current() -> Task | None:
    """The task that is running; None for the world itself."""
    task = getcurrent()
    return task if isinstance(task, Task) else None


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a bolt whose ports never wait for a loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a port waited for a loop")
