"""Where does a world's crawler keep its things? In SQLite in memory, or in AWS played by moto."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol
from unittest.mock import patch

from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.processes.parser_pool import InlineParser
from gossamer.core.index.segments import dictionary
from gossamer.homes import decode_body
from tests.simulation.kernel import drive

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Coroutine
    from pathlib import Path

    from gossamer.messages import CrawlRequest
    from tests.simulation.kernel import Kernel

WARM = 3  # processes of Lambda's that are kept, each with a memory of its own


class Stage(Protocol):
    """A home that a simulation can play on."""

    homes: list[Any]  # one for each process that has a memory of its own
    is_embedded: bool  # whether it is on one machine

    def states(self) -> Counter[str]:
        """How many URLs stand how, as people are told when all is quiet."""
        ...

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a slow method of a store to its end."""
        ...

    def parser(self, home: Any) -> Any:
        """The reader of pages."""
        ...

    def hold(self, request: CrawlRequest, until: float) -> None:
        """Keep what must wait longer than a queue can."""
        ...

    def has_parked(self) -> bool:
        """Whether anything is parked."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class LocalStage:
    """The embedded home, in memory."""

    is_embedded = True

    def __init__(self, folder: Path, kernel: Kernel) -> None:
        del kernel
        self._folder = folder
        self._home = LocalHome(None, folder, decode_body)
        self._home.store.committed = self._commit_now  # type: ignore[method-assign]
        self.homes: list[Any] = [self._home]

    async def _commit_now(self) -> None:
        self._home.store.commit()

    wait_for = staticmethod(drive)

    def parser(self, home: Any) -> InlineParser:
        del home
        return InlineParser(self._folder, decode_body)

    def hold(self, request: CrawlRequest, until: float) -> None:
        self._home.frontier.park(request, until)

    def states(self) -> Counter[str]:
        return self._home.states()[0]

    def has_parked(self) -> bool:
        return self._home.frontier.next_at() is not None

    def close(self) -> None:
        self._home.close()


class CloudStage:
    """The cloud home over moto, with several processes that remember different things."""

    is_embedded = False

    def __init__(self, folder: Path, kernel: Kernel) -> None:
        from moto import mock_aws

        from gossamer.adapters.aws.home import AwsHome
        from scripts.create_stack import create_tables
        from tests.aws_backend import ENVIRONMENT, moto_clients

        del folder
        self._kernel = kernel
        self._stack = ExitStack()
        self._stack.enter_context(patch.dict("os.environ", ENVIRONMENT))
        self._stack.enter_context(mock_aws())
        self._stack.enter_context(patch("time.time", kernel))
        # Lists of a few documents are long here, so that heads are kept of them.
        self._stack.enter_context(patch.object(dictionary, "FREQUENT", 3))
        self._stack.enter_context(patch.object(dictionary, "LAYERS", (2, 3)))
        clients = moto_clients()
        create_tables(clients, "world")
        clients.call("s3", "CreateBucket", "bucket pages", Bucket="pages")
        self.homes: list[Any] = [
            AwsHome("world", "pages", "web", decode_body, clients=clients) for _ in range(1 + WARM)
        ]
        self._loop = asyncio.new_event_loop()
        self._stack.callback(self._loop.close)

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(coroutine)

    def parser(self, home: Any) -> Any:
        return home.parser

    def hold(self, request: CrawlRequest, until: float) -> None:
        self.homes[0].frontier.hold(request, until)

    def states(self) -> Counter[str]:
        """Some processes added their moves, the others were killed before: a check mends that."""
        for home in self.homes[::2]:
            home.add_states()
        first: Any = self.homes[0]
        assert min(first.states()[0].values(), default=0) >= 0
        first.distrust_counts()
        while first.recount_part(self._kernel.now, lambda: True, lambda: False):
            pass
        told: Counter[str] = first.states()[0]
        return told

    def has_parked(self) -> bool:
        return bool(self.homes[0].frontier.has_packs())

    def close(self) -> None:
        self._stack.close()


STAGES: dict[str, Any] = {"local": LocalStage, "cloud": CloudStage}
