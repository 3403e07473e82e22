"""Functions that a schedule calls, not a queue: RECRAWL and RANK, with the real handlers."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gossamer.entrypoints.lambdas.rank import Weighing, follow_cloud, rank_cloud
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler

if TYPE_CHECKING:
    from gossamer.entrypoints.lambdas.index import IndexHome
    from gossamer.entrypoints.lambdas.rank import Ranked
    from tests.simulation.account import Account

ENOUGH = 1e9  # visits a day: everything that is due is asked for
HOUR_OR_SO = 70.0  # minutes between two calls: a page that is missing is looked for after an hour


@dataclass
class Asked:
    """What RECRAWL said; nothing, if it died."""

    pages: int | None = None


class Leased:
    """The jobs of a home, and leases by the account: those outlive a process."""

    def __init__(self, jobs: Any, account: Account) -> None:
        self._jobs = jobs
        self.lease, self.end_lease = account.lease, account.end_lease

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)


def recrawl(account: Account) -> Asked:
    """Ask again for whatever is due, in a process that may die."""
    asked = Asked()

    def work(opened: IndexHome) -> None:
        handler = recrawl_handler(lambda: opened.home, lambda: _stores(opened, account))
        answer = handler({"minutes": HOUR_OR_SO, "budget": ENOUGH}, None)
        asked.pages = sum(answer.values())

    account.call("recrawl", work)
    return asked


def rank(account: Account, *, immune: bool = False) -> list[Ranked]:
    """Rank whatever can be found now; the result is in the list, unless a process died."""
    done: list[Ranked] = []

    def work(opened: IndexHome) -> None:
        found = rank_cloud(_stores(opened, account), Weighing(), account.kernel)
        if found is not None:
            done.append(found)

    account.call("rank", work, immune=immune)
    return done


def follow(account: Account, *, immune: bool = False) -> None:
    """Give new versions the ranks of the old ones."""

    def work(opened: IndexHome) -> None:
        follow_cloud(_stores(opened, account), account.kernel)

    account.call("follow", work, immune=immune)


def _stores(opened: IndexHome, account: Account) -> Any:
    """The stores of a stack, as far as these functions need them."""
    ports = opened.home.ports
    return SimpleNamespace(
        jobs=Leased(ports.jobs, account),
        urls=_Whole(ports.urls),
        edges=_Whole(ports.edges),
        hosts=ports.hosts,
        reputation=ports.reputation,
        quotas=ports.quotas,
        documents=ports.documents,
        index=opened.store,
        queues=opened.home.queues,
    )


class _Whole:
    """A store that is read in one piece: the embedded one cannot do otherwise."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def all(self, _segments: int = 1) -> Any:
        return self._inner.all()

    def packed(self, _segments: int = 1) -> Any:
        return self._inner.packed()
