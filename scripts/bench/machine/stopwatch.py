"""A stopwatch for work done in pieces. Needs only the standard library."""

import time
from typing import Self


class Stopwatch:
    """Adds up wall-clock and CPU time of every `with` block."""

    def __init__(self) -> None:
        self._clock = self._cpu = 0.0

    def __enter__(self) -> Self:
        self._clock -= time.perf_counter()
        self._cpu -= time.process_time()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._clock += time.perf_counter()
        self._cpu += time.process_time()

    @property
    def seconds(self) -> tuple[float, float]:
        """Wall-clock seconds, CPU seconds."""
        return self._clock, self._cpu
