"""The progress line of a soak."""

import sys
import time

from scripts.bench.machine.percentiles import times
from scripts.soak.asking import Reader
from scripts.soak.crawling import Crawl
from scripts.soak.sampling import Sample, Sampler

DRAW_EVERY = 1.0  # seconds, on a terminal
PRINT_EVERY = 10.0  # seconds, elsewhere
RATE_WINDOW = 10  # seconds


class Progress:
    """One line, redrawn in place on a terminal; in a pipe, a new line every ten seconds."""

    def __init__(self, seconds: float, crawl: Crawl, sampler: Sampler, reader: Reader) -> None:
        self._seconds = seconds
        self._crawl = crawl
        self._sampler = sampler
        self._reader = reader
        self._out = sys.stderr
        self._next = 0.0

    def update(self, phase: str, elapsed: float) -> None:
        """Write the line if it is due."""
        if elapsed < self._next or not self._sampler.samples:
            return
        live = self._out.isatty()
        self._next = elapsed + (DRAW_EVERY if live else PRINT_EVERY)
        line = self._line(phase, elapsed)
        self._out.write(f"\r\x1b[2K{line}" if live else f"{line}\n")
        self._out.flush()

    def _line(self, phase: str, elapsed: float) -> str:
        latest = self._sampler.samples[-1]
        parts = [
            f"{_clock(elapsed)} of {_clock(self._seconds)}, {phase}",
            f"{_clock(max(0.0, self._seconds - elapsed))} to go",
            f"{_rate(self._sampler.samples):.0f} requests/s",
            f"{latest.depth} waiting",
            f"{self._crawl.rounds} rounds, {len(self._crawl.kills)} kills",
            self._searches(),
            f"server {latest.server.usage.rss_mb:.0f} MB" if latest.server else "server down",
        ]
        if latest.crawl:
            parts.append(f"{latest.crawl.task} {latest.crawl.usage.rss_mb:.0f} MB")
        return " · ".join(parts)

    def _searches(self) -> str:
        since = time.time() - RATE_WINDOW
        recent = self._reader.answers[-50 * RATE_WINDOW :]
        ms = [a.ms for a in recent if a.at >= since and a.code and a.is_search]
        if not ms:
            return "no searches"
        found = times(ms)
        rate = found.count / RATE_WINDOW
        return f"{rate:.0f} searches/s, p50 {found.p50:.1f}, p99 {found.p99:.1f} ms"


def _rate(samples: list[Sample]) -> float:
    recent = samples[-RATE_WINDOW:]
    seconds = recent[-1].at - recent[0].at
    return (recent[-1].requests - recent[0].requests) / seconds if seconds else 0.0


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"
