"""What most tests start from: an embedded home in memory, a virtual clock and scripted servers."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.homes import decode_body
from tests.effort import use_share
from tests.pump import Answer, VirtualClock, World, make_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gossamer.ports.home import Home

EMBEDDED = ("sqlite-memory", "sqlite-disk")
CLOUD = ("moto", *(("endpoint",) if os.environ.get("GOSSAMER_TEST_ENDPOINT") else ()))
KINDS = EMBEDDED + CLOUD


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "only(*kinds): a promise of these kinds of home alone")
    use_share()


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
    _home: Home | None = None
    _cloud: Any = None

    @property
    def home(self) -> Home:
        if self._home is None:
            self._home = self._open() if self.kind in EMBEDDED else self._open_cloud()
        return self._home

    def _open(self) -> LocalHome:
        database = self.folder / "web.db" if self.kind == "sqlite-disk" else None
        warc = self.folder / "warc"
        return LocalHome(database, warc, decode_body, visibility=self.visibility)

    def _open_cloud(self) -> Home:
        from tests.aws_backend import EndpointBackend, MotoBackend  # botocore takes its time

        if self._cloud is None:
            make = MotoBackend if self.kind == "moto" else EndpointBackend
            self._cloud = make(self.visibility)
        home: Home = self._cloud.open()
        return home

    def reopen(self) -> Home:
        """What another process would find. A home in memory has no other process."""
        if self.kind != "sqlite-memory":
            self._close_home()
        return self.home

    def _close_home(self) -> None:
        if self._home is not None:
            self._home.close()
            self._home = None

    def close(self) -> None:
        self._close_home()
        if self._cloud is not None:
            self._cloud.close()


@pytest.fixture(params=KINDS)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Every adapter of every port; a test may name the only kinds it is about."""
    only = request.node.get_closest_marker("only")
    if only is not None and request.param not in only.args:
        pytest.skip(f"not a promise of {request.param}")
    backend = Backend(request.param, tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def too_many(backend: Backend) -> int:
    """More than one statement takes: SQLite has a thousand variables, a batch a hundred items."""
    return 1200 if backend.kind in EMBEDDED else 130


@pytest.fixture
def any_home(backend: Backend) -> Home:
    return backend.home
