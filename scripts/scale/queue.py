"""A queue of SQS, in cohorts: messages that were sent in one step of the clock are told apart no
further."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Cohort:
    """Messages that were sent together and have the same history."""

    count: float
    sent: float
    version: int = 1
    receives: int = 0
    visible: float = 0.0


@dataclass(slots=True)
class Queue:
    """Messages that are due, and those that a function held when it died."""

    receives: int
    visibility: float
    due: deque[Cohort] = field(default_factory=deque)
    hidden: deque[Cohort] = field(default_factory=deque)
    buried: float = 0.0

    def put(self, count: float, now: float, version: int = 1) -> None:
        """Send messages; they are due at once."""
        if count > 0:
            self.due.append(Cohort(count, now, version, visible=now))

    def reveal(self, now: float) -> None:
        """What was hidden long enough is due again; what was received too often is buried."""
        while self.hidden and self.hidden[0].visible <= now:
            cohort = self.hidden.popleft()
            if cohort.receives >= self.receives:
                self.buried += cohort.count
            else:
                self.due.append(cohort)

    def depth(self) -> float:
        """How many messages are due."""
        return sum(cohort.count for cohort in self.due)

    def in_flight(self) -> float:
        """How many are held by functions that died."""
        return sum(cohort.count for cohort in self.hidden)

    def oldest(self, now: float) -> float:
        """For how long the oldest message has waited."""
        sent = [cohort.sent for cohorts in (self.due, self.hidden) for cohort in cohorts]
        return now - min(sent) if sent else 0.0

    def take(self, most: float) -> list[Cohort]:
        """Receive up to so many messages, the oldest due ones first."""
        taken: list[Cohort] = []
        while self.due and most > 1e-9:
            cohort = self.due[0]
            some = min(cohort.count, most)
            most -= some
            receives, cohort.count = cohort.receives + 1, cohort.count - some
            taken.append(Cohort(some, cohort.sent, cohort.version, receives))
            if cohort.count <= 1e-9:
                self.due.popleft()
        return taken

    def hold(self, cohorts: list[Cohort], now: float) -> None:
        """The function died: messages stay hidden until their visibility timeout is over."""
        for cohort in cohorts:
            cohort.visible = now + self.visibility
            self.hidden.append(cohort)

    def redrive(self, now: float, version: int = 1) -> float:
        """A person sends again what was buried; returns how much."""
        count, self.buried = self.buried, 0.0
        self.put(count, now, version)
        return count
