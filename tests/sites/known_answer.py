"""Which pages of a random website must each of these queries find?

Page n has its words by what n can be divided by, so that every answer is known without a search:

    divthree   n is a multiple of 3            divtwo    n is a multiple of 2
    notdiv     n is no multiple of 3           notdiv2   n is no multiple of 2
    "le phrase query"      n = 5k; for n = 5k+1 and 5k+2 the same words, but not as a phrase
    "nope query please"    n = 4k+1; for n = 4k+2 the other way round
    Josh       n is a multiple of 7            Disney    nowhere

    with serve() as server: server.publish(known_answer_site(server.origin(), 100)); ...
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

from tests.sites.generated import Link, Resource, Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Test = Callable[[int], bool]

NOUNS = (
    *("river", "stone", "harbour", "window", "morning", "garden", "letter", "copper", "lantern"),
    *("orchard", "bridge", "market", "winter", "mountain", "carpet", "bottle", "candle", "engine"),
    *("forest", "glacier", "hammer", "island", "kettle", "ladder", "meadow", "needle", "quarry"),
)
FILLER = (
    *NOUNS,
    *("walks", "turns", "carries", "holds", "finds", "keeps", "opens", "follows", "remembers"),
    *("under", "over", "behind", "beyond", "slowly", "quietly", "old", "bright", "narrow", "early"),
    *("the", "a", "of", "and", "in", "with"),
)
PLACES = (
    *("<p>{}</p>", "<blockquote><p>{}</p></blockquote>", "<h2>{}</h2>", "<ol><li>{}</li></ol>"),
    "<table><tr><td>{}</td></tr></table>",
)


def divthree(n: int) -> bool:
    return n % 3 == 0


def divtwo(n: int) -> bool:
    return n % 2 == 0


def le_phrase(n: int) -> bool:
    return n % 5 == 0


def nope(n: int) -> bool:
    return n % 4 == 1


def josh(n: int) -> bool:
    return n % 7 == 0


def _both() -> Iterator[tuple[str, Test]]:
    """AND and OR of two words, each negated or not."""
    for no_three, no_two in product((False, True), repeat=2):
        left, right = ("!" * no_three) + "divthree", ("!" * no_two) + "divtwo"

        def three(n: int, negated: bool = no_three) -> bool:
            return divthree(n) != negated

        def two(n: int, negated: bool = no_two) -> bool:
            return divtwo(n) != negated

        def both(n: int, one: Test = three, other: Test = two) -> bool:
            return one(n) and other(n)

        def either(n: int, one: Test = three, other: Test = two) -> bool:
            return one(n) or other(n)

        yield f"{left} & {right}", both
        yield f"{left} AND {right}", both
        yield f"{left} | {right}", either
        yield f"{left} OR {right}", either


QUERIES: dict[str, Test] = {
    "!Disney": lambda n: True,
    "Disney": lambda n: False,
    "divthree": divthree,
    "notdiv": lambda n: not divthree(n),
    "!notdiv": divthree,
    "!divthree": lambda n: not divthree(n),
    **dict(_both()),
    '"le phrase query"': le_phrase,
    '!"le phrase query"': lambda n: not le_phrase(n),
    '"nope query please"': nope,
    "le & phrase & query": lambda n: n % 5 in (0, 1, 2),
    '"nope query please" | ((!divthree | divtwo) & notdiv2)': lambda n: (
        nope(n) or ((not divthree(n) or divtwo(n)) and not divtwo(n))
    ),
    '!("nope query please" & !Josh notdiv | divtwo "nope query please")': lambda n: (
        not ((nope(n) and not josh(n) and not divthree(n)) or (divtwo(n) and nope(n)))
    ),
}


def address(origin: str, number: int) -> str:
    return f"{origin}/page-{number}.html" if number else f"{origin}/"


def known_answer_site(origin: str, pages: int = 100, seed: int = 1) -> Site:
    """Random pages, each reachable by links or frames."""
    chance = random.Random(seed)
    targets: list[set[int]] = [set() for _ in range(pages)]
    for number in range(1, pages):
        targets[chance.randrange(number)].add(number)
    for number in range(pages):
        targets[number] |= set(chance.choices(range(pages), k=2)) - {number}
    site = Site(origin)
    for number in range(pages):
        site.resources[address(origin, number)] = _page(origin, number, targets[number], chance)
    return site


def _page(origin: str, number: int, targets: set[int], chance: random.Random) -> Resource:
    links = [
        Link(url := address(origin, target), url, chance.choice(("a", "a", "iframe")))
        for target in sorted(targets)
    ]
    parts = [chance.choice(PLACES).format(_sentence(chance, mark)) for mark in _marks(number)]
    parts += [f"<p>{_sentence(chance)} {_sentence(chance)}</p>" for _ in range(4)]
    chance.shuffle(parts)
    title = f"{' '.join(chance.choices(NOUNS, k=3))} {number}"
    body = f"<h1>{title}</h1>{''.join(parts)}<p>{' '.join(link.html() for link in links)}</p>"
    head = f"<!doctype html><html lang=en><head><title>{title}</title></head>"
    return Resource(
        body=f"{head}<body>{body}</body></html>".encode(), title=title, links=tuple(links)
    )


def _marks(number: int) -> Iterator[str]:
    yield "divthree" if divthree(number) else "notdiv"
    yield "divtwo" if divtwo(number) else "notdiv2"
    phrases = ("le phrase query", "le query phrase", "le phrase of a query", "", "")
    yield phrases[number % 5]
    yield ("", "nope query please", "please query nope", "")[number % 4]
    yield "Josh" if josh(number) else ""


def _sentence(chance: random.Random, mark: str = "") -> str:
    words = chance.choices(FILLER, k=chance.randint(6, 14))
    if mark:
        words.insert(chance.randrange(1, len(words)), mark)
    return f"{words[0].capitalize()} {' '.join(words[1:])}."
