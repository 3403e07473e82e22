"""What most tests start from: an embedded home in memory, a virtual clock and scripted servers."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.local.home import LocalHome, open_home
from gossamer.runtime import decode_body
from tests.pump import Answer, VirtualClock, World, make_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[Callable[..., World]]:
    """Makes worlds: `world({url: answer}, delay=1.0)`."""
    with ExitStack() as stack:

        def make(answers: dict[str, Answer] | None = None, **config: Any) -> World:
            made = make_world(tmp_path / "warc", clock, answers, **config)
            stack.callback(made.home.close)
            return made

        yield make


@dataclass
class Backend:
    """A kind of home that contract tests hold to the promises of the ports."""

    kind: str
    folder: Path
    visibility: dict[Any, float] = field(default_factory=lambda: {"fetch": 30.0})
    _home: LocalHome | None = None

    @property
    def home(self) -> LocalHome:
        if self._home is None:
            database = self.folder / "web.db" if self.kind == "sqlite-disk" else None
            warc = self.folder / "warc"
            self._home = open_home(database, warc, decode_body, visibility=self.visibility)
        return self._home

    def reopen(self) -> LocalHome:
        """What another process would find. A home in memory has no other process."""
        if self.kind == "sqlite-disk":
            self.close()
        return self.home

    def close(self) -> None:
        if self._home is not None:
            self._home.close()
            self._home = None


@pytest.fixture(params=["sqlite-memory", "sqlite-disk"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Every adapter of every port."""
    backend = Backend(request.param, tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def any_home(backend: Backend) -> LocalHome:
    return backend.home
