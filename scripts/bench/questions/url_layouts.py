"""What would known URLs cost in DynamoDB if they were packed per host?

Links of generated webs go through layouts that only count units of table `urls`: an item for each
URL, as the store has it; buckets that split by bits of ids; and runs in levels. Ten functions share
the messages, and each remembers what it has read. Docs: docs/decisions/0048.
"""

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from gossamer.core.cost.prices import PRICES
from scripts.bench.contenders.url_layouts import Buckets, Items, Layout, Levels
from scripts.bench.report import Claim, Report, Row
from scripts.bench.worlds.link_stream import LinkingWeb, Page, pages_of

FUNCTIONS = 10
LAYOUTS: dict[str, Callable[[], Layout]] = {
    "item each": Items,
    "buckets": Buckets,
    "buckets, items if fewer than 3": lambda: Buckets(few=3),
    "levels": Levels,
    "levels, items if fewer than 3": lambda: Levels(few=3),
}
WEBS = {
    "hosts of 50 pages": LinkingWeb(hosts=60, pages=50),
    "hosts of 500 pages": LinkingWeb(hosts=6, pages=500),
    "a host of 5,000 pages": LinkingWeb(hosts=1, pages=5_000),
    "most new links lead away": LinkingWeb(hosts=20, pages=150, inside=0.4),
    "manuals: one new link": LinkingWeb(hosts=6, pages=500, new=1, known=40, inside=1.0),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--webs", nargs="+", choices=list(WEBS), default=list(WEBS), metavar="WEB")


@dataclass(slots=True)
class Used:
    """Units of one layout."""

    pages: int = 0
    wru: float = 0.0
    rru: float = 0.0
    claims: float = 0.0  # read units of claims

    def usd_per_million(self, *, claims: bool = True) -> float:
        """What a million pages cost; without claims, if their messages said all that they need."""
        units = {"wru": self.wru, "rru": self.rru + self.claims * claims}
        return sum(PRICES[name].per_million * count for name, count in units.items()) / self.pages


class Functions:
    """Functions over one layout, each with its own memory of URLs."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self.used = layout, Used()
        self._memories: list[set[bytes]] = [set() for _ in range(FUNCTIONS)]
        self._chance = Random(2)

    def handle(self, page: Page) -> None:
        """Look up the links of a page, and add those that are new."""
        memory = self._memories[self._chance.randrange(FUNCTIONS)]
        self.used.pages += 1
        self.used.claims += self._layout.claim(page.host, page.id)
        for host in page.new.keys() | page.known.keys():
            links = [*page.new.get(host, ()), *page.known.get(host, ())]
            asked = list({link.id for link in links} - memory)
            if asked:
                seen = self._layout.look_up(host, asked)
                self.used.rru += seen.rru
                memory |= seen.ids
            if page.new.get(host):
                self.used.wru += self._layout.add(host, page.new[host])


def replay(web: LinkingWeb, layouts: dict[str, Callable[[], Layout]]) -> dict[str, Used]:
    """The same pages through every layout."""
    functions = {name: Functions(make()) for name, make in layouts.items()}
    for page in pages_of(web):
        for each in functions.values():
            each.handle(page)
    return {name: each.used for name, each in functions.items()}


def measure(settings: argparse.Namespace) -> Report:
    found = {name: replay(WEBS[name], LAYOUTS) for name in settings.webs}
    return Report(
        question="url_layouts",
        rows=[_row(web, name, used) for web, by in found.items() for name, used in by.items()],
        claims=_claims(found),
        runs=[_run(web, name, used) for web, by in found.items() for name, used in by.items()],
        summary={
            web: {name: used.usd_per_million() for name, used in by.items()}
            for web, by in found.items()
        },
        notes=[f"units of the table `urls` only; {FUNCTIONS} functions; webs are assumptions"],
    )


def _row(web: str, name: str, used: Used) -> Row:
    return {
        "web": web,
        "layout": name,
        "WRU a page": f"{used.wru / used.pages:.2f}",
        "RRU": f"{used.rru / used.pages:.2f}",
        "RRU of claims": f"{used.claims / used.pages:.2f}",
        "$ a million pages": f"{used.usd_per_million():.2f}",
        "without claims": f"{used.usd_per_million(claims=False):.2f}",
    }


def _run(web: str, name: str, used: Used) -> dict[str, Any]:
    return {"web": web, "layout": name, **asdict(used)}


def _claims(found: dict[str, dict[str, Used]]) -> list[Claim]:
    """How dear a layout may become; nothing was promised of it, so it is not judged."""
    names = [name for name in LAYOUTS if name != "item each"]
    return [
        Claim(
            f"{name}: the most, to an item each", "<= 1", f"{max(_ratios(found, name)):.2f}", None
        )
        for name in names
    ]


def _ratios(found: dict[str, dict[str, Used]], name: str) -> list[float]:
    return [by[name].usd_per_million() / by["item each"].usd_per_million() for by in found.values()]
