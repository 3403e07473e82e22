"""A clock that jumps, and an event loop that lives by it: hours of waiting pass at once."""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

TICK = 1e-6  # seconds; a shorter time is lost when it is added to a date


class Clock:
    """A time that others move."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time."""
        return self.now


class _Jumping(selectors.SelectSelector):
    """Moves the clock instead of waiting."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Nothing comes from outside: time passes until the next timer."""
        if timeout:
            self._clock.now += max(timeout, TICK)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time. What others give to threads is done at once."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(_Jumping(clock))
        self._now = clock
        self._clock_resolution = TICK  # timers this near are due

    def time(self) -> float:
        """The virtual time."""
        return self._now()

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Call the function here: the clock must not move while a thread is at work."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 it belongs to who awaits it
            done.set_exception(error)
        return done
