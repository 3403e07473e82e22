"""The progress display of a running crawl.

On a terminal, a few lines that are drawn again in place; in a pipe, one plain line now and then.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, TextIO

from gossamer.core.crawl.host_trouble import trouble
from gossamer.core.crawl.url_state import State, explain
from gossamer.entrypoints.local.report import counted, duration, size
from gossamer.entrypoints.local.terminal import fitted, is_live

if TYPE_CHECKING:
    from gossamer.entrypoints.local.runner import Runner
    from gossamer.ports.jobs import JobRecord

DRAW_EVERY = 0.2  # seconds, on a terminal
PRINT_EVERY = 5.0  # seconds, elsewhere
MAX_TOLD = 20  # troubles of hosts in a pipe
MAX_SHOWN = 3  # of them on a terminal
LONG_WAIT = 5.0  # seconds from which a crawl that only waits for a host says so
MIN_SECONDS_LEFT = 0.05  # less would be shown as "0.0 s"
RATE_WINDOW = 10.0  # seconds over which the speed is averaged


class Progress:
    """Watches a runner and reports on stderr."""

    def __init__(self, out: TextIO | None = None, *, live: bool | None = None) -> None:
        self._out = out or sys.stderr
        self._live = is_live(self._out) if live is None else live
        self._next = 0.0
        self._drawn = 0
        self._next_look = 0.0
        self._told: set[str] = set()  # of what is wrong with hosts
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, runner: Runner) -> None:
        """Report, if it is time to."""
        now = runner.timer()
        self._tell_trouble(runner, now)
        if now < self._next:
            return
        if not self._next and not self._live:
            self._next = now + 1.0  # nothing to report yet
            return
        self._next = now + (DRAW_EVERY if self._live else PRINT_EVERY)
        self._tell(runner, now)

    def _tell_trouble(self, runner: Runner, now: float) -> None:
        """In a pipe, say at once what is wrong with a host; on a terminal it is always seen."""
        if self._live or now < self._next_look:
            return
        self._next_look = now + DRAW_EVERY
        new = [text for text in _troubles(runner) if text not in self._told]
        for text in new[: MAX_TOLD - len(self._told)]:
            self._told.add(text)
            self._out.write(f"{text}\n")
        if new:
            self._out.flush()

    def close(self, runner: Runner) -> None:
        """Report one last time."""
        self._next_look = 0.0
        self._tell_trouble(runner, runner.timer())
        self._tell(runner, runner.timer())

    def _tell(self, runner: Runner, now: float) -> None:
        lines = self._lines(runner, now)
        if self._live:
            lines = [fitted(line, self._out) for line in lines]
            up = f"\x1b[{self._drawn}A" if self._drawn else ""
            # What is below was drawn when there were more lines.
            self._out.write(up + "".join(f"\x1b[2K{line}\n" for line in lines) + "\x1b[J")
            self._drawn = len(lines)
        else:
            self._out.write(" · ".join(line.strip() for line in lines[:3]) + "\n")
        self._out.flush()

    def _lines(self, runner: Runner, now: float) -> list[str]:
        (states, _), done = runner.home.states(), runner.home.sums()
        queues, pages = runner.home.queues.depth(), done["pages"]
        rate = self._rate(pages, now)
        failed = states[State.FAILED] + states[State.GONE]
        return [
            f"{_state(runner)}: {counted(pages, 'page')}, {rate:,.1f}/s,"
            f" {duration(runner.seconds)}{_eta(runner, rate)}{_searchable(runner)}",
            f"  {size(done['bytes'])} in {counted(done['requests'], 'request')},"
            f" {counted(states[State.DUPLICATE], 'duplicate')}, {failed:,} failed or gone,"
            f" {states[State.EXCLUDED]:,} excluded",
            f"  waiting: {counted(states[State.DISCOVERED], 'URL')},"
            f" in flight {len(runner.active['fetch'])} (queues:"
            f" frontier {queues['frontier']:,}, fetch {queues['fetch']:,},"
            f" parse {queues['parse']:,}, links {queues['links']:,})",
            f"  hosts: {_hosts(runner)}",
            *(f"  {text}" for text in _troubles(runner)[:MAX_SHOWN]),
        ]

    def _rate(self, pages: int, now: float) -> float:
        self._samples.append((now, pages))
        while now - self._samples[0][0] > RATE_WINDOW:
            self._samples.popleft()
        before, count = self._samples[0]
        return (pages - count) / (now - before) if now > before else 0.0


def _state(runner: Runner) -> str:
    if runner.record.state == "paused":
        return "Paused"
    return _standstill(runner) or "Crawling"


def _standstill(runner: Runner) -> str:
    """Return which host a crawl that does nothing else waits for, and until when."""
    if any(runner.active.values()):
        return ""
    now = runner.clock()
    waits = [(wait, host) for host, wait in runner.home.hosts.waits(now).items()]
    wait, host = min(waits, default=(0.0, ""))
    if wait < LONG_WAIT:
        return ""
    return f"Waiting for {host} until {time.strftime('%H:%M:%S', time.localtime(now + wait))}"


def _searchable(runner: Runner) -> str:
    """How many documents can be found, if they are indexed beside the crawl."""
    found = counted(runner.beside.live, "document") if runner.beside else ""
    return f"; {found} can be searched" if found else ""


def _eta(runner: Runner, rate: float) -> str:
    """Return when the nearest limit will be reached or the known URLs be done, if ever."""
    record, estimates = runner.record, []
    waiting = runner.home.states()[0][State.DISCOVERED]
    if rate > 0 and waiting:
        booked = runner.home.queues.depth()["fetch"]
        estimates.append(pages_to_come(record, waiting, booked) / rate)
    if record.config.max_seconds is not None:
        estimates.append(record.config.max_seconds - runner.seconds)
    left = min(estimates, default=0.0)
    return f", about {duration(left)} to go" if left >= MIN_SECONDS_LEFT else ""


def pages_to_come(record: JobRecord, waiting: int, booked: int) -> int:
    """Return how many of the waiting URLs a job will still fetch; the booked ones hold units."""
    limits = (record.pages_left, record.documents_left)
    return min([waiting, *(booked + left for left in limits if left is not None)])


def _troubles(runner: Runner) -> list[str]:
    """What is wrong with hosts, and whether they are asked again."""
    tries = runner.record.config.retries + 1
    return [
        f"{host.host}: {explain(trouble(host))}"
        + ("" if host.set_aside else f" (try {min(host.robots_tries, tries)} of {tries})")
        for host in runner.home.hosts.troubled()
    ]


def _hosts(runner: Runner) -> str:
    """Which hosts keep us waiting, and for how long they are booked."""
    waits = runner.home.hosts.waits(runner.clock())
    longest = sorted(waits.items(), key=lambda item: -item[1])[:3]
    if not longest:
        return "none waiting"
    names = ", ".join(f"{host} {wait:.1f} s" for host, wait in longest)
    return f"{len(waits):,} waiting for their next slots ({names})"
