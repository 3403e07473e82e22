"""A ranking of towns by the steps of their stairs: 2,350 rows on 94 pages, each with a next one.

ranking = Ranking(origin)
server.publish(ranking.site())
ranking.table()                       # what an export must say, in the order of the ranking
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from tests.sites.generated import Resource, Site

PAGES: Final = 94
ROWS: Final = 25  # of a page
_FIRST: Final = ("Alder", "Birk", "Cran", "Dun", "Esk", "Fal", "Glen", "Holm", "Iver", "Kirk")
_LAST: Final = ("bury", "dale", "field", "ford", "ham", "hurst", "mouth", "stead", "ton", "wick")
_COUNTRIES: Final = ("England", "Ireland", "Scotland", "Wales")


@dataclass(frozen=True)
class Row:
    """A town, as the makers of the ranking know it."""

    rank: int
    town: str
    country: str
    steps: int
    per_head: float

    @property
    def path(self) -> str:
        return f"/town/{self.rank}"

    def html(self) -> str:
        """The row as its page shows it."""
        return (
            f'<tr><td>{self.rank:,}</td><td><a href="{self.path}">{self.town}</a></td>'
            f"<td>{self.country}</td><td>{self.steps:,}</td><td>{self.per_head:.2f}</td></tr>"
        )


def rows(count: int = PAGES * ROWS, seed: int = 1) -> list[Row]:
    """The rows of a ranking; no two have the same number of steps."""
    chance = random.Random(seed)
    steps = sorted(chance.sample(range(100, 90_000), count), reverse=True)
    return [
        Row(
            rank,
            f"{chance.choice(_FIRST)}{chance.choice(_LAST)} {rank}",
            chance.choice(_COUNTRIES),
            number,
            chance.randint(1, 999) / 100,
        )
        for rank, number in enumerate(steps, 1)
    ]


@dataclass
class Ranking:
    """The website of the ranking."""

    origin: str
    rows: list[Row] = field(default_factory=rows)

    def table(self) -> list[dict[str, str]]:
        """What an export must say, the first of the ranking first."""
        return [
            {
                "title": row.town,
                "url": self.origin + row.path,
                "place": str(row.rank),
                "town": row.town,
                "country": row.country,
                "steps": str(row.steps),
                "per_head": f"{row.per_head:g}",
            }
            for row in self.rows
        ]

    def site(self) -> Site:
        """Pages of the ranking only: what they link to beside is missing, and never asked for."""
        site = Site(self.origin)
        site.resources |= {
            self.origin + path: Resource(body=html.encode()) for path, html in self.pages().items()
        }
        return site

    def pages(self) -> dict[str, str]:
        """The pages by path; the first is the home page."""
        starts = range(0, len(self.rows), ROWS)
        paths = [f"/?page={number}" if number > 1 else "/" for number in range(1, len(starts) + 1)]
        following = [*paths[1:], ""]
        return {
            path: _page(self.rows[start : start + ROWS], after)
            for path, start, after in zip(paths, starts, following, strict=True)
        }


def _page(listed: list[Row], after: str) -> str:
    body = "".join(row.html() for row in listed)
    more = f'<a class="next" href="{after}">Next page</a>' if after else ""
    return (
        '<!doctype html><html lang="en"><head><title>Towns by the steps of their stairs</title>'
        '</head><body><nav><a href="/about">About</a> <a href="/press">Press</a></nav>'
        "<h1>Towns by the steps of their stairs</h1>"
        '<table class="ranking"><thead><tr><th>Rank</th><th>Town</th><th>Country</th>'
        f"<th>Steps</th><th>Per head</th></tr></thead><tbody>{body}</tbody></table>"
        f"{more}</body></html>"
    )
