"""A client that searches at a steady rate and measures every response."""

import http.client
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from scripts.background import Background
from scripts.bench.worlds.generated_sites import VOCABULARY
from scripts.bench.worlds.nginx import LOOPBACK

RATE = 20.0  # searches/s; at 5/s, a p99 would rest on one search in 20 s
OTHERS_EVERY = 40  # every so many requests, one of the other routes
OTHERS = ("/", "/stats", "/health", "/static/app.js", "/documents/7", "/openapi.json")
TIMEOUT = 30.0  # seconds


class Answered(NamedTuple):
    """One request. Code 0: no response."""

    at: float
    ms: float
    code: int
    is_search: bool

    @property
    def ended_at(self) -> float:
        """When the response was complete or the connection failed."""
        return self.at + self.ms / 1000


def queries(seed: int) -> Iterator[str]:
    """Endless queries that rarely repeat, so that no cache is measured."""
    chance = Random(seed)
    while True:
        one, two = (VOCABULARY[int(len(VOCABULARY) * chance.random() ** 3)] for _ in range(2))
        forms = (one, f"{one} {two}", f"{one} AND {two}", f'"{one} {two}"', f"{one[:3]}*")
        yield chance.choices(forms, (2, 5, 2, 1, 1))[0]


class Reader(Background):
    """One client with one connection, in a thread, during the `with` block."""

    def __init__(self, port: int, seed: int, rate: float = RATE) -> None:
        super().__init__()
        self.answers: list[Answered] = []
        self._queries = queries(seed)
        self._every = 1 / rate
        self._connection = http.client.HTTPConnection(LOOPBACK, port, timeout=TIMEOUT)

    def _end(self) -> None:
        self._connection.close()

    def _work(self) -> None:
        due = time.monotonic()
        number = 0
        while not self._done.wait(max(0.0, due - time.monotonic())):
            number += 1
            self._ask(number)
            # Go on at the same rate after a slow response, without making up for missed requests.
            due = max(due + self._every, time.monotonic() - self._every)

    def _ask(self, number: int) -> None:
        turn, rest = divmod(number, OTHERS_EVERY)
        target = f"/search?q={quote(next(self._queries))}" if rest else OTHERS[turn % len(OTHERS)]
        at, began = time.time(), time.perf_counter()
        try:
            self._connection.request("GET", target)
            response = self._connection.getresponse()
            response.read()
            code = response.status
        except (OSError, http.client.HTTPException):
            self._connection.close()
            code = 0
        ms = 1000 * (time.perf_counter() - began)
        self.answers.append(Answered(at, ms, code, bool(rest)))
