"""What does a steady reader ask of the search server, and how soon is each answer there?"""

import http.client
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from scripts.background import Background
from scripts.bench.worlds.generated_sites import VOCABULARY
from scripts.bench.worlds.nginx import LOOPBACK

RATE = 20.0  # searches/s; at 5, the worst of a hundred would be one in 20 s
OTHERS_EVERY = 40  # requests; then one of the page's other routes
OTHERS = ("/", "/stats", "/health", "/static/app.js", "/documents/7", "/openapi.json")
TIMEOUT = 30.0  # seconds


class Answered(NamedTuple):
    """One request. Code 0: there was no answer."""

    at: float
    ms: float
    code: int
    is_search: bool

    @property
    def ended_at(self) -> float:
        """When the answer was there, or the connection was not."""
        return self.at + self.ms / 1000


def queries(seed: int) -> Iterator[str]:
    """Without end, and rarely the same twice: what a server remembers must not be measured."""
    chance = Random(seed)
    while True:
        one, two = (VOCABULARY[int(len(VOCABULARY) * chance.random() ** 3)] for _ in range(2))
        forms = (one, f"{one} {two}", f"{one} AND {two}", f'"{one} {two}"', f"{one[:3]}*")
        yield chance.choices(forms, (2, 5, 2, 1, 1))[0]


class Reader(Background):
    """One client with one connection, in a thread, for as long as the `with` block lasts."""

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
            due = max(due + self._every, time.monotonic() - self._every)  # nothing is made up for

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
