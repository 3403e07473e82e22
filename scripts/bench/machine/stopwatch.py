"""How long did something take that is done in pieces? Needs only the standard library."""

import time
from types import TracebackType
from typing import Self


class Stopwatch:
    """Adds up the time of every `with` block, by the clock and of the CPU."""

    def __init__(self) -> None:
        self._clock = self._cpu = 0.0

    def __enter__(self) -> Self:
        self._clock -= time.perf_counter()
        self._cpu -= time.process_time()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clock += time.perf_counter()
        self._cpu += time.process_time()

    @property
    def seconds(self) -> tuple[float, float]:
        """By the clock, and of the CPU."""
        return self._clock, self._cpu
