"""The progress display of a running crawl.

On a terminal, a few lines that are drawn again in place; in a pipe, one plain line now and then.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, TextIO

from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.local.report import duration, size

if TYPE_CHECKING:
    from gossamer.entrypoints.local.runner import Runner

DRAW_EVERY = 0.2  # seconds, on a terminal
PRINT_EVERY = 5.0  # seconds, elsewhere
RATE_WINDOW = 10.0  # seconds over which the speed is averaged


class Progress:
    """Watches a runner and reports on stderr."""

    def __init__(self, out: TextIO | None = None, *, live: bool | None = None) -> None:
        self._out = out or sys.stderr
        self._live = self._out.isatty() if live is None else live
        self._next = 0.0
        self._drawn = 0
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, runner: Runner) -> None:
        """Report, if it is time to."""
        now = runner.clock()
        if now < self._next:
            return
        if not self._next and not self._live:
            self._next = now + 1.0  # nothing to report yet
            return
        self._next = now + (DRAW_EVERY if self._live else PRINT_EVERY)
        self._tell(runner, now)

    def close(self, runner: Runner) -> None:
        """Report one last time."""
        self._tell(runner, runner.clock())

    def _tell(self, runner: Runner, now: float) -> None:
        lines = self._lines(runner, now)
        if self._live:
            up = f"\x1b[{self._drawn}A" if self._drawn else ""
            self._out.write(up + "".join(f"\x1b[2K{line}\n" for line in lines))
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
            f"{_state(runner)}: {pages:,} pages, {rate:,.1f}/s,"
            f" {duration(runner.seconds)}{_eta(runner, pages, rate)}",
            f"  {size(done['bytes'])} in {done['requests']:,} requests,"
            f" {states[State.DUPLICATE]:,} duplicates, {failed:,} failed or gone,"
            f" {states[State.EXCLUDED]:,} excluded",
            f"  waiting: {states[State.DISCOVERED]:,} URLs, in flight {len(runner.active['fetch'])}"
            f" (queues: frontier {queues['frontier']:,}, fetch {queues['fetch']:,},"
            f" parse {queues['parse']:,}, links {queues['links']:,})",
            f"  hosts: {_hosts(runner, now)}",
        ]

    def _rate(self, pages: int, now: float) -> float:
        self._samples.append((now, pages))
        while now - self._samples[0][0] > RATE_WINDOW:
            self._samples.popleft()
        before, count = self._samples[0]
        return (pages - count) / (now - before) if now > before else 0.0


def _state(runner: Runner) -> str:
    return "Paused" if runner.record.state == "paused" else "Crawling"


def _eta(runner: Runner, pages: int, rate: float) -> str:
    """When the nearest limit will be reached, or the known URLs be done."""
    config = runner.record.config
    estimates = []
    if rate > 0:
        known = pages + runner.home.states()[0][State.DISCOVERED]
        goal = min(known, config.max_pages) if config.max_pages else known
        estimates.append((goal - pages) / rate)
    if config.max_seconds is not None:
        estimates.append(config.max_seconds - runner.seconds)
    return f", about {duration(max(0.0, min(estimates)))} to go" if estimates else ""


def _hosts(runner: Runner, now: float) -> str:
    """Which hosts keep us waiting, and for how long they are booked."""
    waits = runner.home.hosts.waits(now)
    longest = sorted(waits.items(), key=lambda item: -item[1])[:3]
    if not longest:
        return "none waiting"
    names = ", ".join(f"{host} {wait:.1f} s" for host, wait in longest)
    return f"{len(waits):,} waiting for their next slots ({names})"
