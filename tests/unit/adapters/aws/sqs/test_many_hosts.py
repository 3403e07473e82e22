"""What do twenty fetchers do for a thousand hosts? Message by message, on a virtual clock."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from random import Random

from gossamer.adapters.aws.home import WINDOW
from gossamer.adapters.aws.sqs.gathering import A_SECOND, SWEEP, Ahead, held_back
from gossamer.core.crawl.politeness import CLOUD_GRACE, book, slot_times
from gossamer.messages import MAX_PACK, Candidate, CrawlRequest, Emission

FETCHERS, BATCH, GATHERED, SERVER, CALLS = 20, 20, 1.0, 1.0, 0.15
HOSTS, MINUTES = 1_000, 5
PACE = CLOUD_GRACE.pace(1.0)
REQUEST = CrawlRequest(job="web", host="a.test", urls=[Candidate("http://a.test/")])


class Crawl:
    """Hosts that never end, a SCHEDULE that takes no time, and the functions of FETCH."""

    def __init__(self, fetchers: int) -> None:
        self.now, self.chance = 0.0, Random(1)
        self.next_slot = [0.0] * HOSTS
        self.waiting: list[tuple[float, float, float, int]] = []  # visible, chance, slot, host
        self.booked: Counter[int] = Counter()  # by host
        self.ahead = Ahead(self.counts, fetchers)
        self.sums: Counter[str] = Counter()

    def counts(self) -> Counter[str]:
        return Counter("due" if at <= self.now else "delayed" for at, *_ in self.waiting)

    def ask(self, host: int, wanted: int) -> None:
        """What SCHEDULE does with a pack; the rest is parked."""
        window = WINDOW if self.ahead.room(self.now) >= wanted else 0.0
        begin = self.now + CLOUD_GRACE.notice
        booking = book(self.next_slot[host], wanted, begin, PACE.spacing, window)
        self.next_slot[host] = booking.next_slot
        stretch = self.ahead.stretch(self.now)
        for slot in slot_times(booking, PACE.spacing):
            emission = Emission("fetch", REQUEST, slot - self.now, timed=True)
            held = math.floor(held_back(emission, self.now, stretch))
            self.ahead.note(held)
            heapq.heappush(self.waiting, (self.now + held, self.chance.random(), slot, host))
            self.booked[host] += 1

    def sweep(self) -> None:
        """What SCHEDULE does every minute."""
        idle = [host for host in range(HOSTS) if not self.booked[host]]
        room = max(0.0, self.ahead.room(self.now)) / MAX_PACK
        for host in idle[: int(min(room, HOSTS))]:
            self.ask(host, MAX_PACK)

    def fetch(self) -> float:
        """One invocation; returns when it ends."""
        taken: list[tuple[float, float, float, int]] = []
        while self.waiting and len(taken) < BATCH and self.waiting[0][0] <= self.now + GATHERED:
            taken.append(heapq.heappop(self.waiting))
        self.now = max(self.now, taken[-1][0]) if len(taken) == BATCH else self.now + GATHERED
        ended = self.now
        for _, _, slot, host in taken:
            self.booked[host] -= 1
            if self.now > slot + PACE.grace:
                self.sums["missed"] += 1
                self.ask(host, 1)
            else:
                self.sums["made"] += 1
                ended = max(ended, slot + SERVER)
        return ended + CALLS

    def run(self) -> Counter[str]:
        """All minutes, of which the first is not counted."""
        free = [0.0] * FETCHERS
        for minute in range(MINUTES):
            self.now = max(self.now, SWEEP * minute)
            self.sweep()
            if minute == 1:
                self.sums.clear()
            while self.waiting:
                at = max(self.waiting[0][0], free[0])
                if at >= SWEEP * (minute + 1):
                    break
                heapq.heappop(free)
                self.now = at
                heapq.heappush(free, self.fetch())
        return self.sums


def test_fetchers_that_are_known_are_not_given_more_than_they_can_do():
    sums = Crawl(FETCHERS).run()

    most = FETCHERS * A_SECOND * SWEEP * (MINUTES - 1)
    assert 0.7 * most < sums["made"] <= 1.1 * most
    assert sums["missed"] < 0.25 * sums["made"]


def test_without_that_most_requests_miss_their_slots():
    sums = Crawl(0).run()

    assert sums["missed"] > sums["made"]
