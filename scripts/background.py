"""How is something done beside the rest, for as long as a `with` block lasts?"""

import threading
from types import TracebackType
from typing import Self


class Background:
    """Works in a thread. Subclasses say what, and look at `_done` for the end of the block."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._begin()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()
        self._end()

    def _begin(self) -> None:
        """What must be there before the work begins."""

    def _work(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        """What is left to do when the work has ended."""
