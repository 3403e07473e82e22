"""The content of a site that changes all the time.

A pure function of seed, URL and time, so that the truth of any moment is known to all who know
the seed. The set of its URLs is finite: what grows during a soak grows for another reason.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal

from scripts.bench.worlds.generated_sites import PAGE, VOCABULARY

WORDS_PER_PAGE = 150
PAGES_PER_LIST = 50
LINKS = 6  # of an ordinary page to others
ROBOTS = b"User-agent: *\nDisallow: /private/\n"

Kind = Literal["steady", "slow", "quick", "blinking", "late", "mortal", "moving", "shy"]
KINDS: dict[Kind, int] = {
    "steady": 30,
    "slow": 25,
    "quick": 25,
    "blinking": 6,  # there, gone, there again
    "late": 5,  # appears one day
    "mortal": 5,  # vanishes one day
    "moving": 4,  # now and then it leads to another page
    "shy": 4,  # now and then it is not to be found
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says at a URL."""

    code: int
    body: bytes = b""
    title: str = ""
    location: str = ""
    noindex: bool = False

    @property
    def etag(self) -> str:
        """Changes with the body."""
        return f'"{hashlib.md5(self.body, usedforsecurity=False).hexdigest()}"'


GONE, MISSING = Answer(410, b"gone"), Answer(404, b"not found")


@dataclass(frozen=True, slots=True)
class Character:
    """How a page behaves over time."""

    kind: Kind
    period: float  # seconds between two changes
    phase: float  # of its changes
    moment: float  # when a late page appears, or a mortal one vanishes

    def version(self, at: float) -> int:
        """Which version it has."""
        return int((at + self.phase) / self.period) if self.kind != "steady" else 0

    def is_there(self, at: float) -> bool:
        """Whether there is anything."""
        match self.kind:
            case "late":
                return at >= self.moment
            case "mortal":
                return at < self.moment
            case "blinking":
                return self.version(at) % 2 == 0
        return True

    def leads_away(self, at: float) -> bool:
        """Whether it redirects."""
        return self.kind == "moving" and self.version(at) % 3 == 2

    def is_hidden(self, at: float) -> bool:
        """Whether it asks not to be indexed."""
        return self.kind == "shy" and self.version(at) % 3 == 2


@dataclass(frozen=True, slots=True)
class ChangingSite:
    """Some hosts with so many pages each, that change over so many seconds and then stand still."""

    seed: int
    origins: tuple[str, ...]
    pages: int
    seconds: float

    def at(self, origin: str, path: str, time: float) -> Answer:
        """What a host answers, `time` seconds after the beginning."""
        time = min(time, self.seconds)
        section, _, number = path.strip("/").partition("/")
        if path == "/":
            return self._home(origin)
        if path == "/robots.txt":
            return Answer(200, ROBOTS)
        if not number.isdigit() or section not in ("list", "page", "twin", "noindex"):
            return MISSING
        return self._numbered(origin, section, int(number), time)

    def _numbered(self, origin: str, section: str, number: int, time: float) -> Answer:
        match section:
            case "list" if number * PAGES_PER_LIST < self.pages:
                return self._list(origin, number, time)
            case "page" if number < self.pages:
                return self._page(origin, number, time)
            case "twin" if number < 2:
                return self._written(f"twin of {origin}", [f"{origin}/"])
            case "noindex" if number < 2:
                return _hidden(self._written(f"hidden {number} of {origin}", [f"{origin}/"]))
        return MISSING

    def character(self, origin: str, number: int) -> Character:
        """How a page behaves."""
        return _character(self.seed, origin, number, self.seconds)

    def truth(self) -> Iterator[tuple[str, str]]:
        """URL and title of every page that is to be found once the site stands still.

        Of each pair of twins only the first is named.
        """
        lists = range(-(-self.pages // PAGES_PER_LIST))
        for origin in self.origins:
            paths = ["/", "/twin/0", *(f"/list/{number}" for number in lists)]
            paths += [f"/page/{number}" for number in range(self.pages)]
            for path in paths:
                answer = self.at(origin, path, self.seconds)
                if answer.code == 200 and not answer.noindex:
                    yield origin + path, answer.title

    def _home(self, origin: str) -> Answer:
        lists = range(-(-self.pages // PAGES_PER_LIST))
        links = [f"{origin}/list/{number}" for number in lists]
        links += [f"{other}/" for other in self.origins if other != origin]
        paths = ("twin/0", "twin/1", "noindex/0", "noindex/1", "private/0", "nothing/here")
        links += [f"{origin}/{path}" for path in paths]
        return self._written(f"home of {origin}", links)

    def _list(self, origin: str, number: int, time: float) -> Answer:
        numbers = range(number * PAGES_PER_LIST, min((number + 1) * PAGES_PER_LIST, self.pages))
        links = [
            f"{origin}/page/{page}"
            for page in numbers
            if self.character(origin, page).is_there(time)
        ]
        return self._written(f"list {number} of {origin}", [f"{origin}/", *links], len(links))

    def _page(self, origin: str, number: int, time: float) -> Answer:
        character = self.character(origin, number)
        if not character.is_there(time):
            return MISSING if character.kind == "late" else GONE
        if character.leads_away(time):
            return Answer(302, b"moved", location=f"{origin}/page/{(number + 1) % self.pages}")
        chance = Random(f"{self.seed} {origin} {number}")
        links = [f"{origin}/page/{chance.randrange(self.pages)}" for _ in range(LINKS)]
        links.append(f"{chance.choice(self.origins)}/page/{chance.randrange(self.pages)}")
        page = self._written(f"page {number} of {origin}", links, character.version(time))
        return _hidden(page) if character.is_hidden(time) else page

    def _written(self, name: str, links: list[str], version: int = 0) -> Answer:
        return _written(self.seed, name, version, tuple(links))


def _hidden(page: Answer) -> Answer:
    mark = b'<head><meta name="robots" content="noindex">'
    return replace(page, body=page.body.replace(b"<head>", mark), noindex=True)


@lru_cache(maxsize=20_000)
def _character(seed: int, origin: str, number: int, seconds: float) -> Character:
    chance = Random(f"{seed} {origin} {number} character")
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    share = chance.uniform(0.05, 0.1) if kind == "quick" else chance.uniform(0.15, 0.4)
    period = share * seconds
    return Character(kind, period, chance.uniform(0, period), chance.uniform(0.1, 0.9) * seconds)


@lru_cache(maxsize=5_000)
def _written(seed: int, name: str, version: int, links: tuple[str, ...]) -> Answer:
    chance = Random(f"{seed} {name} {version}")
    # Few words are common and most are rare, as in a language.
    words = [VOCABULARY[int(len(VOCABULARY) * chance.random() ** 3)] for _ in range(WORDS_PER_PAGE)]
    title = f"{words[0]} {name.partition(' of ')[0]} version {version}"
    items = "\n".join(f'<li><a href="{link}">{chance.choice(words)}</a></li>' for link in links)
    body = PAGE.format(title=title, text=" ".join(words), links=items)
    return Answer(200, body.encode(), title)
