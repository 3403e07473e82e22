"""Questions about bicycles, in lists of ten: each has a title, an excerpt and votes.

questions = Questions(origin)
server.publish(questions.site())
questions.table()                     # what an export must say, the most votes first
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from tests.sites.generated import Resource, Site

PER_PAGE: Final = 10
_PARTS: Final = ("brake", "chain", "dynamo", "fork", "gear", "pedal", "saddle", "spoke", "tyre")
_TROUBLES: Final = ("creaks", "is loose", "is rusty", "is worn", "slips", "squeaks")
_TIMES: Final = ("after rain", "in winter", "on cobbles", "on long rides", "uphill", "when braking")
_MORE: Final = (
    "It is a city bike.",
    "It began last week.",
    "The shop says that this is normal.",
    "I ride ten kilometres on most days.",
    "What else can I try?",
    "All other parts of it are two years old.",
)
_TRIED: Final = ("cleaned it", "oiled it", "replaced it", "tightened it", "took it apart")


@dataclass(frozen=True)
class Question:
    """A question, as the site's database has it."""

    number: int
    title: str
    excerpt: str
    votes: int

    @property
    def path(self) -> str:
        return f"/questions/{self.number}"

    def html(self) -> str:
        """The question as a list shows it."""
        return (
            f'<div class="question" id="q{self.number}">'
            f'<div class="stats"><b class="votes">{self.votes}</b> votes</div>'
            f'<h3><a href="{self.path}">{self.title}</a></h3>'
            f'<p class="excerpt">{self.excerpt}</p></div>'
        )


def questions(count: int = 60, seed: int = 1) -> list[Question]:
    """Questions; most have few votes, some below zero, and no two the same number."""
    chance = random.Random(seed)
    few, many = chance.sample(range(-9, 40), 2 * count // 3), chance.sample(range(40, 400), count)
    found = []
    for number in range(1, count + 1):
        part, trouble, time = chance.choice(_PARTS), chance.choice(_TROUBLES), chance.choice(_TIMES)
        excerpt = f"I {chance.choice(_TRIED)} twice, but the {part} still {trouble} {time}."
        more = chance.sample(_MORE, chance.randint(0, len(_MORE)))
        excerpt = " ".join([excerpt, *more])
        votes = few.pop() if number % 3 else many.pop()
        found.append(Question(number, f"My {part} {trouble} {time}", excerpt, votes))
    return found


@dataclass
class Questions:
    """The website with the questions."""

    origin: str
    questions: list[Question] = field(default_factory=questions)

    def table(self) -> list[dict[str, str]]:
        """What an export must say, in the order of the site."""
        return [
            {
                "url": self.origin + each.path,
                "question": each.title,
                "excerpt": each.excerpt,
                "votes": str(each.votes),
            }
            for each in self.questions
        ]

    def site(self) -> Site:
        """The lists, the first of them the home page; pages of questions say more."""
        site = Site(self.origin)
        site.resources |= {
            self.origin + path: Resource(body=html.encode()) for path, html in self.pages().items()
        }
        return site

    def pages(self) -> dict[str, str]:
        """The lists by path."""
        starts = range(0, len(self.questions), PER_PAGE)
        paths = [f"/list/{number}" if number > 1 else "/" for number in range(1, len(starts) + 1)]
        following = [*paths[1:], ""]
        return {
            path: _page(self.questions[start : start + PER_PAGE], after)
            for path, start, after in zip(paths, starts, following, strict=True)
        }


def _page(listed: list[Question], after: str) -> str:
    body = "".join(each.html() for each in listed)
    more = f'<a rel="next" href="{after}">older questions</a>' if after else ""
    return (
        '<!doctype html><html lang="en"><head><title>Bicycle questions</title></head><body>'
        f'<nav><a href="/tags">Tags</a></nav><main><h1>Newest questions</h1>{body}{more}</main>'
        "</body></html>"
    )
