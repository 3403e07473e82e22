"""Functions that a schedule calls, not a queue: RECRAWL and RANK, with the real handlers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.entrypoints.lambdas.rank import Weighing, follow_cloud, rank_cloud
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler

if TYPE_CHECKING:
    from gossamer.entrypoints.lambdas.rank import Ranked
    from gossamer.entrypoints.lambdas.sqs import Worker
    from tests.simulation.account import Account

ENOUGH = 1e9  # visits a day: everything that is due is asked for
HOUR_OR_SO = 70.0  # minutes between two calls: a page that is missing is looked for after an hour


@dataclass
class Asked:
    """What RECRAWL said; nothing, if it died."""

    pages: int | None = None


def recrawl(account: Account) -> Asked:
    """Ask again for whatever is due, in a process that may die."""
    asked = Asked()

    def work(opened: Worker) -> None:
        handler = recrawl_handler(lambda: opened)
        answer = handler({"minutes": HOUR_OR_SO, "budget": ENOUGH}, None)
        asked.pages = sum(answer.values())

    account.call("recrawl", work)
    return asked


def rank(account: Account, *, immune: bool = False) -> list[Ranked]:
    """Rank whatever can be found now; the result is in the list, unless a process died."""
    done: list[Ranked] = []

    def work(opened: Worker) -> None:
        found = rank_cloud(opened.home, Weighing(), account.kernel)
        if found is not None:
            done.append(found)

    account.call("rank", work, immune=immune)
    return done


def follow(account: Account, *, immune: bool = False) -> None:
    """Give new versions the ranks of the old ones."""

    def work(opened: Worker) -> None:
        follow_cloud(opened.home, account.kernel)

    account.call("follow", work, immune=immune)
