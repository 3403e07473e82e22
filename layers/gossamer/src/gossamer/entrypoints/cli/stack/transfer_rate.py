"""The progress of a copy as a line of text: how much, how fast, how long it still takes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer.entrypoints.local.report import size

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.batch.transfer.collection import Step


class Rate:
    """Shows every step of a copy."""

    def __init__(
        self, show: Callable[[str], None], timer: Callable[[], float] = time.perf_counter
    ) -> None:
        self._show, self._timer = show, timer
        self._part, self._since, self._before = "", timer(), timer()

    def __call__(self, step: Step) -> None:
        """Show a step."""
        now = self._timer()
        if step.part != self._part:  # it began when the step before ended
            self._part, self._since = step.part, self._before
        self._before = now
        self._show(self.line(step, now))

    def line(self, step: Step, now: float) -> str:
        """A step as text."""
        seconds = max(now - self._since, 1e-6)
        rate = (step.done - step.before) / seconds
        of_all = f" of {_amount(step.total, step.unit)}" if step.total else ""
        line = f"{step.part}: {_amount(step.done, step.unit)}{of_all}"
        line += f", {_amount(round(rate), step.unit)}/s"
        if step.total > step.done and rate:
            line += f", {_duration((step.total - step.done) / rate)} left"
        return line


def _amount(count: int, unit: str) -> str:
    return size(count) if unit else f"{count:,}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
