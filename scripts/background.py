"""A thread that works during a `with` block."""

import threading
from typing import Self


class Background:
    """Base of such threads: `_work` must return once `_done` is set."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._begin()
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._done.set()
        self._thread.join()
        self._end()

    def _begin(self) -> None:
        """Prepare, before the thread starts."""

    def _work(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        """Clean up, after the thread has ended."""
